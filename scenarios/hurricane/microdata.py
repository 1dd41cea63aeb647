"""Real households to draw from: tax units of the Current Population Survey, joined."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.zones import DATA
from memopolis.sim.world.columns import Column, read_table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

TAX_UNIT_COLUMNS = {
    "household": Column("whole", least=0),
    "weight": Column("number", least=0.01),
    "wage_head": Column("number", least=0),
    "wage_spouse": Column("number", least=0),
    "other_income": Column("number"),
    **{
        name: Column("whole", least=0, most=120)
        for name in (
            "age_head", "age_spouse", "persons", "under_6", "under_18", "aged_18_20",
        )
    },
}  # fmt: skip

PRICES = 1.08
"""Dollars of 2018 for a dollar of 2012 to 2014: consumer prices 251.1 / 233.0 (recalled)."""
WORKING_AGE = 16
AGE_BANDS = {"under_6": (0, 5), "under_18": (6, 17), "aged_18_20": (18, 20), "older": (21, 30)}
"""Ages of dependants, first and last year; only the band is known. That grown dependants are
21 to 30 is illustrative."""
HEAD, SPOUSE, DEPENDANT = 0, 1, 2
"""What a person is in the tax unit."""


@dataclass(frozen=True)
class Sample:
    """Households of the survey and the people in them, adults first.

    Attributes:
        weight: Weight of each household, shape (households,).
        first: Number of each household's first person; one more at the end.
        income: Money of a household in a year, dollars of 2018.
        youngest: Least age of each person, shape (persons,).
        oldest: Most; equal where the age is known.
        wage: Wages and self-employed income in a year, dollars of 2018.
        role: HEAD, SPOUSE or DEPENDANT.
        coupled: Whether the person's tax unit is a couple.
        parent: Whether the person's tax unit has children.
    """

    weight: FloatArray
    first: IntArray
    income: FloatArray
    youngest: IntArray
    oldest: IntArray
    wage: FloatArray
    role: IntArray
    coupled: NDArray[np.bool_]
    parent: NDArray[np.bool_]

    @cached_property
    def size(self) -> IntArray:
        """People in each household."""
        return np.diff(self.first)

    @cached_property
    def household(self) -> IntArray:
        """Household of each person."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def worker(self) -> NDArray[np.bool_]:
        """Whether a person earned anything in the year."""
        return (self.wage > 0) & (self.youngest >= WORKING_AGE)

    def per_household(self, values: NDArray[Any]) -> FloatArray:
        """Add up a column of persons within households, shape (households,)."""
        return np.bincount(self.household, weights=values, minlength=len(self.size))


def read_sample(path: str | PathLike[str] | None = None) -> Sample:
    """Read the tax units and join them to households.

    Args:
        path: A CSV file with the columns of `TAX_UNIT_COLUMNS`, one row a tax unit; by
            default the project's own (South Carolina).

    Returns:
        The households with at least one adult.
    """
    source = DATA / "households.csv" if path is None else Path(path)
    unit = {
        str(name): column.to_numpy()
        for name, column in read_table(source, TAX_UNIT_COLUMNS).items()
    }
    coupled = unit["age_spouse"] > 0
    parts = [
        _heads(unit["age_head"], unit["wage_head"], np.ones(len(coupled), bool), HEAD),
        _heads(unit["age_spouse"], unit["wage_spouse"], coupled, SPOUSE),
        *_dependants(unit),
    ]
    rows, youngest, oldest, wage, role = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    household = unit["household"][rows]
    adult = np.bincount(household, weights=youngest >= 18, minlength=household.max() + 1) > 0
    order = np.lexsort((rows, role == DEPENDANT, household))
    order = order[adult[household[order]]]
    kept, first = np.unique(household[order], return_index=True)
    income = unit["wage_head"] + unit["wage_spouse"] + unit["other_income"]
    income = np.bincount(unit["household"], weights=income)
    _, head_unit = np.unique(unit["household"], return_index=True)
    return Sample(
        weight=unit["weight"][head_unit][kept].astype(np.float64),
        first=np.append(first, len(order)),
        income=PRICES * income[kept],
        youngest=youngest[order],
        oldest=oldest[order],
        wage=PRICES * wage[order],
        role=role[order],
        coupled=coupled[rows][order],
        parent=(unit["under_18"] > 0)[rows][order],
    )


type _Part = tuple[IntArray, IntArray, IntArray, FloatArray, IntArray]


def _heads(age: IntArray, wage: IntArray, there: NDArray[np.bool_], role: int) -> _Part:
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
