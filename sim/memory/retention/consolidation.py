"""Consolidation of a memory, by its accesses, its age and the time since its last update.

    consolidation = reach[accesses] + longevity[age] + freshness[topic, time since update]
    half-life     = that of a profile * (1 + boost * consolidation), if recency is adaptive

Each term is read from a table over whole numbers and summed in a fixed order in float32, so a
compiled loop that reads the same tables gives the same bits (`night/kernels.py`).

Source:
    memtool (access count, longevity and freshness; adaptive half-life). The half-lives of
    the topics are illustrative.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from memopolis.sim.arguments import (
    as_pairs,
    check_positive,
    check_range,
    whole_number,
)
from memopolis.sim.arrays import Float32, Int32, UInt8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retention.ages import HALF_LIVES, last_age

TOPICS = 256  # topic numbers in the tables: all that fit the column


@dataclass(frozen=True, slots=True)
class Consolidation:
    """Parameters of consolidation.

    Attributes:
        reach: Weight of the accesses, >= 0.
        longevity: Weight of the age, >= 0.
        freshness: Weight of the time since the last update, >= 0; the three sum to 1.
        accesses: Number of accesses at which their term is 1, >= 1.
        days: Age in days at which its term is 1, > 0.
        run: Length of the run in days; replaces `days` if shorter.
        half_lives: Topics and their base half-lives in days, > 0.
        other: Base half-life of every other topic in days, > 0.
        boost: Relative growth of the half-life at full consolidation, >= 0.

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
        object.__setattr__(self, "half_lives", as_pairs("half_lives", self.half_lives))
        weights = (self.reach, self.longevity, self.freshness)
        for name in ("reach", "longevity", "freshness"):
            check_range(name, getattr(self, name))
        if not math.isclose(sum(weights), 1):
            raise ParameterError(f"reach, longevity and freshness are {weights}; they sum to 1")
        whole_number("accesses", self.accesses, least=1)
        check_positive("days", self.days)
        check_positive("run", self.run, infinite=True)
        for topic, days in (*self.half_lives, ("other", self.other)):
            check_positive(f"half-life of {topic} in days", days)
        check_positive("boost", self.boost, zero=True)

    def half_life(self, topic: str) -> float:
        """Return the base half-life of a topic in days."""
        return dict(self.half_lives).get(topic, self.other)


class Tables(NamedTuple):
    """Tables of consolidation, as one argument of a compiled function."""

    reach: Float32  # term of each number of accesses, shape (256,)
    longevity: Float32  # term of each age in ticks; greater ages use the last value
    group: UInt8  # half-life group of each topic number, shape (256,)
    # Term of each time since the last update in ticks, by group, float32, shape (groups, ticks);
    # longer times use the last value.
    freshness: Float32
    boost: np.float32  # relative growth of the half-life at full consolidation


@lru_cache(maxsize=16)
def build_tables(
    parameters: Consolidation, topics: tuple[str, ...], ticks_per_day: float, ticks: int
) -> Tables:
    """Build the tables for ages up to `ticks`.

    If a tick is longer than a day, every time scale is multiplied by its length in days.
    """
    a_day = max(ticks_per_day, 1.0)
    bases = (
        np.array(sorted({days for _, days in parameters.half_lives} | {parameters.other})) * a_day
    )
    group = np.full(TOPICS, np.searchsorted(bases, parameters.other * a_day), np.uint8)
    for number, topic in enumerate(topics):
        group[number] = np.searchsorted(bases, parameters.half_life(topic) * a_day)
    horizon = min(parameters.days * a_day, parameters.run * ticks_per_day)
    ages = np.arange(last_age(ticks, horizon) + 1)
    idle = np.arange(last_age(ticks, HALF_LIVES * bases[-1]) + 1)
    counts = np.log1p(np.arange(256)) / math.log1p(parameters.accesses)
    return Tables(
        reach=(parameters.reach * np.minimum(counts, 1)).astype(np.float32),
        longevity=(parameters.longevity * np.minimum(ages / horizon, 1)).astype(np.float32),
        group=group,
        freshness=(parameters.freshness * np.exp2(-idle / bases[:, None])).astype(np.float32),
        boost=np.float32(parameters.boost),
    )


def compute_consolidation(
    accesses: UInt8, age: Int32, idle: Int32, topic: UInt8, tables: Tables
) -> Float32:
    """Compute consolidation, 0..1, (m,), from accesses and ticks since creation and last update."""
    old = np.clip(age, 0, len(tables.longevity) - 1)
    still = np.clip(idle, 0, tables.freshness.shape[1] - 1)
    parts = tables.reach[accesses] + tables.longevity[old]
    return np.asarray(parts + tables.freshness[tables.group[topic], still], np.float32)
