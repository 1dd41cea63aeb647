"""Members of the tax units of a survey that reports two ages and numbers of dependants by age."""

import numpy as np

from memopolis.sim.arrays import Array, Bools, Float64, Int64
from memopolis.sim.world.columns import Column

_WHOLE = ("age_head", "age_spouse", "persons", "under_6", "under_18", "aged_18_20")
COLUMNS = {
    "household": Column("whole", least=0),
    **{name: Column("whole", least=0, most=120) for name in _WHOLE},
}
"""Columns of every table of tax units."""

WORKING_AGE = 16  # age in years from which people work (choice)
HEAD, SPOUSE, DEPENDANT = 0, 1, 2  # role of a person in the tax unit

AGE_BANDS = {"under_6": (0, 5), "under_18": (6, 17), "aged_18_20": (18, 20), "older": (21, 30)}
"""Minimum and maximum age of dependants in each age band. That adult dependants are 21 to 30 is
illustrative."""

type _Part = tuple[Int64, Int64, Int64, Float64, Int64]
"""Row of the tax unit, minimum and maximum age, wages and role; each of shape (persons,)."""


def list_members(unit: dict[str, Array], wage_head: Array, wage_spouse: Array) -> list[Array]:
    """List all members: heads, then spouses, then dependants from the oldest age band down.

    Returns the tax unit, minimum age, maximum age, wages (0 for dependants) and role of each
    person, shape (persons,). The column under_18 includes those under 6.
    """
    coupled = unit["age_spouse"] > 0
    parts = [
        _grown(unit["age_head"], wage_head, np.ones(len(coupled), bool), HEAD),
        _grown(unit["age_spouse"], wage_spouse, coupled, SPOUSE),
        *_dependants(unit),
    ]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _grown(age: Int64, wage: Array, present: Bools, role: int) -> _Part:
    rows = np.flatnonzero(present)
    ages = age[rows]
    return rows, ages, ages, wage[rows].astype(np.float64), np.full(len(rows), role)


def _dependants(unit: dict[str, Array]) -> list[_Part]:
    heads = [unit["age_head"], np.where(unit["age_spouse"] > 0, unit["age_spouse"], 99)]

    def others(low: int, high: int) -> Int64:
        return np.asarray(sum(((age >= low) & (age <= high)).astype(np.int64) for age in heads))

    small = unit["under_6"]
    minor = np.maximum(unit["under_18"] - small - others(0, 17), 0)
    young = np.maximum(unit["aged_18_20"] - others(18, 20), 0)
    known = 1 + (unit["age_spouse"] > 0) + small + minor + young
    counts = {
        "older": np.maximum(unit["persons"] - known, 0),
        "aged_18_20": young,
        "under_18": minor,
        "under_6": small,
    }
    parts = []
    for band, count in counts.items():
        rows = np.repeat(np.arange(len(count)), count)
        low, high = AGE_BANDS[band]
        full = np.ones_like(rows)
        parts.append((rows, low * full, high * full, np.zeros(len(rows)), DEPENDANT * full))
    return parts
