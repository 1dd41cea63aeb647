"""The statistics bureau remembers its figures, and publishes an unusual one as news."""

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.experience import before_now, find_range
from memopolis.agents.experience import Experience
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.figures import Indicator
from memopolis.scenarios.ubi.firm_settings import BureauSettings
from memopolis.scenarios.ubi.memories import Importance, remember_by_size
from memopolis.sim.arrays import Array, Float64, Ints
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News

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
