"""The monthly figures of the statistics bureau, which cover all agents."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population
from memopolis.sim.statistics.inequality import gini

YEAR = 12
"""Months over which inflation and the Gini coefficient are computed."""

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class Publish(Block):
    """Publish output, prices, jobs and incomes; other blocks publish panels and migration."""

    reads = ()
    writes = (
        "gdp", "nominal_gdp", "price_level", "inflation", "unemployment", "participation",
        "vacancies", "hours", "wage", "income", "consumption", "gini", "poverty",
        "life_satisfaction",
    )  # fmt: skip
    state = ("basket", "levels", "incomes")

    citizens: Population
    households: Population
    firms: Population

    def setup(self) -> None:
        """Start without a basket and without past values."""
        self.basket: Floats = np.zeros(len(GOODS))
        self.levels: Floats = np.full(YEAR + 1, np.nan)
        self.incomes: Floats = np.full((len(self.households), YEAR), np.nan)

    def step(self, bureau: Cohort) -> None:
        """Publish the figures of the month."""
        figures = (
            self._compute_output()
            | self._compute_labour_market()
            | self._compute_household_figures()
        )
        for name, value in figures.items():
            bureau.status[name] = value

    def _compute_output(self) -> dict[str, float]:
        firms = self.firms.cohort().status
        made, price = firms["made"].astype(np.float64), firms["price"].astype(np.float64)
        level = self._compute_price_level(
            firms["sector"], firms["revenue"] / 100, firms["sold"], price
        )
        self.levels[:-1] = self.levels[1:]
        self.levels[-1] = level
        # During the first year, inflation is measured since the start.
        before = self.levels[0] if np.isfinite(self.levels[0]) else 1.0
        return {
            "gdp": float(made.sum()),
            "nominal_gdp": float((made * price).sum()),
            "price_level": level,
            "inflation": level / before - 1,
        }

    def _compute_price_level(
        self,
        sector: NDArray[np.integer],
        revenue: Floats,
        sold: NDArray[np.floating],
        price: Floats,
    ) -> float:
        """Price the first month's basket at current average prices."""
        number = len(GOODS)
        spent = np.bincount(sector, revenue, minlength=number)
        units = np.bincount(sector, sold, minlength=number)
        if not self.basket.any():
            self.basket[:] = spent / max(spent.sum(), 1e-9)
        count = np.bincount(sector, minlength=number)
        listed = np.bincount(sector, price, minlength=number) / np.maximum(count, 1)
        paid = np.where(units > 0, spent / np.where(units > 0, units, 1), listed)
        return float((self.basket * paid).sum() / max(self.basket.sum(), 1e-9))

    def _compute_labour_market(self) -> dict[str, float]:
        status = self.citizens.cohort().status
        labour = status.codes("labour")
        employed = labour == Labour.EMPLOYED
        force = employed | (labour == Labour.UNEMPLOYED)
        adults = status["age"] >= ADULT
        vacancies = self.firms.cohort().status["vacancies"].sum()
        return {
            "unemployment": _ratio(force.sum() - employed.sum(), force.sum()),
            "participation": _ratio((force & adults).sum(), adults.sum()),
            "vacancies": _ratio(vacancies, force.sum()),
            "hours": _mean(status["hours"][employed]),
            "wage": _mean(status["wage"][employed]),
            "life_satisfaction": _mean(status["life_satisfaction"][adults]),
        }

    def _compute_household_figures(self) -> dict[str, float]:
        homes = self.households.cohort()
        missing = len(self.households) - len(self.incomes)
        if missing:
            self.incomes = np.concatenate([self.incomes, np.full((missing, YEAR), np.nan)])
        self.incomes[:, self.clock.tick % YEAR] = np.nan
        self.incomes[homes.rows, self.clock.tick % YEAR] = homes.status["disposable"]
        # The mean over available months: new households have no full year.
        usual = np.maximum(np.nanmean(self.incomes[homes.rows], axis=1), 0)
        return {
            "income": _mean(homes.status["disposable"]) / 100,
            "consumption": _mean(homes.status["consumption"]) / 100,
            "gini": gini(usual) if usual.sum() > 0 else 0.0,
            "poverty": float((usual < np.median(usual) / 2).mean()),
        }


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean(dtype=np.float64)) if len(values) else 0.0


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0
