"""How well an agent knows a topic.

    score = 0.35 mean confidence + 0.25 min(count / 10, 1)
          + 0.20 mean recency + 0.20 mean consolidation

over the best 50 memories that are about the topic: high from 0.8, medium from 0.5, low from
0.2, very low below, none without a memory.

Source:
    memtool. That a memory must hold a share of the topic to count is this project's: there
    the best 50 count whatever they are about, so that everything is known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.knowledge.relevant import BAR, HALF_LIFE, best
from memopolis.sim.memory.night.consolidation import consolidation_of
from memopolis.sim.memory.retrieval import scoring

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]
Float64 = NDArray[np.float64]

LEVELS = ("none", "very_low", "low", "medium", "high")
"""Levels of knowledge by number."""

EVIDENCE = 5
"""Memories given as evidence."""


@dataclass(frozen=True, slots=True)
class Assessing:
    """How knowledge is assessed.

    Attributes:
        confidence: Weight of the mean confidence, >= 0.
        count: Weight of the number of memories, >= 0.
        recency: Weight of the mean recency, >= 0.
        consolidation: Weight of the mean consolidation, >= 0; the four sum to 1.
        enough: Memories from which their number counts in full, >= 1.
        most: Most memories that are looked at, >= 1.
        bar: Share of the topic that a memory must hold, 0..1.
        half_life: Hours since the last access after which recency is one half, > 0.
        levels: Least scores of low, medium and high, rising.
        missing_confidence: Confidence of a memory of which none is known.
        missing_recency: Recency of a memory whose time is not known.

    Raises:
        ParameterError: If a number is out of range.
    """

    confidence: float = 0.35
    count: float = 0.25
    recency: float = 0.20
    consolidation: float = 0.20
    enough: int = 10
    most: int = 50
    bar: float = BAR
    half_life: float = HALF_LIFE
    levels: tuple[float, float, float] = (0.2, 0.5, 0.8)
    missing_confidence: float = 0.6
    missing_recency: float = 0.5

    def __post_init__(self) -> None:
        weights = (self.confidence, self.count, self.recency, self.consolidation)
        if min(weights) < 0 or not math.isclose(sum(weights), 1):
            raise ParameterError(f"weights of an assessment are {weights}; they sum to 1")
        if self.enough < 1 or self.most < 1:
            raise ParameterError(
                f"enough is {self.enough} and most {self.most}; at least 1 memory is needed"
            )
        if not 0 <= self.bar <= 1:
            raise ParameterError(f"bar is {self.bar}; it lies between 0 and 1")
        if not 0 < self.half_life < math.inf:
            raise ParameterError(f"half_life is {self.half_life} hours; more than 0 is needed")
        if tuple(sorted(self.levels)) != tuple(self.levels):
            raise ParameterError(f"levels are {self.levels}; they rise")


class Assessments(NamedTuple):
    """How well agents know a topic, arrays of shape (n,) but for the evidence.

    Attributes:
        rows: Rows of the agents, int64.
        score: 0..1, 0 without a memory, float64.
        level: Place in `LEVELS`, int8.
        memories: How many are about the topic, at most 50, int32.
        confidence: Mean confidence, nan without a memory, float64.
        recency: Mean recency, likewise.
        consolidation: Mean consolidation, likewise.
        evidence: Ids of the five best, -1 where there are fewer, int32, shape (n, 5).
    """

    rows: IntArray
    score: Float64
    level: NDArray[np.int8]
    memories: NDArray[np.int32]
    confidence: Float64
    recency: Float64
    consolidation: Float64
    evidence: NDArray[np.int32]


def assess(
    memory: "Memory",
    rows: IntArray,
    topic: str | Sequence[str],
    how: Assessing | None = None,
) -> Assessments:
    """Tell how well agents know a topic, without touching their memories.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        topic: One topic in words, or one an agent.
        how: Weights and bounds.
    """
    how = how or Assessing()
    found = best(memory, rows, topic, how.most, bar=how.bar)
    ids, there = found.ids.astype(np.int64), found.ids >= 0
    codes, _ = memory.streams.found("confidence", rows, ids)
    confidence = mean(codes / 255, there, how.missing_confidence)
    recency = mean(_recency(memory, rows, ids, how), there, how.missing_recency)
    firm = mean(consolidation_of(memory, rows, ids), there, 0.0)
    count = there.sum(axis=1).astype(np.int32)
    worth = score(count, confidence, recency, firm, how)
    evidence = np.full((len(rows), EVIDENCE), -1, np.int32)
    evidence[:, : found.ids.shape[1]] = found.ids[:, :EVIDENCE]
    return Assessments(
        rows, worth, level(worth, count, how), count, confidence, recency, firm, evidence
    )


def score(
    count: ArrayLike, confidence: ArrayLike, recency: ArrayLike, firm: ArrayLike, how: Assessing
) -> Float64:
    """Score knowledge, shape of the arguments.

    Args:
        count: How many memories are about the topic.
        confidence: Their mean confidence, 0..1.
        recency: Their mean recency, 0..1.
        firm: Their mean consolidation, 0..1.
        how: Weights.

    Returns:
        In [0, 1]; 0 without a memory.
    """
    enough = np.minimum(np.asarray(count) / how.enough, 1.0)
    known = how.confidence * np.asarray(confidence) + how.count * enough
    worth = known + how.recency * np.asarray(recency) + how.consolidation * np.asarray(firm)
    return np.where(np.asarray(count) > 0, worth, 0.0)


def level(score: ArrayLike, count: ArrayLike, how: Assessing) -> NDArray[np.int8]:
    """Places in `LEVELS`; a bound belongs to the level above it."""
    # Sums of tenths miss the bounds by a last bit.
    whole = np.round(np.asarray(score, np.float64), 9)
    place = 1 + np.searchsorted(np.asarray(how.levels), whole, side="right")
    return np.where(np.asarray(count) > 0, place, 0).astype(np.int8)


def mean(values: NDArray[np.floating], there: NDArray[np.bool_], missing: float) -> Float64:
    """Mean of each row over the values that are there.

    Args:
        values: nan where a value is not known, shape (n, k).
        there: Whether there is a memory, shape (n, k).
        missing: What stands for a value that is not known.

    Returns:
        Shape (n,); nan where there is no memory.
    """
    known = np.where(np.isnan(values), missing, values)
    total = np.zeros(len(values))
    # One after another: the same sum for one agent and for many.
    for j in range(values.shape[1]):
        total += np.where(there[:, j], known[:, j], 0.0)
    count = there.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _recency(
    memory: "Memory", rows: IntArray, ids: IntArray, how: Assessing
) -> NDArray[np.float32]:
    """Recency of each memory by its last access."""
    accessed, _ = memory.streams.found("accessed", rows, ids)
    half_life = scoring.in_ticks(how.half_life, memory.ticks_per_day)
    table = scoring.recency_table(half_life, memory.now - memory.streams.earliest)
    return scoring.recency(accessed, memory.now, table)
