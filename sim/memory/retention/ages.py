"""Ages and time spans in ticks, and recency by age."""

import math

import numpy as np

from memopolis.sim.arrays import Float32, Int32
from memopolis.sim.errors import ParameterError

HALF_LIVES = 32  # half-lives after which recency is constant: 2 ** -32 vanishes in a float32 sum
# Maximum age of tables in ticks, four times the longest run; older memories count as this.
LONGEST = 4_000_000


def in_ticks(hours: float, ticks_per_day: float) -> float:
    """Convert hours to ticks; if a tick is longer than a day, a day counts as a tick."""
    return hours * max(ticks_per_day, 1.0) / 24


def last_age(ticks: int, horizon: float) -> int:
    """Return the maximum age of a table: up to `ticks`, and nothing changes from `horizon` on."""
    return math.ceil(min(max(ticks, 0), horizon, LONGEST))


def recency_table(half_life: float, ticks: int) -> Float32:
    """Compute the recency 2 ** (-age / half_life), half_life > 0, of every age in whole ticks.

    Shape (last_age(ticks, 32 half-lives) + 1,); computed in float64 and then rounded.

    Source:
        Exponential decay as in Park et al. 2023, doi:10.1145/3586183.3606763, with a half-life.
    """
    if not half_life > 0:
        raise ParameterError(f"half_life is {half_life}; it must be above 0")
    last = last_age(ticks, HALF_LIVES * half_life)
    with np.errstate(over="ignore"):  # ages of very many half-lives
        return np.exp2(-np.arange(last + 1) / half_life).astype(np.float32)


def power_table(half_life: float, ticks: int, decay: float = 0.5) -> Float32:
    """Compute a recency that falls as a power of age, by age in whole ticks, float32.

    It is (1 + (2 ** (1 / decay) - 1) * age / half_life) ** -decay: 1 at first and one half at the
    half-life.

    Source:
        Wixted and Ebbesen 1991, doi:10.1111/j.1467-9280.1991.tb00175.x, for the power function.
    """
    ages = np.arange(last_age(ticks, math.inf) + 1)
    pace = (2 ** (1 / decay) - 1) / half_life
    return np.asarray((1 + pace * ages) ** -decay, np.float32)


def apply_floor(table: Float32, *, floor: float = 0.0, power: float = 1.0) -> Float32:
    """Return recency, not increasing, raised to a lower bound of 0..1 and then to a power."""
    if floor == 0 and power == 1:
        return table
    return np.asarray(np.maximum(table, np.float32(floor)).astype(np.float64) ** power, np.float32)


def recency(accessed: Int32, now: int, table: Float32) -> Float32:
    """Return recency, 0..1, by ticks of the last access or creation and a `recency_table`."""
    age = np.int32(now) - accessed
    weights: Float32 = table[np.clip(age, 0, len(table) - 1)]
    return weights
