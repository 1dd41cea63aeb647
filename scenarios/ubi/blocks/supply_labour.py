"""Decide weekly working hours, 0 included."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from memopolis.agents.economy.consumption import poverty_line
from memopolis.agents.economy.experience import AgedExperience
from memopolis.agents.economy.firms import MONTH_WEEKS
from memopolis.agents.economy.labour_supply import (
    MAX_HOURS,
    combine_margins,
    desired_hours,
    participation,
    relative_income,
    relative_wage,
    respond,
    weigh_work_experience,
)
from memopolis.agents.economy.wellbeing import adapt_level
from memopolis.agents.joining import extend_rows, read_rows
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.household_settings import LabourSupplySettings
from memopolis.scenarios.ubi.memories import DecisionTexts, remember_decisions
from memopolis.scenarios.ubi.money import read_price_level
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.scenarios.ubi.policy import read_surtax
from memopolis.sim.arrays import Array, Float32, Floats, UInt8
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population

QUERY = (
    "my work and pay, losing my job, looking for work, what we could not pay for, the basic income "
    "and the surtax"
)
TEXTS = DecisionTexts.read("labour_supply")
_NOTICED = 0.01
_FELT = 0.002  # change of log hours from which an experience is a reason (illustrative)


@dataclass(eq=False, repr=False)
class SupplyLabour(Block):
    """Let adults able to work decide their desired hours once a month."""

    reads = ("age", "household", "labour", "wage", "skill", "usual_hours", "hours", "attitude")
    writes = ("wanted_hours",)
    topics = ("job", "money", "pay")
    state = ("counted_on", "noted")

    settings: LabourSupplySettings = field(default_factory=LabourSupplySettings)

    def setup(self) -> None:
        """Start without expectations of unearned income and without remembered decisions."""
        people = len(self.population)
        self.counted_on: Float32 = np.full(people, np.nan, np.float32)
        self.noted: Float32 = np.full(people, np.nan, np.float32)

    def who(self, citizens: Cohort) -> Cohort:
        """Select adults in or near the labour force with baseline hours."""
        able = np.isin(citizens["labour"], (Labour.EMPLOYED, Labour.UNEMPLOYED, Labour.AT_HOME))
        return citizens.where(able & (citizens["age"] >= ADULT) & (citizens["usual_hours"] > 0))

    def perceive(self, adults: Cohort) -> Question:
        """Ask about hours, given pay, prices and unearned income."""
        past = AgedExperience.recall(adults, QUERY, k=self.settings.memories, profile=PROFILE)
        rule = partial(supply_hours, settings=self.settings)
        known = self._collect_known(adults) | self._weigh(past)
        return past.ask_rating("labour_supply", rule, known, high=MAX_HOURS)

    def _collect_known(self, adults: Cohort) -> dict[str, Array]:
        s = self.settings
        homes = self.society.population("household")
        house = adults["household"]
        price = read_price_level(self.society)
        kept = np.full(len(adults), max(s.kept - read_surtax(self.society), 0.01))
        income = self._compute_usual_income(homes, price)[house]
        unearned = self._expect_income(adults)
        wage = np.where(adults["wage"] > 0, adults["wage"], 0)
        return {
            "usual_hours": adults["usual_hours"],
            "hours": adults["hours"],
            "hourly_wage": wage,
            "unearned": (unearned / 100).astype(np.float32),
            "income": (income / 100).astype(np.float32),
            "wage_ratio": relative_wage(
                wage / price, adults["skill"], kept, np.full(len(adults), s.kept)
            ).astype(np.float32),
            "income_ratio": relative_income(
                unearned, income, poverty_line(homes["size"], price)[house]
            ).astype(np.float32),
            "wish": (adults["attitude.work"] - s.usual_wish).astype(np.float32),
            "inclination": self.society.chance.uniform("supply_labour.inclination", adults.rows),
        }

    def _weigh(self, past: AgedExperience) -> dict[str, Array]:
        """Return recalled hardship in [0, 1], and recalled changes of pay in [-1, 1]."""
        s = self.settings.experience
        _, worry = past.accumulate("job", "money", span=s.span, curvature=s.curvature)
        rises, falls = past.accumulate("pay", span=s.span, curvature=s.curvature)
        return {"recalled_hardship": worry, "recalled_pay": rises - falls}

    def _compute_usual_income(self, homes: Population, price: float) -> Floats:
        """Compute household income at baseline hours, in cents per month."""
        people = self.population.cohort()
        wage = np.where(people["wage"] > 0, people["wage"], people["skill"] * price)
        earned = 100 * MONTH_WEEKS * self.settings.kept * wage * people["usual_hours"]
        total = np.bincount(people["household"], earned, minlength=len(homes["size"]))
        return np.asarray(total + homes["pension"] + np.maximum(homes["dividends"], 0))

    def _expect_income(self, adults: Cohort) -> Floats:
        """Return the unearned income that adults expect from now on, net of the surtax."""
        homes = self.society.population("household")
        surtax = read_surtax(self.society)
        net = homes["basic_income"] - surtax * (homes["wages"] + homes["dividends"])
        net = net[adults["household"]]
        before = read_rows(self.counted_on, adults.rows, np.nan)
        return adapt_level(before, net, half_life=self.settings.notice)

    def apply(self, adults: Cohort, decisions: Decisions) -> None:
        """Store expected income and desired hours, and remember large changes of hours."""
        people = len(self.population)
        self.counted_on = extend_rows(self.counted_on, people, np.nan)
        self.noted = extend_rows(self.noted, people, np.nan)
        self.counted_on[adults.rows] = self._expect_income(adults)
        hours = np.clip(decisions.value, 0, MAX_HOURS)
        adults["wanted_hours"] = hours
        self.noted[adults.rows] = remember_decisions(
            adults,
            hours,
            self.noted[adults.rows],
            TEXTS,
            TEXTS.number(decisions),
            topic="work",
            least=self.settings.experience.noted,
        )


def supply_hours(question: Question, *, settings: LabourSupplySettings) -> Answer:
    """Compute desired hours by elasticities at both margins: the rule of "labour_supply"."""
    known, s = question.known, settings
    wage, income, wish = known["wage_ratio"], known["income_ratio"], known["wish"]
    past = weigh_work_experience(
        known["recalled_hardship"],
        known["recalled_pay"],
        precaution=s.experience.precaution,
        pay_effect=s.experience.pay,
    )
    change = respond(
        wage,
        income,
        wish,
        substitution=s.substitution,
        income_effect=s.income_effect,
        wish_effect=s.wish_effect,
    )
    change_of_share = respond(
        wage,
        income,
        wish,
        substitution=s.join_substitution,
        income_effect=s.join_income_effect,
        wish_effect=s.wish_effect,
    )
    hours = desired_hours(known["usual_hours"], change + past)
    share = participation(change_of_share)
    chosen = combine_margins(hours, share, known["inclination"], least=s.least)
    reason = _choose_reason(wage, income, chosen)
    hardship = s.experience.precaution * known["recalled_hardship"]
    main = np.where(hardship > np.abs(past - hardship), 5, np.where(past > 0, 6, 7))
    reason = np.where((reason == 0) & (np.abs(past) > _FELT), main, reason).astype(np.uint8)
    return Answer(chosen, reason=reason, reasons=TEXTS.reasons)


def _choose_reason(wage: Float32, income: Float32, chosen: Float32) -> UInt8:
    less, more = wage < 1 - _NOTICED, wage > 1 + _NOTICED
    reason = np.where(less, 2, np.where(more, 3, 0))
    richer = income > 1 + _NOTICED
    return np.where(richer, np.where(chosen > 0, 1, 4), reason).astype(np.uint8)
