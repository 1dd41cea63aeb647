"""Replay: memories that are due for review, and their rehearsal.

    interval = min(2 ** accesses, 90) days
    priority = (0.4 confidence + 0.3 consolidation) + 0.3 emotional strength
    due      = the interval has passed since the last access (or update, if never accessed), or
               that is in the future, since the clock was wrong then or is wrong now
    order    = priority * (1 + days overdue), descending
    strength = emotional strength, see `activation.py`

Only memories of a minimum priority are reviewed: the median of the agent's stream, or a
number. Finding due memories changes nothing. Rehearsing a memory records an access, which
consolidates it and doubles its interval.

Source:
    memtool (spaced repetition). Its minimum priority of 0.5 is rarely reached by a memory of
    confidence 0.6; the median is this project's.
"""

from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np

from memopolis.sim.arguments import check_choice, check_range, check_type
from memopolis.sim.arrays import Float32, Int32, Int64, Ints
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retention.activation import By, load_strength
from memopolis.sim.memory.retrieval.filter import NO_TOPIC
from memopolis.sim.memory.retrieval.measuring import current_tables, update_ticks
from memopolis.sim.memory.retrieval.recalling import record_access
from memopolis.sim.memory.retrieval.request import limit_count

LONGEST = 90.0  # longest interval in days


@dataclass(frozen=True, slots=True)
class Review:
    """How memories are chosen for review."""

    # Minimum priority of a reviewed memory, 0..1 (published: 0.5); None for the median of an
    # agent's stream.
    least: float | None = None
    by: By = "arousal"  # definition of emotional strength
    topic: str | None = None  # topic of the memories, as given when they were added; None for all

    def __post_init__(self) -> None:
        if self.topic is not None:
            check_type("topic", self.topic, str, "a str or None")
        if self.least is not None:
            check_range("least", self.least)
        check_choice("by", self.by, get_args(By))


class Due(NamedTuple):
    """Memories that are due, for many agents, the most overdue first."""

    rows: Int64  # rows of the agents, shape (n,)
    ids: Int32  # ids of their memories, padded with -1, shape (n, k)
    priority: Float32  # their priorities, padded with 0, shape (n, k)
    overdue: Float32  # days since they were due, padded with 0, shape (n, k)


def compute_interval(accesses: Ints) -> Float32:
    """Compute the days until a memory is due again, shape of `accesses`."""
    # 2 ** 7 exceeds the longest interval; more would overflow.
    days = np.exp2(np.minimum(accesses, 7).astype(np.float32))
    return np.asarray(np.minimum(days, np.float32(LONGEST)), np.float32)


CONFIDENCE = (0.4 * np.arange(256) / 255).astype(np.float32)  # weighted confidence by code
INTERVALS = compute_interval(np.arange(256))  # by number of accesses


def days_of_tick(memory: Memory) -> np.float32:
    """Return the days of a tick; a longer tick counts as one, as every time scale does."""
    return np.float32(min(1 / memory.ticks_per_day, 1))


def due(memory: Memory, rows: Int64, k: int, review: Review | None = None) -> Due:
    """Find each agent's memories that are due for review, at most k; ties go to the newer."""
    from memopolis.sim.memory.night import kernels

    memory.settle()
    review = Review() if review is None else review
    check_type("how", review, Review, "a Review")
    most = limit_count(k, lambda: memory.streams.longest(rows))
    least = -1 if review.least is None else review.least
    topic = -1 if review.topic is None else memory.topic_numbers.get(review.topic, NO_TOPIC)
    streams = memory.streams
    ids = np.full((len(rows), most), -1, np.int32)
    worth, late = np.zeros((2, len(rows), most), np.float32)
    kernels.due(
        streams.view, update_ticks(streams), streams.count, rows, memory.now,
        current_tables(memory), CONFIDENCE, INTERVALS, np.float32(least), topic,
        days_of_tick(memory), load_strength(memory.tags, review.by), ids, worth, late,
    )  # fmt: skip
    return Due(rows, ids, worth, late)


def replay(memory: Memory, rows: Int64, k: int, review: Review | None = None) -> Int32:
    """Rehearse due memories, as found by `due`: record an access of each; return their ids."""
    ids = due(memory, rows, k, review).ids
    record_access(memory, rows, ids, is_hit=False)
    return ids
