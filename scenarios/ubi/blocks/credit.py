"""Household credit, and the monthly settlement of the bank."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from memopolis.agents.economy.consumption import poverty_line, shortfall
from memopolis.agents.economy.policy import monthly_interest
from memopolis.scenarios.ubi.firm_settings import BankSettings
from memopolis.scenarios.ubi.money import Money, read_price_level
from memopolis.sim.arrays import Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class Borrow(Block):
    """Borrow what is missing for subsistence, up to some usual incomes."""

    reads = ("account", "size", "usual")
    writes = ()

    settings: BankSettings
    money: Money
    _: KW_ONLY
    subsistence: float

    def step(self, households: Cohort) -> None:
        """Lend each household what it lacks, within its limit."""
        loans = self.money.loans
        account = households["account"].astype(np.intp)
        price = read_price_level(self.society)
        need = self.subsistence * poverty_line(households["size"], price)
        missing = shortfall(need, self.money.ledger.balance(account).astype(np.float64))
        limit = np.rint(self.settings.household_credit * np.maximum(households["usual"], 0))
        available = np.maximum(limit.astype(np.int64) - loans.of(account), 0)
        loans.lend(account, np.minimum(missing, available), "consumer loan")


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
