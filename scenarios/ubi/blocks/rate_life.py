"""Adults update needs, life satisfaction and attitudes."""

from dataclasses import dataclass, field, replace

import numpy as np

from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.blocks import cognition
from memopolis.agents.economy.consumption import poverty_line
from memopolis.agents.economy.wellbeing import (
    adapt_level,
    compute_company,
    compute_rest,
    compute_strain,
    life_satisfaction,
)
from memopolis.agents.joining import extend_rows
from memopolis.scenarios.ubi.household_settings import MonthSettings, WellbeingSettings
from memopolis.scenarios.ubi.money import read_price_level
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.arrays import Float32, Float64
from memopolis.sim.block import Block
from memopolis.sim.memory.memory import Added
from memopolis.sim.memory.streams.encoding import IMPORTANCE
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class RateLife(Block):
    """Update the needs for rest and company, and life satisfaction, from the last month."""

    reads = ("age", "household", "labour", "hours", "emotion")
    writes = ("energy", "social", "life_satisfaction")
    state = ("used_to",)

    settings: WellbeingSettings = field(default_factory=WellbeingSettings)
    month: MonthSettings = field(default_factory=MonthSettings)

    def setup(self) -> None:
        """Start without reference levels of income."""
        self.used_to: Float32 = np.full(len(self.population), np.nan, np.float32)

    def step(self, citizens: Cohort) -> None:
        """Update adults; children stay unchanged."""
        self.used_to = extend_rows(self.used_to, len(self.population), np.nan)
        adults = citizens.where(citizens["age"] >= ADULT)
        homes = self.society.population("household")
        self._update_needs(adults, homes)
        self._update_satisfaction(adults, homes)

    def _draw_differences(self, adults: Cohort, purpose: str, spread: float) -> Float64:
        """Return fixed individual differences, drawn once."""
        return spread * self.society.chance.normal(f"rate_life.{purpose}", adults.rows)

    def _update_needs(self, adults: Cohort, homes: Population) -> None:
        s = self.settings
        house = adults["household"]
        means = homes["consumption"] + homes["deposit"]
        need = self.month.needs * poverty_line(homes["size"], read_price_level(self.society))
        # There is no spending before the first month.
        tight = compute_strain(means, need)[house] * (self.clock.tick > 0)
        adults["energy"] = compute_rest(
            adults["hours"],
            tight,
            self._draw_differences(adults, "rest", s.disposition),
            start=s.rested,
            by_hours=s.by_hours,
            by_strain=s.by_strain,
        )
        adults["social"] = compute_company(
            np.maximum(homes["size"][house] - 1, 0),
            adults["labour"] == Labour.EMPLOYED,
            self._draw_differences(adults, "company", s.disposition),
            start=s.alone,
            by_others=s.by_others,
            by_work=s.by_work,
        )

    def _update_satisfaction(self, adults: Cohort, homes: Population) -> None:
        s = self.settings
        house = adults["household"]
        least = 0.2 * poverty_line(homes["size"], read_price_level(self.society))
        income = np.where(homes["disposable"] != 0, homes["disposable"], homes["usual"])
        known = (income != 0)[house]
        log_income = np.log(np.maximum(income, least) / (5 * least))[house]
        # There is no reference income before the first income.
        log_income = np.where(known, log_income, _TYPICAL)
        before = self.used_to[adults.rows]
        used_to = np.where(np.isnan(before), log_income, before)
        adults["life_satisfaction"] = life_satisfaction(
            s.setpoint + self._draw_differences(adults, "setpoint", s.spread),
            log_income,
            used_to,
            adults["emotion.joy"] - adults["emotion.sadness"],
            adults["labour"] == Labour.UNEMPLOYED,
            level=s.level,
            change=s.change,
            feelings=s.feelings,
            jobless=s.jobless,
        )
        now = adapt_level(used_to, log_income, half_life=s.adaptation)
        self.used_to[adults.rows] = np.where(known, now, np.float32(np.nan))


_TYPICAL = 1.0  # logarithm of income over the poverty line if unknown (illustrative)


ATTITUDES_EVERY = 3  # months between two updates of an adult (choice)


class Feel(cognition.Feel):
    """Change six feelings by the events of the month that are not trivial, and let them decay.

    A feeling about an everyday event, such as a talk or a price in a shop, ends within the month.

    Source: Emotions last the longer, the more important the event: Verduyn and Lavrijsen 2015,
    Motivation and Emotion 39:119-127 (recalled). The limit is this project's.
    """

    def __init__(self, settings: CognitionSettings, *, trivia: float) -> None:
        super().__init__(settings)
        self.trivia = trivia

    def notice(self, added: Added) -> None:
        """Sum the impulses of new events by feeling, without trivial ones."""
        trivial = added.importance <= self.trivia * IMPORTANCE
        super().notice(replace(added, valence=np.where(trivial, 0, added.valence)))


class UpdateAttitudes(cognition.UpdateAttitudes):
    """Recall memories and update attitudes, a third of the adults each month."""

    def who(self, citizens: Cohort) -> Cohort:
        """Select the adults whose month it is."""
        turn = (citizens.rows + self.clock.tick) % ATTITUDES_EVERY == 0
        return citizens.where(turn & (citizens["age"] >= ADULT))
