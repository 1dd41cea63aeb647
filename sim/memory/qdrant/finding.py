"""Searching: candidates by cosine from Qdrant, scores by the same code as in arrays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.qdrant.desk import Desk
from memopolis.sim.memory.qdrant.payload import Payload
from memopolis.sim.memory.qdrant.store import Ask
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.retrieval.asking import Queries, profile_of, queries_of
from memopolis.sim.memory.retrieval.filters import ALWAYS, ANY, filters_of
from memopolis.sim.memory.retrieval.profiles import TERMS, TEXT_TERMS, Profile, check_count
from memopolis.sim.memory.retrieval.wanted import ALL, Wanted
from memopolis.sim.memory.streams.recollection import Recalled

if TYPE_CHECKING:
    from memopolis.sim.memory.qdrant.memory import QdrantMemory

MARGIN = 0.02
"""Cosines this close may change places when vectors are rounded."""

_OTHERS = [name for name in TERMS if name != "dense"]


def search(
    memory: "QdrantMemory",
    rows: NDArray[np.int64],
    query: Queries,
    k: int | None,
    *,
    profile: str | Profile,
    wanted: Wanted = ALL,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    feeling: ArrayLike | None = None,
    with_terms: bool = False,
) -> tuple[Recalled, Desk]:
    """Search the streams of some agents; arguments as in `CohortStream.search`.

    Returns:
        What was found, by place on the desk, and the desk.
    """
    chosen = profile_of(memory.rules, profile)
    most = chosen.k if k is None else k
    check_count(most)
    texts, asks = queries_of(query, each, len(rows))
    found = _candidates(memory, rows, texts, asks, k=int(most), profile=chosen, wanted=wanted)
    desk = Desk(memory.rules, found)
    recalled = recalling.search(
        desk.memory, np.arange(len(rows)), query, most, profile=chosen, wanted=wanted,
        actor=actor, when=when, each=each, feeling=feeling, with_terms=with_terms, observed=True,
    )  # fmt: skip
    return recalled, desk


def today(
    memory: "QdrantMemory", rows: NDArray[np.int64], query: Queries | None, k: int, by: str
) -> tuple[Recalled, Desk]:
    """Recall memories of today; arguments as in `CohortStream.today`."""
    wanted = Wanted(ticks=memory.rules.today)
    if query is not None:
        return search(memory, rows, query, k, profile="act", wanted=wanted)
    asks = _asks(memory, rows, wanted, recalling.profile_by(by))
    desk = Desk(memory.rules, [list(memory.store.all(ask)) for ask in asks])
    recalled = recalling.today(desk.memory, np.arange(len(rows)), None, k, by=by, observed=True)
    return recalled, desk


def _candidates(
    memory: "QdrantMemory",
    rows: NDArray[np.int64],
    texts: Sequence[str],
    asks: NDArray[np.intp],
    *,
    k: int,
    profile: Profile,
    wanted: Wanted,
) -> list[list[Payload]]:
    """Memories of each agent among which the best are looked for."""
    wants = _asks(memory, rows, wanted, profile)
    if not any(getattr(profile, name) for name in TEXT_TERMS):
        return [list(memory.store.all(want)) for want in wants]
    vectors = memory.unit_vectors(texts)[asks]
    found: list[list[Payload]] = [[] for _ in wants]
    open_ = [place for place in range(len(wants)) if vectors[place].any()]
    for place in set(range(len(wants))).difference(open_):
        found[place] = list(memory.store.all(wants[place]))
    limit = max(memory.candidates, k)
    while open_:
        nearest = memory.store.nearest(
            [wants[place] for place in open_], vectors[open_], [limit] * len(open_)
        )
        for place, (payloads, _) in zip(open_, nearest, strict=True):
            found[place] = payloads
        cosines = [scores for _, scores in nearest]
        open_ = [
            place
            for place, scores in zip(open_, cosines, strict=True)
            if _dense_only(profile) and len(scores) == limit and scores[k - 1] - scores[-1] < MARGIN
        ]
        limit *= 2
    return found


def _dense_only(profile: Profile) -> bool:
    return not any(getattr(profile, name) for name in _OTHERS)


def _asks(
    memory: "QdrantMemory", rows: NDArray[np.int64], wanted: Wanted, profile: Profile
) -> list[Ask]:
    """Filters of each agent in the words of the collection."""
    given = wanted.over(profile.wanted)
    rules = memory.rules
    numbers = filters_of(rules, given, profile, len(rows), only_now=False)
    names = (("topic", given.topic), ("emotion", given.emotion), ("kind", given.kind))
    match = tuple((name, value) for name, value in names if value is not None)
    among = (
        () if given.tags is None else (("tags", rules.tags.names(rules.tags.known(given.tags))),)
    )
    if given.sign == "urgent":
        match += (("tags", "urgent"),)
    between: tuple[tuple[str, int, int], ...] = ()
    if given.sign in ("positive", "negative"):
        between += (("valence", *((1, 127) if given.sign == "positive" else (-127, -1))),)
    if numbers is not None and numbers.ticks != ALWAYS:
        between += (("time", *numbers.ticks),)
    firsts = memory.first(rows).tolist()
    without = (("tags", profile.without),) if profile.without else ()
    asks = []
    for place, row in enumerate(rows.tolist()):
        own: list[tuple[str, Any]] = list(match)
        if numbers is not None:
            pair = (("place", int(numbers.place[place])), ("actor", int(numbers.actor[place])))
            own += [(name, value) for name, value in pair if value != ANY]
        asks.append(Ask(row, firsts[place], tuple(own), among, without, between))
    return asks
