"""Dividends of firms and the bank."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from memopolis.agents.economy.shopping import split_cents
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.scenarios.ubi.money import Money
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class PayDividends(Block):
    """Pay excess money into the owners' fund, which pays households by capital."""

    reads = ("account", "payroll", "labour", "wage", "alive")
    writes = ("dividends",)

    settings: FirmSettings
    money: Money
    households: Population
    _: KW_ONLY
    fund: int

    def step(self, firms: Cohort) -> None:
        """Pay into the fund and out of it."""
        ledger = self.money.ledger
        account = firms.status["account"].astype(np.intp)
        planned = np.rint(
            100 * firms.status["labour"].astype(np.float64) * firms.status["wage"]
        ).astype(np.int64)
        wages = np.maximum(firms.status["payroll"], planned)
        kept = np.rint(self.settings.buffer * wages).astype(np.int64)
        free = ledger.balance(account) - self.money.loans.of(account) - kept
        firms.status["dividends"] = ledger.pay(account, self.fund, np.maximum(free, 0), "dividend")
        self._pay_owners()

    def _pay_owners(self) -> None:
        """Distribute the fund by capital, and add last month's interest."""
        ledger = self.money.ledger
        owners = self.households.cohort()
        capital = owners.status["capital"].astype(np.float64)
        sum_of_fund = int(ledger.balance(self.fund))
        paid = np.zeros(len(owners), np.int64)
        if capital.sum() > 0 and sum_of_fund > 0:
            shares = (capital / capital.sum())[None, :]
            parts = split_cents(np.array([sum_of_fund]), shares)[0]
            to = owners.status["account"].astype(np.intp)
            paid = ledger.pay(self.fund, to, parts, "dividend", short="part")
        owners.status["dividends"] = paid + owners.status["interest"]
