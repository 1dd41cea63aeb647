"""The basic income: amount, coverage, schedule and funding."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from memopolis.scenarios.ubi.government_settings import Covered, Enrolment, Funding, Schedule
from memopolis.scenarios.ubi.money import sum_by_group
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.arrays import Array, Bools, Float64
from memopolis.sim.population import Cohort, Population
from memopolis.sim.society_base import SocietyBase
from memopolis.sim.timeline import News

RULES = ("amount", "funding", "start", "schedule", "who")
"""Settings of the basic income that shocks may change during a run."""

LEAD = 1  # months from the announcement to the first payment (choice)

_WHO = {
    "all": "every adult",
    "low_income": "adults of low income",
    "unemployed": "adults without work",
}
_FUNDING = {
    "tax": ", paid for by a new surtax.",
    "created": ", with money that the central bank creates.",
    "none": ", with money that the government borrows.",
}


@dataclass(frozen=True)
class Policy:
    """A basic income in force; its fields are the settings of these names, money in cents."""

    amount: int  # per covered adult and payment, >= 0
    # Source of the money: a surtax on market income ("tax"), the bank, which creates the money
    # ("created"), or none, so that the government borrows what it lacks
    funding: Funding = "tax"
    who: Covered = "all"  # adults covered; "low_income": of households with a low income per adult
    schedule: Schedule = "monthly"  # from the start on, or "once" in that month
    start: int = 96  # first month of payment, from 0
    share: float = 1.0  # share of eligible adults covered, drawn once per person
    low_income: int = 120_000  # limit for "low_income": income per adult and month
    # Whether those covered in the first month remain so, whatever they earn later ("fixed"), or
    # coverage is determined each month ("monthly")
    enrolment: Enrolment = "fixed"

    def pays(self, month: int) -> bool:
        """Return whether the policy pays in a month."""
        if self.amount == 0:
            return False
        return month == self.start if self.schedule == "once" else month >= self.start

    def announce(self) -> tuple[int, News] | None:
        """Return month and news, without a stance, of the announcement; None without a policy."""
        if self.amount == 0:
            return None
        often = "once" if self.schedule == "once" else "every month"
        text = f"The government announced a basic income: {_WHO[self.who]} will be paid {often}"
        news = News(text + _FUNDING[self.funding], topic="policy", stance=0.0, importance=0.5)
        return max(self.start - LEAD, 0), news

    def covers(self, age: Array, labour: Array, income: Array, lot: Float64) -> Bools:
        """Select the persons covered, shape (persons,).

        `labour` is a number of `Labour`, `income` that of the household per adult, in cents per
        month, and `lot` a fixed uniform draw of each person.
        """
        covered = (age >= ADULT) & (lot < self.share)
        if self.who == "low_income":
            covered &= income < self.low_income
        elif self.who == "unemployed":
            covered &= labour == Labour.UNEMPLOYED
        return np.asarray(covered, np.bool_)


def apply_rules(policy: Policy, rules: Mapping[str, Any]) -> Policy:
    """Replace values of the policy by rules in force, as in the settings: the amount in USD."""
    now = {name: rules[name] for name in RULES if name in rules}
    if "amount" in now:
        now["amount"] = round(100 * now["amount"])
    return replace(policy, **now)


def select_covered(policy: Policy, people: Cohort, homes: Population) -> Bools:
    """Select the citizens covered, by the household's own income of about a year, (citizens,)."""
    age, house = people["age"], people["household"]
    adults = sum_by_group(age >= ADULT, house, len(homes["wages"]))
    # Before the first month there is only this month's market income.
    market = homes["wages"] + homes["dividends"]
    income = np.where(homes["own_income"] < 0, market, homes["own_income"])
    each = income / np.maximum(adults, 1)
    lot = people.population.society.chance.uniform("basic income lot", people.rows)
    return policy.covers(age, people["labour"], each[house], lot)


def read_surtax(society: SocietyBase[Any]) -> float:
    """Return the surtax rate of the last month, a share of market income."""
    return float(society.population("government")["surtax"][0])
