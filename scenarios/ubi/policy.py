"""The basic income: who gets how much, when, and who pays."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.ubi.money import add_up
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.population import Cohort

type Mask = NDArray[np.bool_]

RULES = ("amount", "funding", "start", "schedule", "who")
"""Settings of the basic income that a shock may change during a run."""


@dataclass(frozen=True)
class Policy:
    """A basic income.

    Attributes:
        amount: Cents for each adult covered, at each payment, >= 0.
        funding: "tax": a surtax on market income; "created": the bank makes the money;
            "none": no source, so the government borrows what it has not.
        who: Adults covered: "all"; "low_income": of households with little market income for
            each adult; "unemployed".
        schedule: "monthly" from the start on, or "once" in that month.
        start: Month from which it is paid, from 0.
        share: Share of the eligible who are covered, by a lot drawn once for each person.
        low_income: Cents a month of market income for each adult, for who="low_income".
    """

    amount: int
    funding: Literal["tax", "created", "none"] = "tax"
    who: Literal["all", "low_income", "unemployed"] = "all"
    schedule: Literal["monthly", "once"] = "monthly"
    start: int = 96
    share: float = 1.0
    low_income: int = 120_000

    def pays(self, month: int) -> bool:
        """Whether it is paid in a month."""
        if self.amount == 0:
            return False
        return month == self.start if self.schedule == "once" else month >= self.start

    def covers(
        self,
        age: NDArray[Any],
        labour: NDArray[Any],
        market_income: NDArray[Any],
        lot: NDArray[np.float64],
    ) -> Mask:
        """Who is covered.

        Args:
            age: Years, shape (persons,).
            labour: Number of `Labour`, shape (persons,).
            market_income: Cents a month of the household for each adult in it.
            lot: Each one's lot in [0, 1), drawn once for all.

        Returns:
            Shape (persons,).
        """
        covered = (age >= ADULT) & (lot < self.share)
        if self.who == "low_income":
            covered &= market_income < self.low_income
        elif self.who == "unemployed":
            covered &= labour == Labour.UNEMPLOYED
        return np.asarray(covered, np.bool_)


def in_force(policy: Policy, rules: Mapping[str, Any]) -> Policy:
    """The basic income as the society's rules have it now.

    Args:
        policy: As it was set at the start.
        rules: Values of `RULES` by name, as in the settings: the amount in USD a month.
    """
    now = {name: rules[name] for name in RULES if name in rules}
    if "amount" in now:
        now["amount"] = round(100 * now["amount"])
    return replace(policy, **now)


def covered_by(policy: Policy, people: Cohort, homes: dict[str, NDArray[Any]]) -> Mask:
    """Who of some citizens the policy covers; a person's lot is the same in every month.

    Args:
        policy: The basic income.
        people: Citizens.
        homes: Columns of all households.

    Returns:
        Shape (citizens,).
    """
    age, house = people.status["age"], people.status["household"]
    adults = add_up(age >= ADULT, house, len(homes["wages"]))
    each = (homes["wages"] + homes["dividends"]) / np.maximum(adults, 1)
    lot = people.population.society.chance.uniform("basic income lot", people.rows)
    return policy.covers(age, people.status.codes("labour"), each[house], lot)
