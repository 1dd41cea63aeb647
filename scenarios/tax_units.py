"""Who lives in a tax unit, of which a survey knows two ages and how many are of which band."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

HEAD, SPOUSE, DEPENDANT = 0, 1, 2
"""What a person is in the tax unit."""

AGE_BANDS = {"under_6": (0, 5), "under_18": (6, 17), "aged_18_20": (18, 20), "older": (21, 30)}
"""Ages of dependants, first and last year; only the band is known. That grown dependants are
21 to 30 is illustrative."""

type _Part = tuple[IntArray, IntArray, IntArray, FloatArray, IntArray]
"""Some people: row of the tax unit, least and most age, wages, role; each of shape (persons,)."""


def members(
    unit: dict[str, NDArray[Any]], *, wage_head: NDArray[Any], wage_spouse: NDArray[Any]
) -> list[NDArray[Any]]:
    """List everybody: heads, then spouses, then dependants from the oldest band down.

    Args:
        unit: Columns of the tax units, each of shape (units,): age_head, age_spouse (0 for none),
            persons, under_6, under_18 (those under 6 as well), aged_18_20.
        wage_head: What heads earn, in the unit of the result, shape (units,).
        wage_spouse: The same of spouses.

    Returns:
        Tax unit, least age, most age, wages (0 of dependants) and role of each person, shapes
        (persons,).
    """
    coupled = unit["age_spouse"] > 0
    parts = [
        _grown(unit["age_head"], wage_head, np.ones(len(coupled), bool), HEAD),
        _grown(unit["age_spouse"], wage_spouse, coupled, SPOUSE),
        *_dependants(unit),
    ]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _grown(age: IntArray, wage: NDArray[Any], there: NDArray[np.bool_], role: int) -> _Part:
    rows = np.flatnonzero(there)
    ages = age[rows]
    return rows, ages, ages, wage[rows].astype(np.float64), np.full(len(rows), role)


def _dependants(unit: dict[str, NDArray[Any]]) -> list[_Part]:
    heads = [unit["age_head"], np.where(unit["age_spouse"] > 0, unit["age_spouse"], 99)]

    def others(low: int, high: int) -> IntArray:
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
