"""Recall of the best matches of a query that also fit the situation or the mood."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import SIGNS, Filter, encode_filter, find_passing
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recalling import (
    Queries,
    SearchOptions,
    limit_count,
    record_access,
    search,
)
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.memory.streams.tags import Tags

CANDIDATES = 3  # number of memories considered, as a multiple of k


def recall(
    memory: Memory,
    rows: NDArray[np.int64],
    query: Queries,
    *,
    tags: Tags = None,
    emotion: str | None = None,
    k: int = 10,
    profile: str | Profile = "recall",
    observed: bool = False,
) -> Recalled:
    """Recall the best matches of a query that fit a context; as `BaseStream.contextual`.

    The best 3 * k memories are taken first; those without the tags or mood are dropped.

    Source:
        memtool. The mood is the sign of the valence, or the tag "urgent".
    """
    memory.settle()
    span = memory.streams.longest(rows)
    width = limit_count(k, span)
    if emotion is not None and emotion not in SIGNS:
        raise ParameterError(f"emotion is {emotion!r}; allowed are {', '.join(map(repr, SIGNS))}")
    options = SearchOptions(max(width, min(CANDIDATES * width, span)), profile)
    candidates = search(memory, rows, query, options, observed=observed, recorded=False)
    ids, fits = candidates.ids, candidates.ids >= 0
    owners = np.nonzero(fits)[0]
    slots = memory.streams.slots(rows[owners], ids[fits])
    where = encode_filter(memory, Filter(tags=tags or None, sign=emotion), len(rows))
    fits[fits] = find_passing(memory.streams, where, slots, owners)
    match = _match(memory, rows, ids, tags)
    recalled = replace(candidates, terms={"match": match}).keep(fits, width)
    if not observed:
        record_access(memory, rows, recalled.ids)
    return recalled


def _match(
    memory: Memory, rows: NDArray[np.int64], ids: NDArray[np.int32], tags: Tags
) -> NDArray[np.float32]:
    """Return the share of the given tags that each memory has, 1 without tags."""
    if isinstance(tags, int | np.integer):
        bits = memory.tags.bits(tags)
        count = bits.bit_count()
    else:
        names = [tags] if isinstance(tags, str) else list(tags or ())
        bits, count = memory.tags.known(names), len(set(names))
    if not count:
        return np.ones(ids.shape, np.float32)
    values = memory.streams.gather("tags", memory.streams.locate(rows, ids))
    overlap = np.bitwise_count(values & np.uint16(bits)).astype(np.float32)
    return np.asarray(overlap / np.float32(count), np.float32)
