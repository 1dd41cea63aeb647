"""The statistics bureau publishes figures and headlines, and asks a panel."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from memopolis.agents.economy.experience import before_now, find_range
from memopolis.agents.experience import Experience
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.firm_settings import BureauSettings
from memopolis.scenarios.ubi.household_settings import GOODS, PanelSettings
from memopolis.scenarios.ubi.memories import Importance, Indicator, remember_by_size
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.arrays import Array, Float64, Floats, Ints
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population
from memopolis.sim.statistics.inequality import gini
from memopolis.sim.survey.named import CES_D, CUT_OFF, LIFE_SATISFACTION
from memopolis.sim.survey.survey import Answers, Survey, points, total
from memopolis.sim.timeline import News

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


# The statistics bureau remembers its figures, and publishes an unusual one as news.


IMPORTANCE = Importance(least=0.1, most=0.5, scale=0.3)  # importance of a figure by its valence


@dataclass(frozen=True)
class Published(Indicator):
    """A published figure that the bureau remembers and reports.

    Usual values are about the means without the policy (computed); scales are illustrative.
    """

    title: str  # name in texts

    @property
    def text(self) -> str:
        """Text of the memory; the same each month, so that its number identifies the figure."""
        return f"We published {self.title}."


INDICATORS = (
    Published("unemployment", 0.047, 0.08, -1, "the unemployment rate"),
    Published("inflation", 0.02, 0.1, -1, "the inflation rate"),
    Published("poverty", 0.21, 0.1, -1, "the poverty rate"),
    Published("gini", 0.44, 0.1, -1, "the inequality of incomes"),
    Published("participation", 0.65, 0.1, 1, "the participation in the labour market"),
    Published("life_satisfaction", 6.8, 0.5, 1, "the life satisfaction of adults"),
)

QUERY = "the figures that we published"
OPTIONS = tuple(one.name.replace("_", " ") for one in INDICATORS)
REASONS = (
    "no earlier figures are recalled",
    "higher than all that is recalled",
    "lower than all that is recalled",
    "the least usual of figures within their range",
)
LEAST_RANGE = 0.02  # minimum width of a recalled range, in units of valence (illustrative)


class RememberFigures(Block):
    """Store the figures of the month, as good or bad news."""

    reads: ClassVar[tuple[str, ...]] = tuple(one.name for one in INDICATORS)

    def step(self, bureau: Cohort) -> None:
        """Remember each figure, the more important the farther it is from its usual value."""
        for one in INDICATORS:
            valence = one.encode(float(bureau[one.name][0]))
            remember_by_size(bureau, "figures", one.text, valence, IMPORTANCE)


@dataclass(eq=False, repr=False)
class ChooseHeadline(Block):
    """Let the bureau choose one indicator, and publish it as news of the next month."""

    reads: ClassVar[tuple[str, ...]] = tuple(one.name for one in INDICATORS)

    settings: BureauSettings = field(default_factory=BureauSettings)

    def who(self, bureau: Cohort) -> Cohort:
        """Select the bureau in months of a headline."""
        due = self.clock.tick > 0 and self.clock.tick % self.settings.headline_every == 0
        return bureau if due and self.settings.headlines else bureau.none()

    def perceive(self, bureau: Cohort) -> Question:
        """Recall published figures, and compare the current ones with their range."""
        memories = self.settings.memories
        past = Experience.recall(
            bureau, QUERY, k=memories, profile=PROFILE, where=before_now(bureau, "figures")
        )
        now = np.array([one.encode(float(bureau[one.name][0])) for one in INDICATORS], np.float64)
        low, high = self._find_ranges(past)
        known: dict[str, Array] = {
            "now": np.tile(now, (len(bureau), 1)),
            "low": low,
            "high": high,
        } | {one.name: bureau[one.name] for one in INDICATORS}
        rule = partial(choose_headline, good=np.array([one.good for one in INDICATORS]))
        return past.ask_choice("headline", rule, known, OPTIONS)

    def _find_ranges(self, past: Experience) -> tuple[Float64, Float64]:
        """Return the lowest and highest recalled value of each indicator, NaN without any."""
        valence = past.column("valence").astype(np.float64)
        ranges = [find_range(valence, past.reports([one.text])) for one in INDICATORS]
        low, high = (np.stack(ends, axis=1) for ends in zip(*ranges, strict=True))
        return low, high

    def apply(self, bureau: Cohort, decisions: Decisions) -> None:
        """Publish the headline, which citizens receive next month."""
        del bureau
        if self.clock.tick + 1 >= self.society.ticks:
            return
        place = int(np.nan_to_num(decisions.value[0]))
        one, known = INDICATORS[place], decisions.question.known
        now, low, high = (
            one.good * float(known[name][0, place]) for name in ("now", "low", "high")
        )
        news = News(
            describe_headline(one.title, now, min(low, high), max(low, high)),
            topic="figures",
            importance=self.settings.importance,
        )
        self.society.at(self.clock.date_of(self.clock.tick + 1), news)


def describe_headline(title: str, now: float, low: float, high: float) -> str:
    """Describe a figure compared with its recalled range, NaN if nothing is recalled."""
    change = "higher than" if now > high else "lower than" if now < low else "about the same as"
    return f"Official figures: {title} is {change} in past months."


def choose_headline(question: Question, *, good: Ints) -> Answer:
    """Choose the figure farthest outside its recalled range: the rule of "headline".

    Source: News selects what is unexpected (Galtung and Ruge 1965, Journal of Peace Research
    2:64-91, recalled). Without memories, the first indicator.
    """
    now, low, high = (question.known[name] for name in ("now", "low", "high"))
    width = np.maximum(high - low, LEAST_RANGE)
    beyond = np.maximum(now - high, low - now) / width
    chosen = np.where(np.isnan(beyond), -np.inf, beyond).argmax(axis=1)
    rows = np.arange(len(chosen))
    above = np.where(good > 0, now > high, now < low)
    outside = beyond[rows, chosen] > 0
    known = ~np.isnan(beyond[rows, chosen])
    reason = np.where(outside, np.where(above[rows, chosen], 1, 2), 3)
    return Answer(chosen, reason=np.where(known, reason, 0), reasons=REASONS)
