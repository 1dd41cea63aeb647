"""Public spending: existing benefits, the basic income, and purchases of goods."""

from dataclasses import dataclass
from typing import get_args

import numpy as np

from memopolis.agents.economy.benefits import (
    adapt_insured,
    means_tested_benefit,
    unemployment_benefit,
)
from memopolis.scenarios.ubi.government_settings import BenefitSettings, Covered, PurchaseSettings
from memopolis.scenarios.ubi.money import Money, read_price_level, rescale, sum_by_group
from memopolis.scenarios.ubi.people import Labour
from memopolis.scenarios.ubi.policy import Policy, apply_rules, select_covered
from memopolis.sim.arrays import Bools, Cents, Int8
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

COVERED = get_args(Covered)


@dataclass(eq=False, repr=False)
class PayBenefits(Block):
    """Pay existing transfers in full, on credit if necessary."""

    reads = ("support",)
    writes = ("benefits",)

    settings: BenefitSettings
    money: Money
    citizens: Population
    households: Population

    def step(self, government: Cohort) -> None:
        """Pay pensions, then the rest, scaled by the factor that reviews change."""
        homes = self.households.cohort()
        rows = homes.rows
        support = float(government["support"][0])
        jobless = rescale(self._compute_unemployment_pay()[rows], support)
        price = read_price_level(self.society) if self.settings.indexed else 1.0
        pension = rescale(homes["pension"], price)
        own = homes["wages"] + homes["dividends"] + pension + jobless
        if self.settings.counts_basic_income:
            own = own + homes["basic_income"]
        help_due = means_tested_benefit(
            rescale(homes["assistance"], price),
            own,
            disregard=round(price * self.settings.disregard_cents),
            phase_out=self.settings.phase_out,
        )
        help_due = rescale(help_due, support)
        account = homes["account"].astype(np.intp)
        benefits = np.zeros(len(rows), np.int64)
        for why, cents in (
            ("pension", pension),
            ("unemployment pay", jobless),
            ("means-tested help", help_due),
        ):
            benefits += self.money.government_pays(account, cents, why)
        homes["benefits"] = benefits
        government["benefits"] = int(benefits.sum())

    def _compute_unemployment_pay(self) -> Cents:
        """Compute unemployment compensation by household, and update the pay it is based on."""
        people = self.citizens.cohort()
        insured = adapt_insured(people["insured"], people["pay"])
        people["insured"] = insured
        due = unemployment_benefit(
            insured,
            people["spell"],
            replacement=self.settings.replacement,
            most=round(100 * self.settings.most_unemployment),
            months=self.settings.unemployment_months,
        )
        due[people["labour"] != Labour.UNEMPLOYED] = 0
        return sum_by_group(due, people["household"], len(self.households))


@dataclass(eq=False, repr=False)
class PayBasicIncome(Block):
    """Pay the basic income of covered adults to their households.

    The state `enrolled` is the group enrolled last, a number of `Covered`, or -1, shape (1,).
    """

    reads = ()
    writes = ("basic_income",)
    state = ("enrolled",)

    policy: Policy
    money: Money
    citizens: Population
    households: Population

    def setup(self) -> None:
        """Start without enrolled persons."""
        self.enrolled: Int8 = np.full(1, -1, np.int8)

    def step(self, government: Cohort) -> None:
        """Pay in months of the policy, then compute disposable income."""
        people = self.citizens.cohort()
        homes = self.households
        policy = apply_rules(self.policy, self.society.policies)
        covered = self._select(policy, people, homes)
        each = np.where(covered, policy.amount, 0).astype(np.int64)
        people["eligible"] = covered
        people["basic_income"] = each
        paid = sum_by_group(each, people["household"], len(self.households))
        homes["basic_income"] = paid
        government["basic_income"] = self._pay(policy, homes["account"].astype(np.intp), paid)
        homes["disposable"] = np.where(
            homes["alive"],
            homes["wages"] + homes["dividends"] + homes["benefits"] + paid - homes["tax"],
            0,
        )

    def _select(self, policy: Policy, people: Cohort, homes: Population) -> Bools:
        """Select those paid this month, and enrol them if the group is new."""
        if not policy.pays(self.clock.tick):
            self.enrolled = np.full(1, -1, np.int8)
            return np.zeros(len(people), np.bool_)
        group = COVERED.index(policy.who)
        kept = policy.enrolment == "fixed" and policy.who != "all" and self.enrolled[0] == group
        self.enrolled = np.full(1, group, np.int8)
        return people["eligible"] if kept else select_covered(policy, people, homes)

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


@dataclass(eq=False, repr=False)
class Purchase(Block):
    """Plan this month's purchases, which `ConsumeGoods` carries out.

    The ordinary budget excludes the policy: taxes without the surtax, minus benefits and interest.
    Its balance at constant prices is smoothed over years, so that purchases continue when revenue
    falls; an accumulated surplus or deficit is worked off over further years. The budget is thus
    balanced over the cycle and stabilizes it.
    """

    reads = (
        "revenue", "policy_tax", "benefits", "interest", "basic_income", "purchases", "deficit",
    )  # fmt: skip
    writes = ("purchases", "deficit")
    state = ("expected", "saved", "left", "begun")

    settings: PurchaseSettings
    money: Money

    def setup(self) -> None:
        """Start without expectations and savings."""
        self.expected = np.zeros(1)
        self.saved = np.zeros(1, np.int64)
        self.left = np.zeros(1, np.int64)
        self.begun = np.zeros(1, np.bool_)

    def step(self, government: Cohort) -> None:
        """Record last month's purchases, plan this month's, and fund them."""
        if self.begun[0]:
            self.saved = self.saved + self.left - government["purchases"]
        left = (
            government["revenue"]
            - government["policy_tax"]
            - government["benefits"]
            - government["interest"]
        )
        price = read_price_level(self.society)
        weight = self.settings.memory if self.begun[0] else 0.0
        self.expected = weight * self.expected + (1 - weight) * left / price
        plan = self.expected * price + self.saved / self.settings.horizon
        planned = np.maximum(np.rint(plan), 0).astype(np.int64)
        self.money.fund(self.money.government, int(planned[0]), "public loan")
        government["purchases"] = planned
        # `ConsumeGoods` subtracts what could not be bought.
        government["deficit"] = (
            planned - left - government["policy_tax"] + government["basic_income"]
        )
        self.left = left
        self.begun = np.ones(1, np.bool_)
