"""Survey households: tax units of the Current Population Survey, joined."""

from functools import cache, cached_property
from pathlib import Path

import numpy as np

from memopolis.scenarios.places.place_files import PLACES
from memopolis.scenarios.synthesis.counties import DATA
from memopolis.scenarios.synthesis.households import SurveyHouseholds
from memopolis.scenarios.synthesis.tax_units import COLUMNS, WORKING_AGE
from memopolis.sim.arrays import Bools, Float64
from memopolis.sim.read_only import read_only
from memopolis.sim.world.columns import Column

TAX_UNIT_COLUMNS = {
    **COLUMNS,
    "weight": Column("number", least=0.01),
    "wage_head": Column("number", least=0),
    "wage_spouse": Column("number", least=0),
    "other_income": Column("number"),
}

NATIONAL_FILE = DATA / "households_usa.csv"
_EARNINGS = (
    "wage_head", "wage_spouse", "self_employed_head", "self_employed_spouse",
)  # fmt: skip
NATIONAL_INCOMES = (
    *_EARNINGS, "interest", "dividends", "pension", "unemployment", "social_security", "ssi",
    "tanf", "veterans",
)  # fmt: skip
"""Kinds of income that add up to that of a household, as in the survey of South Carolina."""
NATIONAL_COLUMNS = {**COLUMNS, **{name: Column("number") for name in NATIONAL_INCOMES}}

PRICES_2019 = 251.107 / 255.657
"""Dollars of 2018 per dollar of 2019, by consumer prices (recalled: BLS)."""
PRICES = 1.08
"""Dollars of 2018 per dollar of 2012 to 2014: consumer prices 251.1 / 233.0 (recalled)."""


class Sample(SurveyHouseholds):
    """Households of the survey, with weights; wages and incomes are in dollars of 2018."""

    @cached_property
    def weight(self) -> Float64:
        """Weight of each household, shape (households,)."""
        return self.units["weight"][self.head_unit].astype(np.float64)

    @cached_property
    def income(self) -> Float64:
        """Yearly income of each household, shape (households,)."""
        total = sum(self.units[name] for name in ("wage_head", "wage_spouse", "other_income"))
        return PRICES * self.sum_units(np.asarray(total))

    @cached_property
    def worker(self) -> Bools:
        """Whether a person had earnings in the year."""
        return (self.wage > 0) & (self.youngest >= WORKING_AGE)


class NationalSample(Sample):
    """Households of the United States, which all have the same weight."""

    @cached_property
    def weight(self) -> Float64:
        """Weight of each household, equal for all, shape (households,)."""
        return np.ones(len(self))

    @cached_property
    def income(self) -> Float64:
        """Yearly income of each household, shape (households,)."""
        total = np.sum([self.units[name] for name in NATIONAL_INCOMES], axis=0)
        return PRICES_2019 * self.sum_units(np.asarray(total))


def find_survey(place: str) -> Path:
    """Return the survey of the setting `place`: South Carolina's for its shipped places."""
    return DATA / "households.csv" if place in PLACES else NATIONAL_FILE


@cache
def read_national_sample() -> NationalSample:
    """Read the shipped households of the United States, once per process."""
    sample = NationalSample.read(NATIONAL_FILE, NATIONAL_COLUMNS, price=PRICES_2019)
    return read_only(sample)


@cache
def read_sample() -> Sample:
    """Read the shipped households of South Carolina, once per process."""
    return read_only(Sample.read(DATA / "households.csv", TAX_UNIT_COLUMNS, price=PRICES))
