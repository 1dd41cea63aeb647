"""Monthly taxes: income tax, payroll tax, a local tax, and the surtax of the policy."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from memopolis.agents.economy.benefits import surtax_rate
from memopolis.agents.economy.payroll import PayrollTax, additional_medicare
from memopolis.agents.economy.taxes import Brackets
from memopolis.scenarios.ubi.government_settings import TaxSettings
from memopolis.scenarios.ubi.microdata import DATA
from memopolis.scenarios.ubi.money import Money, read_price_level, rescale, sum_by_group
from memopolis.scenarios.ubi.people import DEPENDANT
from memopolis.scenarios.ubi.policy import Policy, apply_rules, select_covered
from memopolis.sim.arrays import Cents
from memopolis.sim.block import Block
from memopolis.sim.errors import SettingsError
from memopolis.sim.population import Cohort, Population
from memopolis.sim.read_only import read_only

YEARS = (2018, 2019, 2024)
ALONE = DEPENDANT  # relations from this number on file their own taxes
CATCH_UP = 6
"""Months over which a gap between the cost of the policy and its surtax is closed (choice)."""


@dataclass(eq=False, repr=False)
class CollectTaxes(Block):
    """Collect taxes from households, as far as their money lasts; the rest is forgiven.

    Head and spouse file jointly, with dividends and interest; others file alone. Pensions and
    transfers are not taxed. The surtax is flat on wages, dividends and interest. Its rate is last
    month's cost over last month's base; before the first payment the cost is estimated.
    """

    reads = ("surtax", "basic_income", "policy_tax")
    writes = ("surtax", "income_tax", "payroll_tax", "local_tax", "policy_tax", "revenue")
    state = ("gap", "base")

    settings: TaxSettings
    policy: Policy
    money: Money
    citizens: Population
    households: Population

    def setup(self) -> None:
        """Read the tax rules, and initialize the funding gap and the tax base to 0."""
        self.brackets, self.payroll = read_taxes(self.settings.brackets)
        self.gap = np.zeros(1, np.int64)
        self.base = np.zeros(1, np.int64)

    def step(self, government: Cohort) -> None:
        """Set the surtax, then collect all taxes, payroll tax first."""
        homes = self.households
        base = np.where(homes["alive"], homes["wages"] + homes["dividends"], 0)
        rate = self._compute_surtax(government, int(base.sum()))
        income, payroll = self._compute_federal_taxes(homes)
        due = {
            "payroll_tax": payroll,
            "income_tax": income,
            "local_tax": np.rint(self.settings.local * base).astype(np.int64),
            "policy_tax": np.rint(rate * base).astype(np.int64),
        }
        homes["tax"] = 0
        account = homes["account"].astype(np.intp)
        collected: dict[str, int] = {}
        for name, cents in due.items():
            some = np.flatnonzero(cents > 0)
            paid = self.money.ledger.pay(
                account[some], self.money.government, cents[some], name.replace("_", " "),
                short="part",
            )  # fmt: skip
            homes.at(some)["tax"] += paid
            collected[name] = int(paid.sum())
        self._publish(government, collected, rate, int(base.sum()))

    def _compute_surtax(self, government: Cohort, base_now: int) -> float:
        """Compute the rate of this month from last month's columns."""
        policy = apply_rules(self.policy, self.society.policies)
        if policy.funding != "tax":
            return 0.0
        month = self.clock.tick
        paid = int(government["basic_income"][0])
        self.gap = self.gap + paid
        if not policy.pays(month) and not self.gap[0]:
            return 0.0
        first = policy.pays(month) and month == policy.start
        cost = self._estimate_cost(policy) if first else paid if policy.pays(month) else 0
        # The gap includes last month's payment; only the uncovered part is caught up.
        behind = int(self.gap[0])
        base = base_now if first or not self.base[0] else int(self.base[0])
        return surtax_rate(cost + behind // CATCH_UP, base, most=self.settings.most_surtax)

    def _estimate_cost(self, policy: Policy) -> int:
        """Estimate the monthly cost before the first payment: adults covered now."""
        people = self.citizens.cohort()
        homes = self.households
        return policy.amount * int(select_covered(policy, people, homes).sum())

    def _compute_federal_taxes(self, homes: Population) -> tuple[Cents, Cents]:
        """Compute income and payroll tax of each household, shapes (households,)."""
        people = self.citizens.cohort()
        price = read_price_level(self.society) if self.settings.indexed else 1.0
        # Limits are indexed: the tax on the same real income, at current prices.
        pay, house = rescale(people["pay"], 1 / price), people["household"]
        dividends = rescale(homes["dividends"], 1 / price)
        alone = people["relation"] >= ALONE
        shared = sum_by_group(np.where(alone, 0, pay), house, len(self.households))
        filing = homes["filing"]
        income = self.brackets.withheld(shared + dividends, filing)
        income += sum_by_group(
            np.where(alone, self.brackets.withheld(pay, 0), 0), house, len(filing)
        )
        payroll = sum_by_group(self.payroll.withheld(pay), house, len(filing))
        payroll += (additional_medicare(12 * shared, filing) + 6) // 12
        income = np.where(homes["alive"], income, 0)
        return rescale(income, price), rescale(payroll, price)

    def _publish(
        self, government: Cohort, collected: dict[str, int], rate: float, base: int
    ) -> None:
        for name, cents in collected.items():
            government[name] = cents
        government["revenue"] = sum(collected.values())
        government["surtax"] = rate
        self.gap = self.gap - collected["policy_tax"]
        self.base = np.array([base], np.int64)


def read_taxes(brackets: str) -> tuple[Brackets, PayrollTax]:
    """Read the brackets of a year or a file, and the corresponding payroll tax.

    Raises SettingsError or DataFileError if there are none.
    """
    if brackets in {str(year) for year in YEARS}:
        return _shipped_brackets(int(brackets)), PayrollTax.of(int(brackets))
    if not Path(brackets).suffix:
        raise SettingsError(
            f"setting taxes.brackets is '{brackets}'; it must be one of "
            f"{', '.join(map(str, YEARS))}, or a CSV file of brackets"
        )
    return Brackets.read(brackets), PayrollTax.of(2019)


@cache
def _shipped_brackets(year: int) -> Brackets:
    """Read shipped brackets once per process."""
    return read_only(Brackets.read(DATA / "brackets.csv", year))
