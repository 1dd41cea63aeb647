"""Contextual search: what fits a query and also the situation or the feeling.

The best 3 * k memories of the query are taken first, then those that share no tag with the
situation, or have not the feeling asked for, are left out, and the first k of the rest
are recalled. The match, overlap / tags asked, is told beside the score.

Source:
    memtool. The feeling goes by valence (good above 0, bad below 0) and by the tag `urgent`.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.asking import Queries
from memopolis.sim.memory.retrieval.profiles import Profile, check_count
from memopolis.sim.memory.retrieval.wanted import ALL, SIGNS
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.memory.streams.tags import Tags

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]

WIDER = 3
"""How many times k memories are looked at."""


def contextual(
    memory: "Memory",
    rows: IntArray,
    query: Queries,
    *,
    tags: Tags = None,
    emotion: str | None = None,
    k: int = 10,
    profile: str | Profile = "recall",
    observed: bool = False,
) -> Recalled:
    """Recall what a query asks for and the context lets through.

    Args:
        memory: Where it is.
        rows: Rows of the agents, shape (n,).
        query: One query, or one an agent.
        tags: Tags of the situation; a memory needs at least one of them. None for any.
        emotion: "positive", "negative" or "urgent"; None for any.
        k: Most memories an agent recalls, >= 1.
        profile: How memories are scored.
        observed: Whether an observer looks: nothing is booked.

    Returns:
        Ids and scores, in the order of the search, each of shape (n, k), and the term
        `match`: the share of the tags asked that a memory has, 1 where none were asked.

    Raises:
        ParameterError: If k is below 1 or there is no such feeling.
    """
    check_count(k)
    if emotion is not None and emotion not in SIGNS:
        raise ParameterError(f"emotion is {emotion!r}; allowed are {', '.join(map(repr, SIGNS))}")
    found = recalling.search(
        memory, rows, query, WIDER * k, profile=profile, wanted=ALL, observed=observed,
        booked=False,
    )  # fmt: skip
    match = _match(memory, rows, found.ids, tags)
    passes = (found.ids >= 0) & (match > 0) & _feels(memory, rows, found.ids, emotion)
    kept = _first(found, match, passes, k)
    if not observed:
        recalling.book(memory, rows, kept.ids)
    return kept


def _match(
    memory: "Memory", rows: IntArray, ids: NDArray[np.int32], tags: Tags
) -> NDArray[np.float32]:
    """Share of the tags asked that each memory has."""
    if isinstance(tags, int | np.integer):
        bits = memory.tags.bits(tags)
        asked = bits.bit_count()
    else:
        names = [tags] if isinstance(tags, str) else list(tags or ())
        bits, asked = memory.tags.known(names), len(set(names))
    if not asked:
        return np.ones(ids.shape, np.float32)
    have, _ = memory.streams.found("tags", rows, ids.astype(np.int64))
    overlap = np.bitwise_count(have & np.uint16(bits)).astype(np.float32)
    return np.asarray(overlap / np.float32(asked), np.float32)


def _feels(
    memory: "Memory", rows: IntArray, ids: NDArray[np.int32], emotion: str | None
) -> NDArray[np.bool_]:
    """Whether each memory has the feeling asked for."""
    if emotion is None:
        return np.ones(ids.shape, np.bool_)
    name = "tags" if emotion == "urgent" else "valence"
    values, _ = memory.streams.found(name, rows, ids.astype(np.int64))
    if emotion == "urgent":
        return np.asarray(values & np.uint16(memory.tags.known("urgent")) > 0)
    return np.asarray(values > 0 if emotion == "positive" else values < 0)


def _first(
    found: Recalled, match: NDArray[np.float32], passes: NDArray[np.bool_], k: int
) -> Recalled:
    """The first k of each agent that pass, moved together."""
    order = np.argsort(~passes, axis=1, kind="stable")[:, :k]
    there = np.take_along_axis(passes, order, axis=1)

    def moved[T: np.generic](values: NDArray[T], fill: int) -> NDArray[T]:
        taken: NDArray[T] = np.take_along_axis(values, order, axis=1)
        return np.where(there, taken, values.dtype.type(fill))

    return Recalled(
        found.rows, moved(found.ids, -1), moved(found.scores, 0), {"match": moved(match, 0)}
    )
