"""Sleep: one night of an agent, in a fixed order.

    1. replay    rehearse due memories, which consolidates them
    2. relate    link new memories to related ones
    3. cluster   cluster memories that have left the short term
    4. merge     replace near duplicates by an abstract memory
    5. repeats   merge exact repeats of trivial memories into one with a count
    6. forget    forget old memories, and faded ones that were not rehearsed this night

Each part is optional. In a society, which defers storing, parts 1 to 5 read the streams as they
were before the night. Part 5 changes values at once.

Replay finds the memories that are due for review, and rehearses them:

    interval = min(2 ** accesses, 90) days
    priority = (0.4 confidence + 0.3 consolidation) + 0.3 emotional strength
    due      = the interval has passed since the last access (or update, if never accessed), or
               that is in the future, since the clock was wrong then or is wrong now
    order    = priority * (1 + days overdue), descending
    strength = emotional strength, see `activation.py`

Only memories of a minimum priority are reviewed: the median of the agent's stream, or a number.
Finding due memories changes nothing. Rehearsing a memory records an access, which consolidates it
and doubles its interval.

Source:
    memtool (spaced repetition). Its minimum priority of 0.5 is rarely reached by a memory of
    confidence 0.6; the median is this project's.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, get_args

import numpy as np

from memopolis.sim.arguments import (
    check_choice,
    check_flag,
    check_positive,
    check_range,
    check_type,
    whole_number,
)
from memopolis.sim.arrays import Float32, Int32, Int64, Ints
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night import forgetting
from memopolis.sim.memory.night.clusters import cluster
from memopolis.sim.memory.night.merging import Trivia, merge_repeats, merge_trivia
from memopolis.sim.memory.night.related import relate
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


_REVIEW = Review()
_TRIVIA = Trivia()
_AT_A_TIME = 16_384  # agents that sleep at a time, which limits the memory that a night needs


@dataclass(frozen=True, slots=True)
class Night:
    """Settings of a night; by default agents only rehearse.

    Attributes:
        replay: Most due memories that an agent rehearses; 0 for none.
        review: How due memories are chosen.
        relate: Whether new memories are linked to related ones.
        cluster: Whether memories that have left the short term are clustered.
        merge: Number of near duplicates that are merged, at least 2; 0 for never.
        repeats: Number of exact repeats of a trivial memory that become one with a count, at least
            2; 0 for never.
        trivia: Which memories are trivial.
        forget_older: Hours after which a memory is forgotten; None for never.
        forget_below: Retention below which a memory is forgotten; 0 for never.
    """

    replay: int = 20
    review: Review = _REVIEW
    relate: bool = False
    cluster: bool = False
    merge: int = 0
    repeats: int = 0
    trivia: Trivia = _TRIVIA
    forget_older: float | None = None
    forget_below: float = 0.0

    def __post_init__(self) -> None:
        whole_number("replay", self.replay, least=0)
        for name in ("merge", "repeats"):
            if whole_number(name, getattr(self, name), least=0) == 1:
                raise ParameterError(f"{name} is 1; at least 2 is needed, or 0 for never")
        for name in ("relate", "cluster"):
            check_flag(name, getattr(self, name))
        check_type("review", self.review, Review, "a Review")
        check_type("trivia", self.trivia, Trivia, "a Trivia")
        if self.forget_older is not None:
            check_positive("forget_older", self.forget_older, zero=True)
        check_range("forget_below", self.forget_below)

    @property
    def does_nothing(self) -> bool:
        """Whether every part is switched off."""
        return replace(self, review=_REVIEW, trivia=_TRIVIA) == Night(replay=0)

    @property
    def compares_texts(self) -> bool:
        """Whether texts are compared, by vectors that all agents share."""
        return self.relate or self.cluster or self.merge > 0


class Slept(NamedTuple):
    """Results of a night."""

    # Ids of the memories each agent rehearsed, padded with -1, int32, shape (n, k); k is 0 without
    # replay.
    replayed: Int32
    merged: Int32  # number of new abstract memories of each agent, shape (n,)
    # Number of memories of each agent merged into one that counts them, likewise.
    repeats: Int32
    # Number of memories each agent forgot, without merged ones, int32, shape (n,).
    forgotten: Int32


def sleep(memory: Memory, rows: Int64, night: Night) -> Slept:
    """Let agents sleep one night; an agent listed twice sleeps once."""
    check_type("night", night, Night, "a Night")
    each, back = np.unique(rows, return_inverse=True)
    # Some agents at a time: the night of a million needs much memory.
    most = max(len(each), 1) if night.compares_texts else _AT_A_TIME
    slept = [
        _sleep(memory, each[at : at + most], night) for at in range(0, max(len(each), 1), most)
    ]
    memory.streams.changes += 1
    width = max(night.replayed.shape[1] for night in slept)
    replayed = np.full((len(each), width), -1, np.int32)
    for number, one in enumerate(slept):
        replayed[number * most : (number + 1) * most, : one.replayed.shape[1]] = one.replayed
    counts = (
        np.concatenate(part)[back] for part in zip(*(night[1:] for night in slept), strict=True)
    )
    return Slept(replayed[back], *counts)


def _sleep(memory: Memory, rows: Int64, night: Night) -> Slept:
    replayed = np.empty((len(rows), 0), np.int32)
    if night.replay:
        replayed = replay(memory, rows, night.replay, night.review)
    if night.relate:
        relate(memory, rows)
    if night.cluster:
        cluster(memory, rows)
    merged = np.zeros(len(rows), np.int32)
    if night.merge:
        merged = merge_repeats(memory, rows, night.merge)
    repeats = np.empty(0, np.int64)
    if night.repeats:
        repeats = merge_trivia(memory, rows, night.trivia, night.repeats)
    counts = np.bincount(repeats >> 32, minlength=len(rows)).astype(np.int32)
    return Slept(replayed, merged, counts, _forget(memory, rows, night, replayed))


def _forget(memory: Memory, rows: Int64, night: Night, replayed: Int32) -> Int32:
    """Forget old memories, and faded ones that were not rehearsed this night."""
    gone = np.empty(0, np.int64)
    if night.forget_below:
        faded = forgetting.find_faded(memory, rows, night.forget_below)
        kept = (replayed[faded >> 32] == (faded & 0xFFFFFFFF)[:, None]).any(axis=1)
        gone = faded[~kept]
    if night.forget_older is not None:
        gone = np.union1d(gone, forgetting.find_old(memory, rows, night.forget_older))
    if night.forget_below or night.forget_older is not None:
        # If storing is deferred, the memories merged this night are still in the streams.
        gone = np.setdiff1d(gone, forgetting.find_queued(memory, rows), assume_unique=True)
    return forgetting.forget_these(memory, rows, gone)
