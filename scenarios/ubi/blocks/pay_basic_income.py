"""Pay the basic income, and compute disposable income."""

from dataclasses import dataclass

import numpy as np

from memopolis.scenarios.ubi.money import Money, sum_by_group
from memopolis.scenarios.ubi.policy import Policy, apply_rules, select_covered
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class PayBasicIncome(Block):
    """Pay the basic income of covered adults to their households."""

    reads = ()
    writes = ("basic_income",)

    policy: Policy
    money: Money
    citizens: Population
    households: Population

    def step(self, government: Cohort) -> None:
        """Pay in months of the policy, then compute disposable income."""
        people = self.citizens.cohort()
        homes = self.households.memory.columns.arrays
        policy = apply_rules(self.policy, self.society.policies)
        covered = np.zeros(len(people), np.bool_)
        if policy.pays(self.clock.tick):
            covered = select_covered(policy, people, homes)
        each = np.where(covered, policy.amount, 0).astype(np.int64)
        people.status["eligible"] = covered
        people.status["basic_income"] = each
        paid = sum_by_group(each, people.status["household"], len(self.households))
        homes["basic_income"][:] = paid
        government.status["basic_income"] = self._pay(
            policy, homes["account"].astype(np.intp), paid
        )
        homes["disposable"][:] = np.where(
            homes["alive"],
            homes["wages"] + homes["dividends"] + homes["benefits"] + paid - homes["tax"],
            0,
        )

    def _pay(self, policy: Policy, accounts: np.ndarray, cents: np.ndarray) -> int:
        """Pay from the selected source of funds, and return the sum."""
        some = np.flatnonzero(cents)
        total = int(cents.sum())
        if not total:
            return 0
        if policy.funding == "created":
            self.money.loans.create(self.money.government, total, "basic income")
        self.money.government_pays(accounts[some], cents[some], "basic income")
        return total
