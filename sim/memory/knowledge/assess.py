"""How well an agent knows a topic.

    score = 0.35 mean confidence + 0.25 min(count / 10, 1)
          + 0.20 mean recency + 0.20 mean consolidation

over the best 50 memories about the topic. Levels: high from 0.8, medium from 0.5, low from
0.2, very low below, none without a memory.

Source:
    memtool; the least share of the topic in a memory is this project's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.knowledge.topics import BAR, HALF_LIFE, find_about
from memopolis.sim.memory.night.fading import measure_consolidation
from memopolis.sim.memory.retrieval import ages
from memopolis.sim.memory.streams.recollection import Recollections, format_memories

IntArray = NDArray[np.int64]
Float64 = NDArray[np.float64]

LEVELS = ("none", "very_low", "low", "medium", "high")  # levels of knowledge by number
EVIDENCE = 5  # memories returned as evidence

_MESSAGES = {
    "none": "I know nothing about {topic}.",
    "very_low": "I know next to nothing about {topic}.",
    "low": "I know little about {topic}.",
    "medium": "I know something about {topic}.",
    "high": "I know {topic} well.",
}

UNSURE, STALE, LOOSE = 0.5, 0.3, 0.2
"""Mean confidence, recency and consolidation below which the agent gets a suggestion
(illustrative)."""


@dataclass(frozen=True, slots=True)
class Assessing:
    """Parameters of an assessment."""

    confidence: float = 0.35  # weight of the mean confidence, >= 0
    count: float = 0.25  # weight of the number of memories, >= 0
    recency: float = 0.20  # weight of the mean recency, >= 0
    consolidation: float = 0.20  # weight of the mean consolidation, >= 0; the four sum to 1
    enough: int = 10  # number of memories at which their term is 1, >= 1
    most: int = 50  # most memories that are assessed, >= 1
    bar: float = BAR  # least share of the topic in a memory, 0..1
    half_life: float = HALF_LIFE  # hours since the last access after which recency is one half, > 0
    # Least scores of low, medium and high, ascending.
    levels: tuple[float, float, float] = (0.2, 0.5, 0.8)

    def __post_init__(self) -> None:
        weights = (self.confidence, self.count, self.recency, self.consolidation)
        if min(weights) < 0 or not math.isclose(sum(weights), 1):
            raise ParameterError(f"weights of an assessment are {weights}; they must sum to 1")
        if self.enough < 1 or self.most < 1:
            raise ParameterError(
                f"enough is {self.enough} and most {self.most}; at least 1 memory is needed"
            )
        if not 0 <= self.bar <= 1:
            raise ParameterError(f"bar is {self.bar}; allowed are 0 to 1")
        if not 0 < self.half_life < math.inf:
            raise ParameterError(f"half_life is {self.half_life} hours; more than 0 is needed")
        if tuple(sorted(self.levels)) != tuple(self.levels):
            raise ParameterError(f"levels are {self.levels}; they must be ascending")


class Assessments(NamedTuple):
    """How well agents know a topic, arrays of shape (n,) except for the evidence."""

    rows: IntArray  # rows of the agents
    score: Float64  # 0..1, 0 without a memory
    level: NDArray[np.int8]  # index into `LEVELS`
    memories: NDArray[np.int32]  # number of memories about the topic, at most 50
    confidence: Float64  # mean confidence, nan without a memory
    recency: Float64  # mean recency, nan without a memory
    consolidation: Float64  # mean consolidation, nan without a memory
    evidence: NDArray[np.int32]  # ids of the five best, padded with -1, shape (n, 5)


@dataclass(frozen=True, slots=True)
class Assessment:
    """How well one agent knows a topic."""

    topic: str  # the topic
    level: str  # one of `LEVELS`
    score: float  # 0..1, 0 without a memory
    message: str  # the level as a sentence in the first person
    suggestions: tuple[str, ...]  # what would raise the score, as sentences
    evidence: Recollections  # the best memories about the topic
    memories: int  # number of memories about the topic, at most 50
    confidence: float  # their mean confidence, nan without a memory
    recency: float  # their mean recency, nan without a memory
    consolidation: float  # their mean consolidation, nan without a memory

    def __str__(self) -> str:
        return "\n".join((self.message, *self.suggestions, str(self.evidence)))


def assess(
    memory: Memory, rows: IntArray, topic: str | Sequence[str], how: Assessing
) -> Assessments:
    """Assess how well agents know a topic; nothing changes."""
    about = find_about(memory, rows, topic, how.most, bar=how.bar)
    ids, exists = about.ids.astype(np.int64), about.ids >= 0
    codes = memory.streams.gather("confidence", memory.streams.locate(rows, ids))
    means = (
        mean(codes / 255, exists),
        mean(_recency(memory, rows, ids, how), exists),
        mean(measure_consolidation(memory, rows, ids), exists),
    )
    count = exists.sum(axis=1).astype(np.int32)
    worth = score(count, *means, how)
    evidence = np.full((len(rows), EVIDENCE), -1, np.int32)
    evidence[:, : about.ids.shape[1]] = about.ids[:, :EVIDENCE]
    return Assessments(rows, worth, level(worth, count, how), count, *means, evidence)


def assess_agent(memory: Memory, row: int, topic: str, how: Assessing) -> Assessment:
    """Assess how well one agent knows a topic, and describe it; nothing changes."""
    one = assess(memory, np.array([row]), topic, how)
    name = LEVELS[int(one.level[0])]
    return Assessment(
        topic=topic,
        level=name,
        score=float(one.score[0]),
        message=_MESSAGES[name].format(topic=topic),
        suggestions=_suggestions(topic, one, how),
        evidence=format_memories(memory, row, one.evidence[0].tolist()),
        memories=int(one.memories[0]),
        confidence=float(one.confidence[0]),
        recency=float(one.recency[0]),
        consolidation=float(one.consolidation[0]),
    )


def _suggestions(topic: str, one: Assessments, how: Assessing) -> tuple[str, ...]:
    """Return what would raise the score, the term with the greatest weight first."""
    if not one.memories[0]:
        return (f"Ask someone or look for news about {topic}.",)
    suggestions = (
        (one.confidence[0] < UNSURE, "Find a second source: much of it is uncertain."),
        (one.memories[0] < how.enough, f"Learn more about {topic}: few memories are about it."),
        (one.recency[0] < STALE, "Check whether it is still true: most of it is old."),
        (one.consolidation[0] < LOOSE, "Review it: it is hardly consolidated yet."),
    )
    return tuple(sentence for applies, sentence in suggestions if applies)


def score(
    count: ArrayLike,
    confidence: ArrayLike,
    recency: ArrayLike,
    consolidation: ArrayLike,
    how: Assessing,
) -> Float64:
    """Compute the score of knowledge, 0..1, from the number of memories and their means."""
    enough = np.minimum(np.asarray(count) / how.enough, 1.0)
    worth = how.confidence * np.asarray(confidence) + how.count * enough
    worth = worth + how.recency * np.asarray(recency)
    worth = worth + how.consolidation * np.asarray(consolidation)
    return np.where(np.asarray(count) > 0, worth, 0.0)


def level(score: ArrayLike, count: ArrayLike, how: Assessing) -> NDArray[np.int8]:
    """Return indices into `LEVELS`; a bound belongs to the level above it."""
    # Sums of tenths differ from the bounds by the last bit.
    rounded = np.round(np.asarray(score, np.float64), 9)
    place = 1 + np.searchsorted(np.asarray(how.levels), rounded, side="right")
    return np.where(np.asarray(count) > 0, place, 0).astype(np.int8)


def mean(values: NDArray[np.floating], exists: NDArray[np.bool_]) -> Float64:
    """Compute the mean of each row over existing memories, shape (n,); nan without a memory."""
    total = np.zeros(len(values))
    # One column after another: the same sum for one agent and for many.
    for j in range(values.shape[1]):
        total += np.where(exists[:, j], values[:, j], 0.0)
    count = exists.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _recency(memory: Memory, rows: IntArray, ids: IntArray, how: Assessing) -> NDArray[np.float32]:
    """Compute the recency of each memory from its last access."""
    accessed = memory.streams.gather("accessed", memory.streams.locate(rows, ids))
    half_life = ages.in_ticks(how.half_life, memory.ticks_per_day)
    table = ages.recency_table(half_life, memory.now - memory.streams.earliest)
    return ages.recency(accessed, memory.now, table)
