"""Survey households: tax units of the Current Population Survey, joined."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.taxes import FILING
from memopolis.scenarios.synthesis.households import FloatArray, IntArray, SurveyHouseholds
from memopolis.scenarios.synthesis.tax_units import COLUMNS, DEPENDANT, list_members, read_tax_units
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.statistics.inequality import gini
from memopolis.sim.world.columns import Column

DATA = Path(__file__).parent / "data"

EARNINGS = ("wage_head", "wage_spouse", "self_employed_head", "self_employed_spouse")
MARKET = (*EARNINGS, "interest", "dividends", "pension")
"""Market income, with private pensions, as in the static figures of the facts."""
MONEY = (*MARKET, "unemployment", "social_security", "snap", "ssi", "tanf")
"""Money income, whose Gini coefficient is .482 among households."""
ASSISTANCE = ("snap", "ssi", "tanf", "housing")
"""Means-tested benefits."""
MONEY_COLUMNS = (*MONEY, "housing", "veterans", "other")

TAX_UNIT_COLUMNS = {
    **COLUMNS,
    "year": Column("whole", least=2012, most=2014),
    "filing": Column("text", options=FILING),
    **{name: Column("number") for name in MONEY_COLUMNS},
}

PRICES = {2012: 1.1135, 2013: 1.0974, 2014: 1.0799}
"""Dollars of 2019 per dollar of the survey's year, by consumer prices (found: BLS)."""


@dataclass(frozen=True, eq=False)
class Microdata(SurveyHouseholds):
    """Households of the survey, which all have the same weight; money is in dollars of 2019.

    Attributes:
        units: Columns of the tax units, each of shape (units,), money per year.
        unit: Tax unit of each person, shape (persons,).
    """

    units: dict[str, NDArray[Any]]
    unit: IntArray

    @cached_property
    def head_unit(self) -> IntArray:
        """Tax unit of each household's first person, shape (households,)."""
        return self.unit[self.first[:-1]]

    @cached_property
    def adults(self) -> IntArray:
        """Number of adults in each household, as counted by its tax units."""
        return self.per_household(self.units["persons"] - self.units["under_18"]).astype(np.int64)

    def per_household(self, values: NDArray[Any]) -> FloatArray:
        """Sum a column of tax units by household, shape (households,)."""
        return np.bincount(self.units["household"], weights=values, minlength=len(self))

    def income(self, kinds: tuple[str, ...] = MONEY) -> FloatArray:
        """Sum kinds of income per year, dollars of 2019, at least 0, shape (households,)."""
        total = np.sum([self.units[kind] for kind in kinds], axis=0)
        return np.maximum(self.per_household(total), 0.0)

    def price(self) -> FloatArray:
        """Return dollars of 2019 per dollar of the survey year, shape (households,)."""
        of_unit = np.array([PRICES[year] for year in self.units["year"].tolist()])
        return of_unit[self.head_unit]


def read_microdata(path: str | PathLike[str] | None = None) -> Microdata:
    """Read the tax units and join them to households.

    Args:
        path: A CSV file with the columns of `TAX_UNIT_COLUMNS`, one row per tax unit; the
            shipped sample of the United States by default.

    Returns:
        The households with at least one adult, numbered from 0.

    Raises:
        DataFileError: If a value is invalid or no household has an adult.
    """
    source = DATA / "households.csv" if path is None else Path(path)
    unit = _with_adults(read_tax_units(source, TAX_UNIT_COLUMNS), str(source))
    earned = {
        f"wage_{who}": unit[f"wage_{who}"] + np.maximum(unit[f"self_employed_{who}"], 0.0)
        for who in ("head", "spouse")
    }
    rows, youngest, oldest, wage, role = list_members(unit, **earned)
    household = unit["household"][rows]
    # Adults first, and among them those of the first unit with an adult head.
    order = np.lexsort((role, rows, role == DEPENDANT, youngest < ADULT, household))
    sizes = np.bincount(household)
    return Microdata(
        units=unit,
        first=np.concatenate([[0], np.cumsum(sizes)]),
        unit=rows[order],
        role=role[order],
        youngest=youngest[order],
        oldest=oldest[order],
        wage=wage[order],
    )


def static_gini(
    amount: float,
    funding: Literal["none", "tax"] = "none",
    *,
    data: Microdata | None = None,
    dollars: Literal["survey", "2019"] = "survey",
) -> float:
    """Compute the Gini coefficient of money income if every adult received a basic income.

    Args:
        amount: Payment per adult and year, USD, >= 0; 0 gives the survey's own coefficient.
        funding: "none", or "tax": a flat tax on market income that funds all of it.
        data: Households; the shipped sample by default.
        dollars: Whether the amount is in dollars of the survey's year, as in the published
            references (.482, then .397 unfunded and .357 funded at 12,000 USD), or of 2019.

    Returns:
        The Gini coefficient of households, without behavioural change.

    Raises:
        ParameterError: If the amount is negative or the tax would exceed market income.
    """
    if not amount >= 0:
        raise ParameterError(f"amount is {amount}; it must be at least 0 USD per year")
    people = read_microdata() if data is None else data
    price = people.price() if dollars == "survey" else np.ones(len(people))
    income = people.income() / price + amount * people.adults
    if funding == "tax":
        income -= static_rate(amount, data=people, dollars=dollars) * people.income(MARKET) / price
    return gini(income)


def static_rate(
    amount: float, *, data: Microdata | None = None, dollars: Literal["survey", "2019"] = "survey"
) -> float:
    """Compute the flat tax rate on market income that pays `amount` per year to every adult.

    Args:
        amount: As for `static_gini`.
        data: As for `static_gini`.
        dollars: As for `static_gini`.

    Raises:
        ParameterError: If market income is not sufficient.
    """
    people = read_microdata() if data is None else data
    price = people.price() if dollars == "survey" else np.ones(len(people))
    rate = float(amount * people.adults.sum() / (people.income(MARKET) / price).sum())
    if rate > 1:
        raise ParameterError(f"amount is {amount}; it costs {rate:.2f} times all market income")
    return rate


def _with_adults(unit: dict[str, NDArray[Any]], source: str) -> dict[str, NDArray[Any]]:
    """Keep tax units of households with an adult, and number households from 0."""
    grown = np.maximum(unit["age_head"], unit["age_spouse"]) >= ADULT
    number, household = np.unique(unit["household"], return_inverse=True)
    kept = (np.bincount(household, weights=grown, minlength=len(number)) > 0)[household]
    if not kept.any():
        raise DataFileError(f"{source}: no household has an adult; at least one is required")
    unit = {name: values[kept] for name, values in unit.items()}
    unit["household"] = np.unique(unit["household"], return_inverse=True)[1]
    return unit
