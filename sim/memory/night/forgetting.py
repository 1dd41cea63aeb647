"""Forget memories permanently: by id, age, topic, retention, or above the limit of an agent."""

from collections.abc import Callable
from functools import reduce

import numpy as np

from memopolis.sim.arguments import check_positive, check_range, check_type
from memopolis.sim.arrays import Bools, Int32, Int64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval import measuring
from memopolis.sim.memory.retrieval.filter import NO_TOPIC

Keys = Int64  # index into the rows of agents << 32 | id of a memory


def forget(
    memory: Memory,
    rows: Int64,
    ids: Int64 | None,
    *,
    older_than: float | None = None,
    below: float | None = None,
    topic: str | None = None,
) -> Int32:
    """Forget the memories that meet all conditions; as `BaseStream.forget`.

    Queued memories meet no other condition than their id.
    """
    memory.settle()
    keys = []
    if ids is not None:
        keys.append(_find_given(memory, rows, ids))
    if below is not None:
        keys.append(find_faded(memory, rows, below))
    if older_than is not None:
        keys.append(find_old(memory, rows, older_than))
    if topic is not None:
        check_type("topic", topic, str, "a str")
        number = memory.topic_numbers.get(topic, NO_TOPIC)
        keys.append(_find(memory, rows, lambda at: memory.streams.at("topic", at) == number))
    if not keys:
        raise ParameterError("forget needs ids, older_than=, below= or topic=")
    return forget_these(memory, rows, reduce(np.intersect1d, keys))


def forget_these(memory: Memory, rows: Int64, keys: Keys) -> Int32:
    """Forget existing, distinct memories; return their number by agent, shape (n,)."""
    places = keys >> 32
    if len(keys):
        ids = (keys & 0xFFFFFFFF).astype(np.int32)
        memory.pending.forgets.append((rows[places], ids))
        memory.settle()
    return np.bincount(places, minlength=len(rows)).astype(np.int32)


def find_queued(memory: Memory, rows: Int64) -> Keys:
    """Find the memories that the next flush forgets; `rows` are sorted."""
    keys = [np.empty(0, np.int64)]
    for owners, ids in memory.pending.forgets:
        included = np.isin(owners, rows)
        keys.append(np.searchsorted(rows, owners[included]) << 32 | ids[included].astype(np.int64))
    return np.concatenate(keys)


def find_old(memory: Memory, rows: Int64, hours: float) -> Keys:
    """Find the memories created more than some hours ago."""
    check_positive("older_than", hours, zero=True)

    def is_old(slots: Int64) -> Bools:
        age = memory.now - memory.streams.at("time", slots).astype(np.int64)
        return age * (24 / memory.ticks_per_day) > hours

    return _find(memory, rows, is_old)


def find_faded(memory: Memory, rows: Int64, below: float) -> Keys:
    """Find the memories with a retention below a share."""
    check_range("below", below)
    memory.settle()
    places, slots = measuring.find_faded(memory, rows, below)
    return places << 32 | memory.streams.at("id", slots)


def _find(memory: Memory, rows: Int64, test: Callable[[Int64], Bools]) -> Keys:
    """Return the memories that pass a test, given by slot."""
    memory.settle()
    places, ids, slots = memory.streams.listed(rows)
    passing = test(slots)
    return np.asarray(places[passing] << 32 | ids[passing])


def _find_given(memory: Memory, rows: Int64, ids: Int64) -> Keys:
    """Return the memories given by id, stored or queued."""
    places, ids = np.repeat(np.arange(len(rows)), ids.shape[1]), ids.ravel()
    exists = (ids >= memory.streams.next[rows[places]]) & (ids < memory.issued[rows[places]])
    exists |= memory.streams.holds(rows[places], ids)
    return np.unique(places[exists] << 32 | ids[exists])


def find_excess(memory: Memory, rows: Int64) -> tuple[Int64, Int64]:
    """Find the memories that agents have too many: rows and slots, shape (m,).

    They are the oldest ones, or those of the least activation, never the newest; ties go to the
    older. `rows` are distinct.
    """
    streams = memory.streams
    excess = streams.count[rows].astype(np.int64) - streams.limit
    full = rows[excess > 0]
    if not len(full):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    excess = excess[excess > 0]
    slots, starts = streams.live(full)
    owners = np.repeat(np.arange(len(full)), np.diff(starts))
    rank = np.arange(len(slots)) - starts[owners]
    if memory.retention.evict == "least":
        is_newest = rank == np.diff(starts)[owners] - 1
        order = np.lexsort((rank, measuring.measure_activation(memory, slots), is_newest, owners))
        slots = slots[order]
    evicted = rank < excess[owners]
    return full[owners[evicted]], slots[evicted]
