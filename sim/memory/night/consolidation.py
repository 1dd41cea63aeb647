"""Consolidation: how firmly a memory sits, and how long it lasts for that.

    consolidation = reach[accesses] + longevity[age] + freshness[topic, time since update]
    half-life     = base of the topic * (1 + boost * consolidation)
    retention     = 2 ** (-time since it was last touched / half-life)

Every part is read from a table over whole numbers and the sums have a fixed order in
float32, so a compiled loop that reads the same tables gives the same bits
(`consolidation_kernels.py`).

Source:
    memtool (access count, longevity and freshness; adaptive half-life). The half-lives of
    the topics are illustrative.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.scoring import HALF_LIVES

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.streams.stream import Streams

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

STEPS = 256
"""Steps of the retention table in one half-life."""

TOPICS = 256
"""Numbers a topic may have in the tables: every one that fits its column."""


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What consolidation is made of.

    Attributes:
        reach: Weight of the accesses, >= 0.
        longevity: Weight of the age, >= 0.
        freshness: Weight of the time since the last update, >= 0; the three sum to 1.
        accesses: Accesses at which their part is full, >= 1.
        days: Age in days at which its part is full, > 0.
        run: Length of the run in days, which takes the place of `days` where it is shorter.
        half_lives: Topics and their base half-lives in days, > 0.
        other: Base half-life of every other topic in days, > 0.
        boost: By how much of itself a half-life grows at full consolidation, >= 0.

    Raises:
        ParameterError: If a number is out of range.
    """

    reach: float = 0.5
    longevity: float = 0.2
    freshness: float = 0.3
    accesses: int = 99
    days: float = 365.0
    run: float = math.inf
    half_lives: tuple[tuple[str, float], ...] = (
        ("cognition", 60.0),
        ("social", 30.0),
        ("economy", 30.0),
    )
    other: float = 14.0
    boost: float = 2.0

    def __post_init__(self) -> None:
        weights = (self.reach, self.longevity, self.freshness)
        if min(weights) < 0 or not math.isclose(sum(weights), 1):
            raise ParameterError(f"reach, longevity and freshness are {weights}; they sum to 1")
        if self.accesses < 1:
            raise ParameterError(f"accesses is {self.accesses}; at least 1 is needed")
        if not 0 < self.days < math.inf or not self.run > 0:
            raise ParameterError(f"days is {self.days} and run {self.run}; more than 0 is needed")
        for topic, days in (*self.half_lives, ("other", self.other)):
            if not 0 < days < math.inf:
                raise ParameterError(f"half-life of {topic} is {days} days; more than 0 is needed")
        if not 0 <= self.boost < math.inf:
            raise ParameterError(f"boost is {self.boost}; a number >= 0 is needed")

    def half_life(self, topic: str) -> float:
        """Base half-life of a topic in days."""
        return dict(self.half_lives).get(topic, self.other)


class Tables(NamedTuple):
    """Consolidation in tables, as one argument of a compiled function.

    Attributes:
        reach: Part of each count of accesses, float32, shape (256,).
        longevity: Part of each age in ticks; what is older counts as the last, float32.
        group: Group of half-life of each number of a topic, uint8, shape (256,).
        freshness: Part of each time since the last update in ticks, by group, float32, shape
            (groups, ticks); what is longer ago counts as the last.
        pace: Steps of the retention table a tick takes at no consolidation, by group,
            float32, shape (groups,).
        boost: By how much of itself a half-life grows at full consolidation, float32.
        retention: 2 ** (-step / 256), float32, shape (32 * 256 + 1,).
    """

    reach: Float32
    longevity: Float32
    group: NDArray[np.uint8]
    freshness: Float32
    pace: Float32
    boost: np.float32
    retention: Float32


@lru_cache(maxsize=16)
def tables(
    given: Consolidation, topics: tuple[str, ...], ticks_per_day: float, ticks: int
) -> Tables:
    """Lay consolidation out in tables.

    Args:
        given: What it is made of.
        topics: Names of topics by number.
        ticks_per_day: Ticks in a day. Below 1, where a tick is longer than a day, every
            time scale is multiplied by the tick in days.
        ticks: Greatest age in use, in ticks, >= 0; longer tables hold the same values.
    """
    a_day = max(ticks_per_day, 1.0)
    bases = np.array(sorted({days for _, days in given.half_lives} | {given.other})) * a_day
    group = np.full(TOPICS, np.searchsorted(bases, given.other * a_day), np.uint8)
    for number, topic in enumerate(topics):
        group[number] = np.searchsorted(bases, given.half_life(topic) * a_day)
    horizon = min(given.days * a_day, given.run * ticks_per_day)
    ages = np.arange(min(max(ticks, 0), math.ceil(horizon)) + 1)
    idle = np.arange(min(max(ticks, 0), math.ceil(HALF_LIVES * bases[-1])) + 1)
    counts = np.log1p(np.arange(256)) / math.log1p(given.accesses)
    return Tables(
        reach=(given.reach * np.minimum(counts, 1)).astype(np.float32),
        longevity=(given.longevity * np.minimum(ages / horizon, 1)).astype(np.float32),
        group=group,
        freshness=(given.freshness * np.exp2(-idle / bases[:, None])).astype(np.float32),
        pace=(STEPS / bases).astype(np.float32),
        boost=np.float32(given.boost),
        retention=np.exp2(-np.arange(HALF_LIVES * STEPS + 1) / STEPS).astype(np.float32),
    )


