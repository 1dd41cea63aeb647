"""Recency: time since the last access or the creation, with a fixed or an adaptive half-life."""

from typing import Any, NamedTuple, override

import numpy as np

from memopolis.sim.arrays import Float32, Int32
from memopolis.sim.memory.retention.ages import HALF_LIVES, apply_floor, in_ticks, recency
from memopolis.sim.memory.retention.consolidation import Tables
from memopolis.sim.memory.retrieval.measuring import current_tables, update_ticks
from memopolis.sim.memory.retrieval.terms import consolidation
from memopolis.sim.memory.retrieval.terms.term import RECENCY, ROW, Memories, Search, Term

STEPS = 256  # steps of the table of adaptive recency per half-life
LAST_STEP = np.float32(HALF_LIVES * STEPS)
_1 = np.float32(1)


class Adaptive(NamedTuple):
    """What adaptive recency reads: steps per tick, the table of recency, and consolidation's."""

    pace: np.float32
    table: Float32
    consolidation: tuple[Tables, Int32]


class Recency(Term):
    """Recency of memories, in [0, 1]."""

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        profile, memory = search.request.profile, search.memory
        if not profile.adaptive:
            return ()
        ticks = in_ticks(profile.half_life, memory.ticks_per_day)
        table = fading_table(floor=profile.floor, power=profile.recency_power)
        return Adaptive(pace(ticks), table, (current_tables(memory), update_ticks(memory.streams)))

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        request, since = memories.request, memories.column(memories.request.since)
        if not prepared:
            return recency(since, request.now, request.recency)
        pace, table, consolidates = prepared
        consolidated = consolidation.TERMS["consolidation"].by_numpy(memories, consolidates)
        age = np.int32(request.now) - since
        return adaptive_recency(age, consolidated, pace, consolidates[0].boost, table)

    @override
    def code(self, prepared: tuple[Any, ...]) -> int:
        return ROW if prepared else RECENCY


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


TERMS = {"recency": Recency()}
