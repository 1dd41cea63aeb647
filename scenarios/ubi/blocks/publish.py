"""Monthly figures of the statistics bureau, and its panel survey."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from memopolis.scenarios.ubi.household_settings import GOODS, PanelSettings
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.arrays import Array, Float64, Floats, Ints
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError
from memopolis.sim.population import Cohort, Population
from memopolis.sim.statistics.inequality import gini
from memopolis.sim.survey.named import CES_D, CUT_OFF, LIFE_SATISFACTION
from memopolis.sim.survey.survey import Answers, Survey, points, total

YEAR = 12  # months over which inflation and the Gini coefficient are computed


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
        self.basket: Float64 = np.zeros(len(GOODS))
        self.levels: Float64 = np.full(YEAR + 1, np.nan)
        self.incomes: Float64 = np.full((len(self.households), YEAR), np.nan)

    def step(self, bureau: Cohort) -> None:
        """Publish the figures of the month."""
        figures = (
            self._compute_output()
            | self._compute_labour_market()
            | self._compute_household_figures()
        )
        for name, value in figures.items():
            bureau[name] = value

    def _compute_output(self) -> dict[str, float]:
        firms = self.firms.cohort()
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
        self, sector: Ints, revenue: Float64, sold: Floats, price: Float64
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
        people = self.citizens.cohort()
        labour = people["labour"]
        employed = labour == Labour.EMPLOYED
        force = employed | (labour == Labour.UNEMPLOYED)
        adults = people["age"] >= ADULT
        workers = int(np.count_nonzero(force))
        vacancies = float(self.firms.cohort()["vacancies"].sum())
        return {
            "unemployment": _ratio(workers - np.count_nonzero(employed), workers),
            "participation": _ratio(np.count_nonzero(force & adults), np.count_nonzero(adults)),
            "vacancies": _ratio(vacancies, workers),
            "hours": _mean(people["hours"][employed]),
            "wage": _mean(people["wage"][employed]),
            "life_satisfaction": _mean(people["life_satisfaction"][adults]),
        }

    def _compute_household_figures(self) -> dict[str, float]:
        homes = self.households.cohort()
        missing = len(self.households) - len(self.incomes)
        if missing:
            self.incomes = np.concatenate([self.incomes, np.full((missing, YEAR), np.nan)])
        self.incomes[:, self.clock.tick % YEAR] = np.nan
        self.incomes[homes.rows, self.clock.tick % YEAR] = homes["disposable"]
        # The mean over available months: new households have no full year.
        usual = np.maximum(np.nanmean(self.incomes[homes.rows], axis=1), 0)
        return {
            "income": _mean(homes["disposable"]) / 100,
            "consumption": _mean(homes["consumption"]) / 100,
            "gini": gini(usual) if usual.sum() > 0 else 0.0,
            "poverty": float((usual < np.median(usual) / 2).mean()),
        }


def _mean(values: Array) -> float:
    return float(values.mean(dtype=np.float64)) if len(values) else 0.0


def _ratio(part: float | np.integer[Any], whole: float | np.integer[Any]) -> float:
    return float(part / whole) if whole else 0.0


@dataclass(eq=False, repr=False)
class AskPanel(Block):
    """Ask the CES-D and life satisfaction as an observer, and publish the results.

    The mean score and the share of cases are columns of the bureau, unchanged until the next panel.
    """

    reads = ()
    writes = ("depression", "cases")

    settings: PanelSettings = field(default_factory=PanelSettings)

    def setup(self) -> None:
        """Raise ParameterError if another survey asks the same items."""
        for survey in (CES_D, LIFE_SATISFACTION):
            if survey.name in self.society.settings.survey.ask:
                raise ParameterError(
                    f"survey.ask names {survey.name}, which the panel already asks; "
                    "change panel.every and panel.size instead"
                )

    def step(self, bureau: Cohort) -> None:
        """Ask in the first month of the run and every few months thereafter."""
        if self.clock.tick % self.settings.every:
            return
        share = self._compute_share()
        scores = score_panel(self.society.put(restrict_to_adults(CES_D, share)))
        self.society.put(restrict_to_adults(LIFE_SATISFACTION, share))
        for name, value in zip(("depression", "cases"), scores, strict=True):
            bureau[name] = value

    def _compute_share(self) -> float:
        """Share of adults that yields the panel size."""
        people = self.society.population("citizen").cohort()
        adults = int((people["age"] >= ADULT).sum())
        return min(1.0, self.settings.size / max(adults, 1))


def restrict_to_adults(survey: Survey, share: float) -> Survey:
    """Restrict a survey to a share of adult citizens."""
    return replace(survey, population="citizen", share=share, from_age=ADULT)


def score_panel(answers: Sequence[Answers]) -> tuple[float, float]:
    """Return the mean score and the share of cases; 0 without complete answers.

    Source: Radloff 1977, doi:10.1177/014662167700100306.
    """
    if not answers:
        return 0.0, 0.0
    value = np.stack([one.value for one in answers], axis=1).astype(np.float64)
    low, high = (np.array([getattr(one.item, end) for one in answers]) for end in ("low", "high"))
    turned = np.array([one.item.reversed for one in answers])
    totals = total(points(value, low, high, turned))
    totals = totals[~np.isnan(totals)]
    if not len(totals):
        return 0.0, 0.0
    return float(totals.mean()), float((totals >= CUT_OFF).mean())
