"""Taxes of a month: brackets over twelve, payroll tax, a local rate, and the policy's surtax."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.benefits import surtax_rate
from memopolis.agents.economy.payroll import PayrollTax, additional_medicare
from memopolis.agents.economy.taxes import Brackets
from memopolis.scenarios.ubi.government_settings import TaxSettings
from memopolis.scenarios.ubi.last_month import price_level
from memopolis.scenarios.ubi.microdata import DATA
from memopolis.scenarios.ubi.money import Money, add_up, rescaled
from memopolis.scenarios.ubi.people import DEPENDANT
from memopolis.scenarios.ubi.policy import Policy, covered_by, in_force
from memopolis.sim.block import Block
from memopolis.sim.errors import SettingsError
from memopolis.sim.population import Cohort, Population
from memopolis.sim.read_only import read_only

type Cents = NDArray[np.int64]

YEARS = (2018, 2019, 2024)
ALONE = DEPENDANT
"""From this relation on, people file by themselves."""
CATCH_UP = 6
"""Months over which a gap between the policy's cost and its surtax is closed (choice)."""


class CollectTaxes(Block):
    """Take taxes from each household's account, as far as it lasts; the rest is forgiven.

    Head and spouse file together, with dividends and interest; others file alone. Pensions and
    help are not taxed. The surtax is flat on wages, dividends and interest. Its rate is last
    month's cost over last month's base; before the first payment the cost is estimated.
    """

    reads = ("surtax", "basic_income", "policy_tax")
    writes = ("surtax", "income_tax", "payroll_tax", "local_tax", "policy_tax", "revenue")
    state = ("gap", "base")

    def __init__(
        self,
        settings: TaxSettings,
        policy: Policy,
        money: Money,
        citizens: Population,
        households: Population,
    ) -> None:
        self.settings = settings
        self.policy = policy
        self.money = money
        self.citizens = citizens
        self.households = households
        self.brackets, self.payroll = read_taxes(settings.brackets)

    def setup(self) -> None:
        """Begin with no surtax to be made up for, and a base not yet seen."""
        self.gap = np.zeros(1, np.int64)
        self.base = np.zeros(1, np.int64)

    def step(self, government: Cohort) -> None:
        """Set the surtax, then take all taxes, payroll tax first."""
        homes = self.households.memory.columns.arrays
        base = np.where(homes["alive"], homes["wages"] + homes["dividends"], 0)
        rate = self._surtax(government, int(base.sum()))
        income, payroll = self._federal(homes)
        due = {
            "payroll_tax": payroll,
            "income_tax": income,
            "local_tax": np.rint(self.settings.local * base).astype(np.int64),
            "policy_tax": np.rint(rate * base).astype(np.int64),
        }
        homes["tax"][:] = 0
        account = homes["account"].astype(np.intp)
        taken: dict[str, int] = {}
        for name, cents in due.items():
            some = np.flatnonzero(cents > 0)
            paid = self.money.ledger.pay(
                account[some], self.money.government, cents[some], name.replace("_", " "),
                short="part",
            )  # fmt: skip
            homes["tax"][some] += paid
            taken[name] = int(paid.sum())
        self._close(government, taken, rate, int(base.sum()))

    def _surtax(self, government: Cohort, base_now: int) -> float:
        """The rate of this month, from last month's columns."""
        policy = in_force(self.policy, self.society.policies)
        if policy.funding != "tax":
            return 0.0
        month = self.clock.tick
        paid = int(government.status["basic_income"][0])
        self.gap = self.gap + paid
        if not policy.pays(month) and not self.gap[0]:
            return 0.0
        first = policy.pays(month) and month == policy.start
        cost = self._estimate(policy) if first else paid if policy.pays(month) else 0
        # What was paid last month is part of the gap; only what was not covered is made up.
        behind = int(self.gap[0])
        base = base_now if first or not self.base[0] else int(self.base[0])
        return surtax_rate(cost + behind // CATCH_UP, base, most=self.settings.most_surtax)

    def _estimate(self, policy: Policy) -> int:
        """Cost of a month of the policy, before it is known: adults covered now."""
        people = self.citizens.cohort()
        homes = self.households.memory.columns.arrays
        return policy.amount * int(covered_by(policy, people, homes).sum())

    def _federal(self, homes: dict[str, NDArray[Any]]) -> tuple[Cents, Cents]:
        """Income and payroll tax of each household, shapes (households,)."""
        people = self.citizens.cohort().status
        price = price_level(self.society) if self.settings.indexed else 1.0
        # Limits that rise with prices: the tax of the same real income, at today's prices.
        pay, house = rescaled(people["pay"], 1 / price), people["household"]
        dividends = rescaled(homes["dividends"], 1 / price)
        alone = people.codes("relation") >= ALONE
        shared = add_up(np.where(alone, 0, pay), house, len(self.households))
        filing = homes["filing"]
        income = self.brackets.withheld(shared + dividends, filing)
        income += add_up(np.where(alone, self.brackets.withheld(pay, 0), 0), house, len(filing))
        payroll = add_up(self.payroll.withheld(pay), house, len(filing))
        payroll += (additional_medicare(12 * shared, filing) + 6) // 12
        income = np.where(homes["alive"], income, 0)
        return rescaled(income, price), rescaled(payroll, price)

    def _close(self, government: Cohort, taken: dict[str, int], rate: float, base: int) -> None:
        for name, cents in taken.items():
            government.status[name] = cents
        government.status["revenue"] = sum(taken.values())
        government.status["surtax"] = rate
        self.gap = self.gap - taken["policy_tax"]
        self.base = np.array([base], np.int64)


def read_taxes(brackets: str) -> tuple[Brackets, PayrollTax]:
    """Read the brackets of a year or of a file, and the payroll tax that goes with them.

    Raises:
        SettingsError: If it is neither one of `YEARS` nor the name of a table.
        DataFileError: If the file does not fit.
    """
    if brackets in {str(year) for year in YEARS}:
        return _shipped_brackets(int(brackets)), PayrollTax.of(int(brackets))
    if not Path(brackets).suffix:
        raise SettingsError(
            f"setting taxes.brackets was given '{brackets}'; allowed: "
            f"{', '.join(map(str, YEARS))}, or a CSV file of brackets"
        )
    return Brackets.read(brackets), PayrollTax.of(2019)


@cache
def _shipped_brackets(year: int) -> Brackets:
    """Brackets of a year, read once a process."""
    return read_only(Brackets.read(DATA / "brackets.csv", year))
