"""Consolidation, activation and retention of stored memories at the current tick."""

import numpy as np

from memopolis.sim.arrays import Float32, Floats, Int32, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retention.activation import (
    base_level,
    compute_retention,
    compute_strength,
    load_strength,
    shortest_lives,
)
from memopolis.sim.memory.retention.consolidation import (
    Tables,
    build_tables,
    compute_consolidation,
)
from memopolis.sim.memory.streams.encoding import IMPORTANCE
from memopolis.sim.memory.streams.stream import Streams


def update_ticks(streams: Streams) -> Int32:
    """Return the tick of the last update by slot, -1 for none; empty if no memory was updated."""
    if not streams.has_column("updated"):
        return np.empty(0, np.int32)
    return streams.memory_column("updated", np.int32, fill=-1)


def last_update_ticks(streams: Streams, slots: Int64) -> Int32:
    """Return the ticks at which memories were created or last updated, by slot, shape (m,)."""
    created, updates = streams.at("time", slots), update_ticks(streams)
    return np.maximum(created, updates[slots]) if len(updates) else created


def current_tables(memory: Memory) -> Tables:
    """Return the tables of a memory; they are rebuilt only when the age of the run doubles."""
    # Memories from before the start are older than the run is long.
    oldest = memory.now - memory.streams.earliest
    ticks = 1 << max(oldest, 32).bit_length()
    return build_tables(memory.consolidation, tuple(memory.topics), memory.ticks_per_day, ticks)


def measure_consolidation(memory: Memory, slots: Int64) -> Float32:
    """Compute the consolidation of stored memories by slot, 0..1, shape (m,)."""
    streams, now, tables = memory.streams, np.int32(memory.now), current_tables(memory)
    created, updated = streams.at("time", slots), last_update_ticks(streams, slots)
    topic, accesses = streams.at("topic", slots), streams.at("accesses", slots)
    return compute_consolidation(accesses, now - created, now - updated, topic, tables)


def consolidation_of(memory: Memory, rows: Int64, ids: Int64) -> Float32:
    """Compute the consolidation of memories by id, nan for a missing one, shape (n, k)."""
    memory.settle()
    slots = memory.streams.locate(rows, ids)
    consolidation = np.full(ids.shape, np.nan, np.float32)
    consolidation[slots >= 0] = measure_consolidation(memory, slots[slots >= 0])
    return consolidation


def measure_base_level(memory: Memory, slots: Int64) -> Floats:
    """Compute the base-level activation of stored memories by slot, float64, shape (m,).

    Ages count in ticks of at least one; a tick longer than a day counts as a day.
    """
    streams = memory.streams
    times, since = streams.occasions(slots)
    uses = times.astype(np.int64) + streams.at("accesses", slots)
    last = _hours_since(memory, _last_uses(streams, slots))
    first = np.maximum(_hours_since(memory, since), last)
    return base_level(first, last, uses, memory.retention.decay)


def measure_activation(memory: Memory, slots: Int64) -> Floats:
    """Compute the activation of stored memories by slot, float64, shape (m,)."""
    streams, parameters = memory.streams, memory.retention
    strength = compute_strength(
        streams.at("tags", slots), streams.at("valence", slots), load_strength(memory.tags)
    )
    importance = streams.at("importance", slots) / IMPORTANCE
    weighted = parameters.importance * importance + parameters.emotion * strength
    return np.asarray(measure_base_level(memory, slots) + weighted)


def measure_retention(memory: Memory, slots: Int64) -> Float32:
    """Compute the retention of stored memories by slot, 0..1, shape (m,)."""
    return compute_retention(measure_activation(memory, slots), memory.retention)


def find_faded(memory: Memory, rows: Int64, below: float) -> tuple[Int64, Int64]:
    """Find the memories with a retention below a share: index into `rows` and slot, shape (m,)."""
    from memopolis.sim.memory.streams.stream_kernels import find_idle

    streams, parameters = memory.streams, memory.retention
    # Most memories are too young or too important to have faded, however they were used.
    lives = shortest_lives(parameters, below) / np.float32(_hours_of_tick(memory))
    owners, slots = find_idle(streams.view, streams.count, rows, lives, np.int32(memory.now))
    is_faded = measure_activation(memory, slots) < parameters.activation_of(below)
    return owners[is_faded], slots[is_faded]


def _last_uses(streams: Streams, slots: Int64) -> Int32:
    """Return the ticks at which memories were last stored, updated or recalled, shape (m,)."""
    return np.maximum(streams.at("accessed", slots), last_update_ticks(streams, slots))


def _hours_since(memory: Memory, ticks: Int32) -> Floats:
    """Return the hours since some ticks, at least one tick."""
    return np.asarray(np.maximum(memory.now - ticks.astype(np.int64), 1) * _hours_of_tick(memory))


def _hours_of_tick(memory: Memory) -> float:
    return 24 / max(memory.ticks_per_day, 1.0)
