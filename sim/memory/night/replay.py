"""Replay: memories that are due for review, and their rehearsal.

    interval = min(2 ** accesses, 90) days
    priority = (0.4 confidence + 0.3 consolidation) + 0.3 emotional strength
    due      = the interval has passed since the last access (or update, if never accessed)
    order    = priority * (1 + days overdue), descending

Only memories of a minimum priority are reviewed: the median of the agent's stream, or a
number. Finding due memories changes nothing. Rehearsing a memory records an access, which
consolidates it and doubles its interval.

Source:
    memtool (spaced repetition). Its minimum priority of 0.5 is rarely reached by a memory of
    confidence 0.6; the median is this project's.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.fading import current_tables, update_ticks
from memopolis.sim.memory.night.strength import By, load_strength
from memopolis.sim.memory.retrieval.recalling import limit_count, record_access

IntArray = NDArray[np.int64]
Float32 = NDArray[np.float32]

LONGEST = 90.0  # longest interval in days


@dataclass(frozen=True, slots=True)
class Review:
    """How memories are chosen for review.

    Attributes:
        confidence: Weight of the confidence in the priority, >= 0.
        consolidation: Weight of the consolidation, >= 0.
        strength: Weight of the emotional strength, >= 0; the three sum to 1.
        least: Minimum priority of a reviewed memory, 0..1; None for the median of the agent's
            stream. The published value is 0.5.
        by: Definition of emotional strength: "arousal" or "published".

    Raises:
        ParameterError: If a number is out of range.
    """

    confidence: float = 0.4
    consolidation: float = 0.3
    strength: float = 0.3
    least: float | None = None
    by: By = "arousal"

    def __post_init__(self) -> None:
        weights = (self.confidence, self.consolidation, self.strength)
        if min(weights) < 0 or not math.isclose(sum(weights), 1):
            raise ParameterError(
                f"confidence, consolidation and strength are {weights}; they sum to 1"
            )
        if self.least is not None and not 0 <= self.least <= 1:
            raise ParameterError(f"least is {self.least}; allowed are 0 to 1")


class ReviewTables(NamedTuple):
    """Tables of a review, as one argument of a compiled function."""

    confidence: Float32  # weight times confidence by code, shape (256,)
    consolidation: np.float32  # weight of the consolidation
    strength: np.float32  # weight of the emotional strength
    least: np.float32  # minimum priority, negative for the median
    interval: Float32  # interval in days by accesses, shape (256,)
    days: np.float32  # days per tick, at most 1


class Due(NamedTuple):
    """Memories that are due, for many agents, the most overdue first."""

    rows: IntArray  # rows of the agents, shape (n,)
    ids: NDArray[np.int32]  # ids of their memories, padded with -1, shape (n, k)
    priority: Float32  # their priorities, padded with 0, shape (n, k)
    overdue: Float32  # days since they were due, padded with 0, shape (n, k)


def compute_interval(accesses: NDArray[np.integer]) -> Float32:
    """Compute the days until a memory is due again, shape of `accesses`."""
    # 2 ** 7 exceeds the longest interval; more would overflow.
    days = np.exp2(np.minimum(accesses, 7).astype(np.float32))
    return np.asarray(np.minimum(days, np.float32(LONGEST)), np.float32)


def build_review(review: Review, ticks_per_day: float) -> ReviewTables:
    """Build the tables of a review."""
    return ReviewTables(
        confidence=(review.confidence * np.arange(256) / 255).astype(np.float32),
        consolidation=np.float32(review.consolidation),
        strength=np.float32(review.strength),
        least=np.float32(-1 if review.least is None else review.least),
        interval=compute_interval(np.arange(256)),
        # A tick longer than a day counts as one day: every time scale is multiplied by it.
        days=np.float32(min(1 / ticks_per_day, 1)),
    )


def due(memory: Memory, rows: IntArray, k: int, review: Review | None = None) -> Due:
    """Find each agent's memories that are due for review, at most k; ties go to the newer."""
    from memopolis.sim.memory.night import replay_kernels

    memory.settle()
    review = review or Review()
    streams = memory.streams
    most = limit_count(k, streams.longest(rows))
    ids = np.full((len(rows), most), -1, np.int32)
    worth, late = np.zeros((2, len(rows), most), np.float32)
    replay_kernels.due(
        streams.view, update_ticks(streams), streams.next, streams.limit, rows, memory.now,
        current_tables(memory), build_review(review, memory.ticks_per_day),
        load_strength(memory.tags, review.by), ids, worth, late,
    )  # fmt: skip
    return Due(rows, ids, worth, late)


def replay(
    memory: Memory, rows: IntArray, k: int, review: Review | None = None
) -> NDArray[np.int32]:
    """Rehearse due memories, as found by `due`: record an access of each; return their ids."""
    ids = due(memory, rows, k, review).ids
    record_access(memory, rows, ids)
    return ids
