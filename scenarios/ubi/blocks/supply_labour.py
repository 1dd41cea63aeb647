"""Decide weekly working hours, 0 included."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.consumption import poverty_line
from memopolis.agents.economy.labour_supply import (
    MAX_HOURS,
    combine_margins,
    desired_hours,
    participation,
    relative_income,
    relative_wage,
)
from memopolis.agents.economy.production import MONTH_WEEKS
from memopolis.agents.economy.wellbeing import adapt_level
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.household_settings import LabourSupplySettings
from memopolis.scenarios.ubi.money import read_price_level
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.scenarios.ubi.policy import read_surtax
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort

QUERY = "my work and pay, looking for work, the basic income and the surtax"
REASONS = (
    "works its usual hours",
    "unearned income lets it work less",
    "an hour of work buys less",
    "an hour of work buys more",
    "unearned income lets it do without work",
)
_NOTICED = 0.01


@dataclass(eq=False, repr=False)
class SupplyLabour(Block):
    """Let adults able to work decide their desired hours once a month."""

    reads = ("age", "household", "labour", "wage", "skill", "usual_hours", "hours", "attitude")
    writes = ("wanted_hours",)
    state = ("counted_on",)

    settings: LabourSupplySettings = field(default_factory=LabourSupplySettings)

    def setup(self) -> None:
        """Start without expectations of unearned income."""
        people = len(self.population)
        self.counted_on: NDArray[np.float32] = np.full(people, np.nan, np.float32)

    def who(self, citizens: Cohort) -> Cohort:
        """Select adults in or near the labour force with baseline hours."""
        status = citizens.status
        able = np.isin(status.codes("labour"), (Labour.EMPLOYED, Labour.UNEMPLOYED, Labour.AT_HOME))
        return citizens.where(able & (status["age"] >= ADULT) & (status["usual_hours"] > 0))

    def perceive(self, adults: Cohort) -> Question:
        """Ask about hours, given pay, prices and unearned income."""
        recalled = adults.memory.stream.search(QUERY, k=self.settings.memories, profile=PROFILE)
        rule = partial(supply_hours, settings=self.settings)
        return Question(
            "labour_supply",
            adults,
            "rating",
            rule,
            memories=recalled,
            known=self._collect_known(adults),
            high=MAX_HOURS,
        )

    def _collect_known(self, adults: Cohort) -> dict[str, NDArray[Any]]:
        status, s = adults.status, self.settings
        homes = self.society.population("household").memory.columns.arrays
        house = status["household"]
        price, rate = read_price_level(self.society), read_surtax(self.society)
        kept = np.full(len(adults), max(s.kept - rate, 0.01))
        income = self._compute_usual_income(homes, price)[house]
        unearned = self._update_expected_income(adults, homes, rate)
        wage = np.where(status["wage"] > 0, status["wage"], 0)
        return {
            "usual_hours": status["usual_hours"],
            "hours": status["hours"],
            "hourly_wage": wage,
            "unearned": (unearned / 100).astype(np.float32),
            "income": (income / 100).astype(np.float32),
            "wage_ratio": relative_wage(
                wage / price, status["skill"], kept, np.full(len(adults), s.kept)
            ).astype(np.float32),
            "income_ratio": relative_income(
                unearned, income, poverty_line(homes["size"], price)[house]
            ).astype(np.float32),
            "wish": (status["attitude.work"] - s.usual_wish).astype(np.float32),
            "inclination": self.society.chance.uniform("supply_labour.inclination", adults.rows),
        }

    def _compute_usual_income(
        self, homes: dict[str, NDArray[Any]], price: float
    ) -> NDArray[np.floating[Any]]:
        """Compute household income at baseline hours, in cents per month."""
        people = self.population.cohort().status
        wage = np.where(people["wage"] > 0, people["wage"], people["skill"] * price)
        earned = 100 * MONTH_WEEKS * self.settings.kept * wage * people["usual_hours"]
        total = np.bincount(people["household"], earned, minlength=len(homes["size"]))
        return np.asarray(total + homes["pension"] + np.maximum(homes["dividends"], 0))

    def _update_expected_income(
        self, adults: Cohort, homes: dict[str, NDArray[Any]], surtax: float
    ) -> NDArray[np.floating[Any]]:
        """Update expected unearned income, net of the surtax."""
        new = len(self.population) - len(self.counted_on)
        if new:
            self.counted_on = np.pad(self.counted_on, (0, new), constant_values=np.nan)
        house = adults.status["household"]
        net = homes["basic_income"] - surtax * (homes["wages"] + homes["dividends"])
        known = adapt_level(
            self.counted_on[adults.rows], net[house], half_life=self.settings.notice
        )
        self.counted_on[adults.rows] = known
        return known

    def apply(self, adults: Cohort, decisions: Decisions) -> None:
        """Store desired hours."""
        adults.status["wanted_hours"] = np.clip(decisions.value, 0, MAX_HOURS)


def supply_hours(question: Question, *, settings: LabourSupplySettings) -> Answer:
    """Compute desired hours by elasticities at both margins: the rule of "labour_supply"."""
    known, s = question.known, settings
    wage, income, wish = known["wage_ratio"], known["income_ratio"], known["wish"]
    hours = desired_hours(
        known["usual_hours"],
        wage,
        income,
        wish,
        substitution=s.substitution,
        income_effect=s.income_effect,
        wish_effect=s.wish_effect,
    )
    share = participation(
        wage,
        income,
        wish,
        substitution=s.join_substitution,
        income_effect=s.join_income_effect,
        wish_effect=s.wish_effect,
    )
    chosen = combine_margins(hours, share, known["inclination"], least=s.least)
    return Answer(chosen, reason=_choose_reason(wage, income, chosen), reasons=REASONS)


def _choose_reason(
    wage: NDArray[np.float32], income: NDArray[np.float32], chosen: NDArray[np.float32]
) -> NDArray[np.uint8]:
    less, more = wage < 1 - _NOTICED, wage > 1 + _NOTICED
    reason = np.where(less, 2, np.where(more, 3, 0))
    richer = income > 1 + _NOTICED
    return np.where(richer, np.where(chosen > 0, 1, 4), reason).astype(np.uint8)
