"""Consolidation and retention of the memories of a population at the current tick."""

from typing import NamedTuple

import numpy as np

from memopolis.sim.arrays import Float32, Int32, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.consolidation import (
    Tables,
    build_tables,
    compute_consolidation,
    compute_retention,
)
from memopolis.sim.memory.streams.stream import Streams


def update_ticks(streams: Streams) -> Int32:
    """Return the tick of the last update by slot, -1 for none; empty if no memory was updated."""
    if not streams.has_column("updated"):
        return np.empty(0, np.int32)
    return streams.memory_column("updated", np.int32, fill=-1)


def last_update_ticks(streams: Streams, slots: Int64) -> Int32:
    """Return the ticks at which memories were created or last updated, by slot, shape (m,)."""
    created, updated = streams.at("time", slots), update_ticks(streams)
    return np.maximum(created, updated[slots]) if len(updated) else created


class Fading(NamedTuple):
    """Consolidation and retention of some memories, float32, shape (m,)."""

    consolidation: Float32
    retention: Float32


def current_tables(memory: Memory) -> Tables:
    """Return the tables of a memory; they are rebuilt only when the age of the run doubles."""
    # Memories from before the start are older than the run is long.
    oldest = memory.now - memory.streams.earliest
    ticks = 1 << max(oldest, 32).bit_length()
    return build_tables(memory.consolidation, tuple(memory.topics), memory.ticks_per_day, ticks)


def measure_fading(memory: Memory, slots: Int64) -> Fading:
    """Compute consolidation and retention of stored memories by slot, shape (m,)."""
    streams, now, tables = memory.streams, np.int32(memory.now), current_tables(memory)
    created, updated = streams.at("time", slots), last_update_ticks(streams, slots)
    topic, accesses = streams.at("topic", slots), streams.at("accesses", slots)
    consolidation = compute_consolidation(accesses, now - created, now - updated, topic, tables)
    idle = now - np.maximum(updated, streams.at("accessed", slots))
    return Fading(consolidation, compute_retention(consolidation, idle, topic, tables))


def measure_consolidation(memory: Memory, rows: Int64, ids: Int64) -> Float32:
    """Compute the consolidation of memories by id, nan for a missing one, shape (n, k)."""
    memory.settle()
    owners = np.broadcast_to(rows[:, None], ids.shape)
    exists = memory.streams.holds(owners, ids)
    consolidation = np.full(ids.shape, np.nan, np.float32)
    slots = memory.streams.slots(owners[exists], ids[exists])
    consolidation[exists] = measure_fading(memory, slots).consolidation
    return consolidation
