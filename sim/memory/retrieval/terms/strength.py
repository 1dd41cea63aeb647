"""Terms of the strength of a memory: recency, importance, consolidation and activation.

Recency counts from the last access or the creation, with a fixed half-life or an adaptive one.
Activation is the base-level activation of ACT-R: it falls as a power of age and rises with use.
"""

from dataclasses import dataclass
from typing import Self, override

import numpy as np

from memopolis.sim.arrays import Float32, Int32
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retention.ages import HALF_LIVES, apply_floor, in_ticks, recency
from memopolis.sim.memory.retention.consolidation import Tables, compute_consolidation
from memopolis.sim.memory.retrieval.measuring import (
    current_tables,
    last_update_ticks,
    measure_base_level,
)
from memopolis.sim.memory.retrieval.terms.term import IMPORTANCE, RECENCY, Memories, Search, Term
from memopolis.sim.memory.streams.encoding import IMPORTANCE as MOST

# Importance of code 1; that of a code is their product in float32.
STEP = np.float32(1 / MOST)


class Importance(Term):
    """Importance of memories, 0..1."""

    code = IMPORTANCE

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        return np.asarray(memories.column("importance").astype(np.float32) * STEP, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Consolidation(Term):
    """Consolidation of memories, in [0, 1]."""

    tables: Tables

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        return cls(current_tables(search.memory))

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        now, created = np.int32(memories.request.now), memories.column("time")
        updated = last_update_ticks(memories.streams, memories.slots)
        accesses, topic = memories.column("accesses"), memories.column("topic")
        return compute_consolidation(accesses, now - created, now - updated, topic, self.tables)


@dataclass(frozen=True, slots=True, eq=False)
class Activation(Term):
    """Base-level activation of memories, about -7 for one of 100 years ago to 6 for much used ones.

    Only its differences between the memories of an agent matter in a sum.
    """

    memory: Memory  # activation depends on its clock and parameters

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        return cls(search.memory)

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        return np.asarray(measure_base_level(self.memory, memories.slots), np.float32)


STEPS = 256  # steps of the table of adaptive recency per half-life
LAST_STEP = np.float32(HALF_LIVES * STEPS)
_1 = np.float32(1)


class Recency(Term):
    """Recency of memories, in [0, 1]."""

    code = RECENCY

    @override
    @classmethod
    def prepare(cls, search: Search) -> Term:
        return AdaptiveRecency.prepare(search) if search.request.profile.adaptive else cls()

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        request = memories.request
        return recency(memories.column(request.since), request.now, request.recency)


@dataclass(frozen=True, slots=True, eq=False)
class AdaptiveRecency(Term):
    """Recency with a half-life that grows with consolidation, in [0, 1]."""

    pace: np.float32  # steps of the table per tick
    table: Float32  # recency, as from `fading_table`
    consolidation: Consolidation

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        profile = search.request.profile
        ticks = in_ticks(profile.half_life, search.memory.ticks_per_day)
        table = fading_table(floor=profile.floor, power=profile.recency_power)
        return cls(pace(ticks), table, Consolidation.prepare(search))

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        age = np.int32(memories.request.now) - memories.column(memories.request.since)
        consolidated = self.consolidation.by_numpy(memories)
        boost = self.consolidation.tables.boost
        return adaptive_recency(age, consolidated, self.pace, boost, self.table)


def fading_table(*, floor: float = 0.0, power: float = 1.0) -> Float32:
    """Compute max(floor, 2 ** (-step / 256)) ** power, recency by elapsed half-lives."""
    steps = np.exp2(-np.arange(HALF_LIVES * STEPS + 2) / STEPS).astype(np.float32)
    return apply_floor(steps, floor=floor, power=power)


def pace(half_life: float) -> np.float32:
    """Return the steps of `fading_table` per tick, for a half-life in ticks."""
    return np.float32(STEPS / half_life)


def adaptive_recency(
    age: Int32, consolidated: Float32, pace: np.float32, boost: np.float32, table: Float32
) -> Float32:
    """Compute recency with a half-life that grows with consolidation, 0..1, shape (m,).

    `age` is in ticks, `boost` the relative growth of the half-life at full consolidation. Returns
    2 ** (-age / (half-life * (1 + boost * consolidated))), interpolated between steps of the table.

    Source:
        memtool: adaptive half-life = base * (1 + 2 * consolidation).
    """
    steps = np.maximum(age, 0).astype(np.float32) * pace / (_1 + boost * consolidated)
    steps = np.minimum(steps, LAST_STEP)
    low = steps.astype(np.int32)
    part = steps - low.astype(np.float32)
    return np.asarray(table[low] + (table[low + 1] - table[low]) * part, np.float32)


TERMS = {
    "recency": Recency,
    "importance": Importance,
    "consolidation": Consolidation,
    "activation": Activation,
}
