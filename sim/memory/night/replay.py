"""Replay: which memories are due for review, and what rehearsing them does.

    interval = 1 day at no access, else min(2 ** accesses, 90) days
    priority = (0.4 confidence + 0.3 consolidation) + 0.3 emotional strength
    due      = the interval has passed since the last access (without one, the last update)
    order    = priority * (1 + days overdue), best first

Only memories whose priority reaches a bar are reviewed: the median of the agent's stream,
or a number. Finding what is due changes nothing; replaying it books an access of each,
which consolidates it and doubles the time until it is due again.

Source:
    memtool (spaced repetition). It demands a priority of 0.5, which a memory of confidence
    0.6 hardly ever reaches; the median is this project's.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.night.consolidation import Tables, tables_of, updates
from memopolis.sim.memory.retrieval.profiles import check_count
from memopolis.sim.memory.retrieval.recalling import book
from memopolis.sim.memory.text.strength import By, Strength, strength_of

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

IntArray = NDArray[np.int64]
Float32 = NDArray[np.float32]

LONGEST = 90.0
"""Longest interval in days."""


@dataclass(frozen=True, slots=True)
class Review:
    """How memories are chosen for review.

    Attributes:
        confidence: Weight of the confidence in the priority, >= 0.
        consolidation: Weight of the consolidation, >= 0.
        strength: Weight of the emotional strength, >= 0; the three sum to 1.
        least: Priority from which a memory is reviewed, 0..1; None for the median of the
            agent's stream. Published is 0.5.
        by: What emotional strength is: "arousal", or "published".

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
            raise ParameterError(f"least is {self.least}; it lies between 0 and 1")


class Plan(NamedTuple):
    """A review in tables, as one argument of a compiled function.

    Attributes:
        confidence: Weight times confidence by code, float32, shape (256,).
        consolidation: Weight of the consolidation, float32.
        strength: Weight of the emotional strength, float32.
        least: Priority from which a memory is reviewed, negative for the median, float32.
        interval: Interval in days by accesses, float32, shape (256,).
        days: Days in a tick; 1 where a tick is longer than a day, float32.
    """

    confidence: Float32
    consolidation: np.float32
    strength: np.float32
    least: np.float32
    interval: Float32
    days: np.float32


class Due(NamedTuple):
    """Memories that are due, for many agents, most pressing first.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        ids: Ids of their memories, -1 where fewer are due, int32, shape (n, k).
        priority: Their priorities, 0 where fewer are due, float32, shape (n, k).
        overdue: Days since they were due, likewise.
    """

    rows: IntArray
    ids: NDArray[np.int32]
    priority: Float32
    overdue: Float32


def interval(accesses: NDArray[np.integer]) -> Float32:
    """Days until a memory is due again after so many accesses, shape of `accesses`."""
    # 2 ** 7 is past the longest already; more would only overflow.
    days = np.exp2(np.minimum(accesses, 7).astype(np.float32))
    return np.asarray(np.minimum(days, np.float32(LONGEST)), np.float32)


def plan_of(memory: "Memory", review: Review) -> Plan:
    """Lay a review out in tables."""
    return Plan(
        confidence=(review.confidence * np.arange(256) / 255).astype(np.float32),
        consolidation=np.float32(review.consolidation),
        strength=np.float32(review.strength),
        least=np.float32(-1 if review.least is None else review.least),
        interval=interval(np.arange(256)),
        # Where a tick is longer than a day, every time scale is multiplied by it.
        days=np.float32(min(1 / memory.ticks_per_day, 1)),
    )


def priority(
    confidence: NDArray[np.uint8], consolidation: Float32, strength: Float32, plan: Plan
) -> Float32:
    """Weigh memories by what they are worth rehearsing for, in [0, 1], shape (m,)."""
    known = plan.confidence[confidence] + plan.consolidation * consolidation
    return np.asarray(known + plan.strength * strength, np.float32)


def overdue(accesses: NDArray[np.uint8], since: NDArray[np.int32], plan: Plan) -> Float32:
    """Days by which memories are overdue, negative for those not yet due, shape (m,).

    Args:
        accesses: How often each was recalled.
        since: Ticks since the last access, or without one since the last update.
        plan: The review.
    """
    return since.astype(np.float32) * plan.days - plan.interval[accesses]


def due(memory: "Memory", rows: IntArray, k: int, review: Review | None = None) -> Due:
    """Find each agent's memories that are due, without touching them.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        k: Most memories an agent, >= 1.
        review: How they are chosen.

    Returns:
        At most k an agent. Ties go to the newer memory.

    Raises:
        ParameterError: If k is below 1.
    """
    from memopolis.sim.memory.night import replay_kernels

    check_count(k)
    memory.settle()
    review = review or Review()
    streams = memory.streams
    ids = np.full((len(rows), k), -1, np.int32)
    worth, late = np.zeros((2, len(rows), k), np.float32)
    of: tuple[Tables, Plan, Strength] = (
        tables_of(memory),
        plan_of(memory, review),
        strength_of(memory, review.by),
    )
    replay_kernels.due(
        streams.view, updates(streams), streams.next, streams.limit, rows, memory.now,
        *of, ids, worth, late,
    )  # fmt: skip
    return Due(rows, ids, worth, late)


def replay(
    memory: "Memory", rows: IntArray, k: int, review: Review | None = None
) -> NDArray[np.int32]:
    """Let agents rehearse what is due: book an access of each memory.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        k: Most memories an agent rehearses, >= 1.
        review: How they are chosen.

    Returns:
        Ids of what was rehearsed, -1 where fewer were due, shape (n, k).

    Raises:
        ParameterError: If k is below 1.
    """
    ids = due(memory, rows, k, review).ids
    book(memory, rows, ids)
    return ids
