"""Survey households, joined from tax units of the Current Population Survey, and their weights."""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from memopolis.agents.economy.taxes import FILING
from memopolis.scenarios.places.place_files import NO_PLACE
from memopolis.scenarios.places.zones import read_place
from memopolis.scenarios.synthesis.counties import read_counties
from memopolis.scenarios.synthesis.fitting import FittedWeights, fit
from memopolis.scenarios.synthesis.microdata import NATIONAL_FILE, NationalSample
from memopolis.scenarios.synthesis.person_traits import education_edges
from memopolis.scenarios.synthesis.tax_units import COLUMNS
from memopolis.sim.arrays import Float64, Int16, Int64, Intp
from memopolis.sim.chance import Chance, options_of
from memopolis.sim.errors import ParameterError
from memopolis.sim.read_only import read_only
from memopolis.sim.statistics.inequality import gini
from memopolis.sim.world.columns import Column
from memopolis.sim.world.place import Place

DATA = Path(__file__).parent / "data"

EARNINGS = ("wage_head", "wage_spouse", "self_employed_head", "self_employed_spouse")
MARKET = (*EARNINGS, "interest", "dividends", "pension")
"""Market income, with private pensions, as in the static figures of the facts."""
MONEY = (*MARKET, "unemployment", "social_security", "snap", "ssi", "tanf")
"""Money income, whose Gini coefficient is .482 among households."""
ASSISTANCE = ("snap", "ssi", "tanf", "housing")  # Means-tested benefits
MONEY_COLUMNS = (*MONEY, "housing", "veterans", "other")

TAX_UNIT_COLUMNS = {
    **COLUMNS,
    "year": Column("whole", least=2012, most=2014),
    "filing": Column("text", options=FILING),
    **{name: Column("number") for name in MONEY_COLUMNS},
}

PRICES = {2012: 1.1135, 2013: 1.0974, 2014: 1.0799}
"""Dollars of 2019 per dollar of the survey's year, by consumer prices (found: BLS)."""


class Microdata(NationalSample):
    """Households of the survey, which all have the same weight; money is in dollars of 2019."""

    @cached_property
    def adults(self) -> Int64:
        """Number of adults in each household, as counted by its tax units."""
        return self.sum_units(self.units["persons"] - self.units["under_18"]).astype(np.int64)

    @cached_property
    def income(self) -> Float64:
        """Yearly money income of each household, shape (households,)."""
        return self.sum_income(MONEY)

    def sum_income(self, kinds: tuple[str, ...]) -> Float64:
        """Sum kinds of income per year, dollars of 2019, at least 0, shape (households,)."""
        total = np.sum([self.units[kind] for kind in kinds], axis=0)
        return np.maximum(self.sum_units(total), 0.0)

    def price(self) -> Float64:
        """Return dollars of 2019 per dollar of the survey year, shape (households,)."""
        of_unit = np.array([PRICES[year] for year in self.units["year"].tolist()])
        return of_unit[self.head_unit]


def read_microdata(path: Path) -> Microdata:
    """Read tax units, one row each with the columns of `TAX_UNIT_COLUMNS`, and join them."""
    return Microdata.read(path, TAX_UNIT_COLUMNS, children_last=True)


@cache
def read_sample() -> Microdata:
    """Read the shipped sample of the United States, once per process."""
    return read_only(read_microdata(NATIONAL_FILE))


def static_gini(amount: float, funding: Literal["none", "tax"] = "none") -> float:
    """Compute the Gini coefficient of money income if every adult received `amount` USD per year.

    Without behavioural change; the funding "tax" is a flat tax on market income that pays all of
    it. References: .482 without, .397 unfunded and .357 funded at 12,000 USD. Raises ParameterError
    if the amount is negative or the tax would exceed market income.
    """
    if not amount >= 0:
        raise ParameterError(f"amount is {amount}; it must be at least 0 USD per year")
    people = read_sample()
    price = people.price()
    income = people.income / price + amount * people.adults
    if funding == "tax":
        income -= static_rate(amount) * people.sum_income(MARKET) / price
    return gini(income)


def static_rate(amount: float) -> float:
    """Compute the flat tax rate on market income that pays `amount` per year to every adult."""
    people = read_sample()
    rate = float(amount * people.adults.sum() / (people.sum_income(MARKET) / people.price()).sum())
    if rate > 1:
        raise ParameterError(f"amount is {amount}; it costs {rate:.2f} times all market income")
    return rate


# The people of a place, from whom households are drawn if the setting `place` names one.


DOLLARS_2019 = 255.657 / 251.107
"""Dollars of 2019 per dollar of 2018, by consumer prices (recalled: BLS)."""
EXPECTED_JOBLESS = 0.05
"""Unemployment rate at the start without a place, which a zone's rate is compared with: the
target of `person_traits.JOBLESS` (illustrative)."""


@dataclass(frozen=True, eq=False)
class Town:
    """Survey households weighted by the marginals of a place's zones."""

    fitted: FittedWeights  # the weights

    @property
    def place(self) -> Place:
        """The zones."""
        return self.fitted.place

    @cached_property
    def by_income(self) -> tuple[Intp, Float64]:
        """Survey households in order of income, and the cumulated shares of the place's."""
        order = np.argsort(self.fitted.sample.income, kind="stable")
        edges = np.cumsum(self.fitted.joint.sum(axis=0)[order])
        return order, edges / edges[-1]

    @cached_property
    def _zone_edges(self) -> Float64:
        """Cumulated shares of zones by survey household, (households, zones)."""
        edges = np.cumsum(self.fitted.joint.T, axis=1)
        return np.asarray(edges / np.maximum(edges[:, -1:], 1e-300))

    @cached_property
    def quintile_edges(self) -> Float64:
        """Incomes between the quintiles of the place's households, shape (4,)."""
        order, edges = self.by_income
        at = np.searchsorted(edges, [0.2, 0.4, 0.6, 0.8])
        return np.asarray(self.fitted.sample.income[order[np.minimum(at, len(order) - 1)]])

    @cached_property
    def jobless(self) -> Float64:
        """Unemployment rate of each zone relative to `EXPECTED_JOBLESS`, (zones,)."""
        return np.asarray(self.fitted.county["unemployment"].to_numpy() / EXPECTED_JOBLESS)

    @cached_property
    def education_edges(self) -> Float64:
        """Ranks between the levels of education, (zones, 3)."""
        return education_edges(self.fitted.county)

    def select_kinds(self, at: Float64) -> Intp:
        """Select survey households by their rank in the place's order of income, in [0, 1)."""
        order, edges = self.by_income
        return np.asarray(order[np.searchsorted(edges[:-1], at, side="right")])

    def draw_zones(self, kind: Intp, numbers: Intp, chance: Chance) -> Int16:
        """Draw the zone of households of given kinds, given their numbers."""
        u = chance.uniform("household zone", numbers)
        return options_of(self._zone_edges, kind, u).astype(np.int16)


def read_town(place: str) -> Town | None:
    """Fit the survey to the place of the setting; None without a place."""
    if place == NO_PLACE:
        return None
    return Town(fit(read_place(place), read_sample(), read_counties(), price=DOLLARS_2019))
