"""The bank forecasts inflation from memories, sets its interest rate, and settles the month."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.experience import (
    AgedExperience,
    average_experience,
    before_now,
    blend_expectation,
    decode_change,
    encode_change,
)
from memopolis.agents.economy.policy import monthly_interest, policy_rate
from memopolis.scenarios.ubi.attitudes import PROFILE
from memopolis.scenarios.ubi.firm_settings import BankSettings
from memopolis.scenarios.ubi.memories import INFLATION, OF_FIGURE, UNEMPLOYMENT, remember_by_size
from memopolis.scenarios.ubi.money import Money
from memopolis.sim.arrays import Intp
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population

LOSSES = "Borrowers could not repay us, and we wrote off their loans."
LOSS_SCALE = 0.03  # share of loans written off in a month at which the valence is -1 (illustrative)

QUERY = "inflation compared with our target"
LOWEST, HIGHEST = -50.0, 100.0  # range of expected inflation in percent a year (choice)
REASONS = ("follows the latest figure", "recalls higher inflation", "recalls lower inflation")
_NOTICED = 0.05


@dataclass(eq=False, repr=False)
class RememberCredit(Block):
    """Store last month's published figures and write-offs, at the start of the bank's month."""

    reads = ("written_off", "loans")

    bureau: Population

    def step(self, bank: Cohort) -> None:
        """Remember; there are no published figures in the first month."""
        if self.clock.tick == 0:
            return
        published = self.bureau
        for one in (INFLATION, UNEMPLOYMENT):
            one.remember(bank, float(published[one.name][0]))
        lost = float(bank["written_off"][0]) / max(float(bank["loans"][0]), 1.0)
        if lost > 0:
            valence = -float(encode_change(lost, scale=LOSS_SCALE))
            remember_by_size(bank, "default", LOSSES, valence, OF_FIGURE)


@dataclass(eq=False, repr=False)
class ExpectInflation(Block):
    """Let the bank decide what inflation it expects, in percent a year."""

    reads: ClassVar[tuple[str, ...]] = ()
    writes = ("expected_inflation",)
    topics = ("inflation",)

    settings: BankSettings
    bureau: Population

    def who(self, bank: Cohort) -> Cohort:
        """Select the bank; there are no published figures in the first month."""
        return bank if self.clock.tick > 0 else bank.none()

    def perceive(self, bank: Cohort) -> Question:
        """Recall the inflation of earlier months."""
        memory = self.settings.memory
        experience = AgedExperience.recall(
            bank, QUERY, k=memory.memories, profile=PROFILE, where=before_now(bank, "inflation")
        )
        weight = experience.weigh("inflation", span=memory.span, curvature=memory.curvature)
        # High inflation is remembered as bad.
        past = INFLATION.usual - decode_change(experience.valence, scale=INFLATION.scale)
        latest = 100 * float(self.bureau["inflation"][0])
        known = {
            "latest_inflation": np.full(len(bank), latest),
            "recalled_inflation": 100 * average_experience(past, weight, neutral=np.nan),
        }
        rule = partial(expect_inflation, share=memory.inflation)
        return experience.ask_rating("expected_inflation", rule, known, low=LOWEST, high=HIGHEST)

    def apply(self, bank: Cohort, decisions: Decisions) -> None:
        """Store expected inflation as a fraction."""
        bank["expected_inflation"] = np.clip(decisions.value, LOWEST, HIGHEST) / 100


def expect_inflation(question: Question, *, share: float) -> Answer:
    """Expect a mean of the latest and of recalled inflation: the rule of the question.

    Source: Malmendier and Nagel 2016, Quarterly Journal of Economics 131:53-87; central bankers
    also expect what they have experienced: Malmendier, Nagel and Yan 2021, Journal of Monetary
    Economics 117:532-556 (both recalled). Without memories, the latest figure.
    """
    latest, recalled = question.known["latest_inflation"], question.known["recalled_inflation"]
    experience = np.where(np.isnan(recalled), latest, recalled)
    value = np.clip(blend_expectation(latest, experience, share=share), LOWEST, HIGHEST)
    gap = value - latest
    reason = np.where(gap > _NOTICED, 1, np.where(gap < -_NOTICED, 2, 0))
    return Answer(value, reason=reason, reasons=REASONS)


@dataclass(eq=False, repr=False)
class SetRate(Block):
    """Set the interest rate by figures that are fractions, not percentages."""

    reads = ("expected_inflation",)
    writes = ("rate",)

    settings: BankSettings
    bureau: Population

    def step(self, bank: Cohort) -> None:
        """Set the rate; there are no published figures in the first month."""
        if self.clock.tick == 0:
            return
        published = self.bureau
        bank["rate"] = policy_rate(
            float(bank["expected_inflation"][0]),
            float(published["unemployment"][0]),
            neutral=self.settings.neutral,
        )


@dataclass(eq=False, repr=False)
class Settle(Block):
    """Collect interest, pay interest on deposits, collect repayments, and copy balances."""

    reads = ("rate",)
    writes = (
        "deposits", "loans", "reserves", "capital", "lent", "repaid", "written_off",
        "interest_paid", "interest_taken",
    )  # fmt: skip

    settings: BankSettings
    money: Money
    firms: Population
    households: Population
    government: Population
    _: KW_ONLY
    fund: int

    def step(self, bank: Cohort) -> None:
        """Settle the month and check the money identity."""
        rate = float(bank["rate"][0])
        collected = self._collect_interest(rate)
        paid = self._pay_interest(rate, collected)
        self._collect_repayments()
        self._write_off_arrears()
        self._pay_owners()
        self._copy_balances()
        self.money.loans.check()
        self._publish(bank, collected, paid)

    def _list_accounts(self, population: Population) -> tuple[Intp, Intp]:
        rows = population.cohort().rows
        return rows, population["account"][rows].astype(np.intp)

    def _collect_interest(self, rate: float) -> int:
        """Collect interest on loans, as far as borrowers have money."""
        money = self.money
        public = int(monthly_interest(money.loans.of(money.government), rate))
        collected = int(money.government_pays(money.bank, public, "interest").sum())
        self.government["interest"] = public
        for population in (self.firms, self.households):
            rows, account = self._list_accounts(population)
            due = monthly_interest(money.loans.of(account), rate + self.settings.premium)
            paid = money.ledger.pay(account, money.bank, due, "interest", short="part")
            collected += int(paid.sum())
            if population is self.households:
                homes = population.at(rows)
                homes["arrears"] = np.where(paid < due, homes["arrears"] + 1, 0)
        return collected

    def _pay_interest(self, rate: float, collected: int) -> int:
        """Pay interest on deposits out of interest income, at most at the bank's rate."""
        money = self.money
        rows, account = self._list_accounts(self.households)
        deposits = np.maximum(money.ledger.balance(account), 0)
        total = float(deposits.sum())
        without_premium = min(float(collected), rate / 12 * money.loans.total)
        yearly = 12 * self.settings.passed_on * without_premium / max(total, 1.0)
        yearly = min(rate, yearly)
        interest = np.floor(deposits * (yearly / 12)).astype(np.int64)
        # If the bank has lost its capital, it pays as far as its money lasts.
        paid = money.ledger.pay(money.bank, account, interest, "deposit interest", short="part")
        self.households["interest"] = 0
        self.households.at(rows)["interest"] = paid
        return int(paid.sum())

    def _collect_repayments(self) -> None:
        """Collect scheduled repayments, and surpluses of the government and the outside world."""
        money, settings = self.money, self.settings
        for population in (self.firms, self.households):
            rows, account = self._list_accounts(population)
            debt = money.loans.of(account)
            if population is self.households:
                usual = np.maximum(population["usual"][rows], 0)
                debt = np.maximum(debt - np.rint(settings.revolving * usual).astype(np.int64), 0)
            due = np.ceil(settings.repayment * debt).astype(np.int64)
            money.loans.repay(account, due, "repayment")
        for large in (money.government, money.abroad):
            free = max(0, int(money.ledger.balance(large)))
            money.loans.repay(large, free, "repayment")

    def _write_off_arrears(self) -> None:
        """Write off loans of households with long arrears."""
        rows, account = self._list_accounts(self.households)
        lost = self.households["arrears"][rows] >= self.settings.arrears
        debt = self.money.loans.of(account[lost])
        self.money.loans.write_off(account[lost], debt, "arrears")
        self.households.at(rows[lost])["arrears"] = 0

    def _pay_owners(self) -> None:
        """Pay what the bank has beyond its capital into the owners' fund."""
        money = self.money
        needed = round(self.settings.capital * money.loans.total)
        free = int(money.ledger.balance(money.bank)) - needed
        money.ledger.pay(money.bank, self.fund, max(0, free), "dividend")

    def _copy_balances(self) -> None:
        for population in (self.firms, self.households):
            rows, account = self._list_accounts(population)
            owners = population.at(rows)
            owners["deposit"] = self.money.ledger.balance(account)
            owners["debt"] = self.money.loans.of(account)
        government = self.money.government
        self.government["deposit"] = self.money.ledger.balance(government)
        self.government["debt"] = self.money.loans.of(government)

    def _publish(self, bank: Cohort, collected: int, paid: int) -> None:
        money = self.money
        flows = money.ledger.flows()
        lending = {"public loan", "foreign loan", "wage loan", "founding", "consumer loan"}
        write_offs = {"failure", "arrears", "estate"}
        created = sum(f.cents for f in flows if f.source == "created" and f.why in lending)
        destroyed = [f for f in flows if f.to == "destroyed"]
        books = {
            "deposits": money.ledger.total,
            "loans": money.loans.total,
            "reserves": money.loans.reserves,
            "capital": int(money.ledger.balance(money.bank)),
            "lent": created,
            "repaid": sum(f.cents for f in destroyed if f.why not in write_offs),
            "written_off": sum(f.cents for f in destroyed if f.why in write_offs),
            "interest_paid": paid,
            "interest_taken": collected,
        }
        for name, cents in books.items():
            bank[name] = cents