def tables_of(memory: "Memory") -> Tables:
    """The tables of a memory as it is now; made anew only when its time has doubled."""
    # Memories from before the start are older than the run is long.
    oldest = memory.now - memory.streams.earliest
    ticks = 1 << max(oldest, 32).bit_length()
    return tables(memory.consolidation, tuple(memory.topics), memory.ticks_per_day, ticks)


def consolidation(
    accesses: NDArray[np.uint8], age: Int32, idle: Int32, topic: NDArray[np.uint8], of: Tables
) -> Float32:
    """Tell how firmly memories sit.

    Args:
        accesses: How often each was recalled, shape (m,).
        age: Ticks since it was made; below 0 counts as 0, shape (m,).
        idle: Ticks since it was made or last updated; below 0 counts as 0, shape (m,).
        topic: Number of its topic, shape (m,).
        of: The tables.

    Returns:
        Consolidation in [0, 1], shape (m,); never less for more accesses.
    """
    old = np.clip(age, 0, len(of.longevity) - 1)
    still = np.clip(idle, 0, of.freshness.shape[1] - 1)
    parts = of.reach[accesses] + of.longevity[old]
    return np.asarray(parts + of.freshness[of.group[topic], still], np.float32)


def retention(
    consolidation: Float32, touched: Int32, topic: NDArray[np.uint8], of: Tables
) -> Float32:
    """Tell how much is left of memories that fade by their adaptive half-life.

    Args:
        consolidation: How firmly each sits, shape (m,).
        touched: Ticks since it was made, recalled or updated last, shape (m,).
        topic: Number of its topic, shape (m,).
        of: The tables.

    Returns:
        Share in (0, 1], to a 256th of a half-life, shape (m,). A fully consolidated memory
        takes 1 + boost times as long to fade.
    """
    since = np.maximum(touched, 0).astype(np.float32) * of.pace[of.group[topic]]
    steps = since / (np.float32(1) + of.boost * consolidation)
    return of.retention[np.minimum(steps, np.float32(len(of.retention) - 1)).astype(np.int32)]


def updates(streams: "Streams") -> Int32:
    """Tick of the last update by slot, -1 for never; empty where nothing was ever updated."""
    if not streams.has_column("updated"):
        return np.empty(0, np.int32)
    return streams.memory_column("updated", np.int32, fill=-1)


def last_updates(streams: "Streams", slots: NDArray[np.int64]) -> Int32:
    """Ticks at which memories, by slot, were made or last updated, shape (m,)."""
    made, known = streams.at("time", slots), updates(streams)
    return np.maximum(made, known[slots]) if len(known) else made


class State(NamedTuple):
    """What consolidation makes of some memories, float32, shape (m,)."""

    consolidation: Float32
    retention: Float32


def of_slots(memory: "Memory", slots: NDArray[np.int64]) -> State:
    """Consolidation and retention of memories that are there, by slot, shape (m,)."""
    streams, now, of = memory.streams, np.int32(memory.now), tables_of(memory)
    made, last = streams.at("time", slots), last_updates(streams, slots)
    topic = streams.at("topic", slots)
    firm = consolidation(streams.at("accesses", slots), now - made, now - last, topic, of)
    touched = now - np.maximum(last, streams.at("accessed", slots))
    return State(firm, retention(firm, touched, topic, of))


def consolidation_of(memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.int64]) -> Float32:
    """Consolidation of memories by id; nan where there is none.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        ids: Ids of their memories, any that are not there, shape (n, k).

    Returns:
        Shape (n, k).
    """
    memory.settle()
    owners = np.broadcast_to(rows[:, None], ids.shape)
    there = memory.streams.holds(owners, ids)
    firm = np.full(ids.shape, np.nan, np.float32)
    slots = memory.streams.slots(owners[there], ids[there])
    firm[there] = of_slots(memory, slots).consolidation
    return firm
