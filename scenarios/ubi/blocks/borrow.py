"""Household credit for subsistence, up to a limit."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from memopolis.agents.economy.consumption import poverty_line, shortfall
from memopolis.scenarios.ubi.firm_settings import BankSettings
from memopolis.scenarios.ubi.money import Money, read_price_level
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


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
        status, loans = households.status, self.money.loans
        account = status["account"].astype(np.intp)
        price = read_price_level(self.society)
        need = self.subsistence * poverty_line(status["size"], price)
        missing = shortfall(need, self.money.ledger.balance(account).astype(np.float64))
        limit = np.rint(self.settings.household_credit * np.maximum(status["usual"], 0))
        available = np.maximum(limit.astype(np.int64) - loans.of(account), 0)
        loans.lend(account, np.minimum(missing, available), "consumer loan")
