"""Eviction: which memories an agent with more than its limit loses."""

import numpy as np

from memopolis.sim.arrays import Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.measuring import measure_activation


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
        order = np.lexsort((rank, measure_activation(memory, slots), is_newest, owners))
        slots = slots[order]
    evicted = rank < excess[owners]
    return full[owners[evicted]], slots[evicted]
