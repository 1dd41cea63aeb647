"""Pay the basic income, and work out what households may dispose of."""

import numpy as np

from memopolis.scenarios.ubi.money import Money, add_up
from memopolis.scenarios.ubi.policy import Policy, covered_by, in_force
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


class PayBasicIncome(Block):
    """Pay every covered adult's household; tell both how much it was."""

    reads = ()
    writes = ("basic_income",)

    def __init__(
        self, policy: Policy, money: Money, citizens: Population, households: Population
    ) -> None:
        self.policy = policy
        self.money = money
        self.citizens = citizens
        self.households = households

    def step(self, government: Cohort) -> None:
        """Pay, where this is a month of the policy; then add up every household's month."""
        people = self.citizens.cohort()
        homes = self.households.memory.columns.arrays
        policy = in_force(self.policy, self.society.policies)
        covered = np.zeros(len(people), np.bool_)
        if policy.pays(self.clock.tick):
            covered = covered_by(policy, people, homes)
        each = np.where(covered, policy.amount, 0).astype(np.int64)
        people.status["eligible"] = covered
        people.status["basic_income"] = each
        paid = add_up(each, people.status["household"], len(self.households))
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
        """Pay in whichever way it is funded; gives the sum."""
        some = np.flatnonzero(cents)
        total = int(cents.sum())
        if not total:
            return 0
        if policy.funding == "created":
            self.money.loans.create(self.money.government, total, "basic income")
        self.money.government_pays(accounts[some], cents[some], "basic income")
        return total
