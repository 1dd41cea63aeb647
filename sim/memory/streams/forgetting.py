"""Forget memories permanently, by id, age, topic or retention.

The retention of a memory decays with its adaptive half-life since it was created, recalled or
updated last, so memories that are often recalled last longer (see `consolidation.py`).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.fading import current_tables, measure_fading, update_ticks
from memopolis.sim.memory.retrieval.filter import NO_TOPIC

IntArray = NDArray[np.int64]


def forget(
    memory: Memory,
    rows: IntArray,
    ids: IntArray | None,
    *,
    older_than: float | None = None,
    below: float | None = None,
    topic: str | None = None,
) -> NDArray[np.int32]:
    """Forget memories; arguments and errors as in `CohortStream.forget`."""
    if ids is None and older_than is None and below is None and topic is None:
        raise ParameterError("forget needs ids, older_than=, below= or topic=")
    memory.settle()
    if ids is None and below is not None:
        places, numbers = faded(memory, rows, below)
    elif ids is None and older_than is not None:
        places, numbers = old(memory, rows, older_than)
    else:
        places, numbers = _named(memory, rows, ids)
    if older_than is not None or below is not None or topic is not None:
        chosen = _chosen(
            memory, rows[places], numbers, older_than=older_than, below=below, topic=topic
        )
        places, numbers = places[chosen], numbers[chosen]
    return forget_these(memory, rows, places, numbers)


def forget_these(
    memory: Memory, rows: IntArray, places: IntArray, ids: IntArray
) -> NDArray[np.int32]:
    """Forget existing, distinct memories by index into `rows` and id; return counts by agent."""
    if len(places):
        memory.pending.forgets.append((rows[places], ids.astype(np.int32)))
        memory.settle()
    return np.bincount(places, minlength=len(rows)).astype(np.int32)


def find_queued(memory: Memory, rows: IntArray) -> IntArray:
    """Find the memories that the next flush forgets: index into `rows` (sorted) << 32 | id."""
    keys = [np.empty(0, np.int64)]
    for owners, ids in memory.pending.forgets:
        included = np.isin(owners, rows)
        keys.append(np.searchsorted(rows, owners[included]) << 32 | ids[included].astype(np.int64))
    return np.concatenate(keys)


def old(memory: Memory, rows: IntArray, hours: float) -> tuple[IntArray, IntArray]:
    """Find the memories created more than some hours ago: index into `rows` and id, shape (m,)."""
    from memopolis.sim.memory.streams.stream_kernels import mark_old

    return _find(memory, rows, mark_old, memory.now, 24 / memory.ticks_per_day, _hours(hours))


def faded(memory: Memory, rows: IntArray, below: float) -> tuple[IntArray, IntArray]:
    """Find the memories with a retention below a share: index into `rows` and id, shape (m,)."""
    from memopolis.sim.memory.streams.stream_kernels import mark_faded

    least = _share(below)
    memory.settle()  # before the side column of updates is read, which may move
    updates = update_ticks(memory.streams)
    return _find(memory, rows, mark_faded, updates, memory.now, current_tables(memory), least)


def _find(
    memory: Memory, rows: IntArray, mark: Callable[..., None], *arguments: Any
) -> tuple[IntArray, IntArray]:
    """Return index into `rows` and id of each memory that a compiled loop marks."""
    memory.settle()
    streams = memory.streams
    spans = streams.spans(rows).astype(np.int64)
    starts, marks = np.cumsum(spans) - spans, np.zeros(int(spans.sum()), np.bool_)
    mark(streams.view, streams.next, streams.limit, rows, *arguments, starts, marks)
    at = np.flatnonzero(marks)
    # Agents without memories begin where the next agent begins; the last of these owns it.
    places = np.searchsorted(starts, at, side="right") - 1
    ids = at - starts[places] + streams.first(rows)[places]
    return places.astype(np.int64), ids.astype(np.int64)


def _hours(older_than: float) -> float:
    if not (math.isfinite(older_than) and older_than >= 0):
        raise ParameterError(f"older_than is {older_than} hours; it must be finite and >= 0")
    return float(older_than)


def _share(below: float) -> np.float32:
    if not 0 <= below <= 1:
        raise ParameterError(f"below is {below}; it must be between 0 and 1")
    return np.float32(below)


def _named(memory: Memory, rows: IntArray, ids: IntArray | None) -> tuple[IntArray, IntArray]:
    """Return index into `rows` and id of each memory given, deduplicated."""
    streams = memory.streams
    if ids is None:
        places, numbers = streams.listed(rows)
    else:
        places = np.repeat(np.arange(len(rows)), ids.shape[1])
        numbers = ids.ravel()
        exists = (numbers >= 0) & (numbers < memory.issued[rows[places]])
        both = np.unique(places[exists] << 32 | numbers[exists])
        places, numbers = both >> 32, both & 0xFFFFFFFF
    # Queued memories are forgotten as soon as they are stored.
    held = streams.holds(rows[places], numbers) | (numbers >= streams.next[rows[places]])
    return places[held], numbers[held]


def _chosen(
    memory: Memory,
    rows: IntArray,
    ids: IntArray,
    *,
    older_than: float | None = None,
    below: float | None = None,
    topic: str | None = None,
) -> NDArray[np.bool_]:
    """Return whether each memory meets the conditions; queued memories do not."""
    streams = memory.streams
    chosen = np.asarray(ids < streams.next[rows])
    slots = streams.slots(rows[chosen], ids[chosen])
    passes = np.ones(len(slots), np.bool_)
    if older_than is not None:
        age = (memory.now - streams.at("time", slots)) * (24 / memory.ticks_per_day)
        passes &= age > _hours(older_than)
    if below is not None:
        passes &= measure_fading(memory, slots).retention < _share(below)
    if topic is not None:
        passes &= streams.at("topic", slots) == memory.topic_numbers.get(topic, NO_TOPIC)
    chosen[chosen] = passes
    return chosen
