"""Survey households: tax units of the Current Population Survey, joined."""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.zones import DATA
from memopolis.scenarios.synthesis.households import FloatArray, IntArray, SurveyHouseholds
from memopolis.scenarios.synthesis.tax_units import COLUMNS, DEPENDANT, list_members, read_tax_units
from memopolis.sim.read_only import read_only
from memopolis.sim.world.columns import Column

TAX_UNIT_COLUMNS = {
    **COLUMNS,
    "weight": Column("number", least=0.01),
    "wage_head": Column("number", least=0),
    "wage_spouse": Column("number", least=0),
    "other_income": Column("number"),
}

PRICES = 1.08
"""Dollars of 2018 per dollar of 2012 to 2014: consumer prices 251.1 / 233.0 (recalled)."""
WORKING_AGE = 16


@dataclass(frozen=True, eq=False)
class Sample(SurveyHouseholds):
    """Households of the survey, with weights; money is in dollars of 2018.

    Attributes:
        weight: Weight of each household, shape (households,).
        income: Yearly household income.
        coupled: Whether the person's tax unit is a couple, shape (persons,).
        parent: Whether the person's tax unit has children.
    """

    weight: FloatArray
    income: FloatArray
    coupled: NDArray[np.bool_]
    parent: NDArray[np.bool_]

    @cached_property
    def household(self) -> IntArray:
        """Household of each person."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def worker(self) -> NDArray[np.bool_]:
        """Whether a person had earnings in the year."""
        return (self.wage > 0) & (self.youngest >= WORKING_AGE)

    def per_household(self, values: NDArray[Any]) -> FloatArray:
        """Sum a column of persons by household, shape (households,)."""
        return np.bincount(self.household, weights=values, minlength=len(self.size))


def read_sample(path: str | PathLike[str] | None = None) -> Sample:
    """Read the tax units and join them to households.

    Args:
        path: A CSV file with the columns of `TAX_UNIT_COLUMNS`, one row per tax unit; the
            shipped sample (South Carolina) by default.

    Returns:
        The households with at least one adult.
    """
    return replace(shipped_sample()) if path is None else _read_sample(Path(path))


@cache
def shipped_sample() -> Sample:
    """Read the shipped households, once per process."""
    return read_only(_read_sample(DATA / "households.csv"))


def _read_sample(path: Path) -> Sample:
    unit = read_tax_units(path, TAX_UNIT_COLUMNS)
    coupled = unit["age_spouse"] > 0
    rows, youngest, oldest, wage, role = list_members(
        unit, wage_head=unit["wage_head"], wage_spouse=unit["wage_spouse"]
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
