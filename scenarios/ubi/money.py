"""Accounts and loans of the society, payments of the government, and the price level."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Array, Cents, Intp
from memopolis.sim.society_base import SocietyBase
from memopolis.sim.world.ledger import Ledger
from memopolis.sim.world.loans import Loans


@dataclass(frozen=True)
class Money:
    """Accounts and loans, shared by all blocks that pay.

    Households and firms have the numbers of their accounts in the column `account`.
    """

    ledger: Ledger  # the society's accounts
    loans: Loans  # debts to the bank
    bank: int  # number of the bank's account
    government: int  # number of the government's account
    abroad: int  # number of the account of the outside world's trade

    def government_pays(self, to: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Pay obligations of the government, on credit if necessary; return the cents paid."""
        self.fund(self.government, int(np.asarray(cents).sum()), "public loan")
        return self.ledger.pay(self.government, to, cents, why)

    def fund(self, account: int, cents: int, why: str) -> None:
        """Ensure that an account has an amount of money, and borrow what is missing."""
        missing = cents - int(self.ledger.balance(account))
        if missing > 0:
            self.loans.lend(account, missing, why)

    def settle_debts(self, accounts: Intp, why: str) -> Cents:
        """Repay debts as far as money lasts, write off the rest, and return the money left."""
        debt = self.loans.of(accounts)
        paid = self.loans.repay(accounts, debt, "repayment")
        self.loans.write_off(accounts, debt - paid, why)
        return self.ledger.balance(accounts)


def read_price_level(society: SocietyBase[Any]) -> float:
    """Return the price of a fixed basket in the last month, 1 at the start."""
    bureau = society.population("statistics_bureau")
    level = float(bureau["price_level"][0])
    return level if level > 0 else 1.0


def rescale(cents: Array, price: float) -> Cents:
    """Convert cents to another price level, in whole cents."""
    return np.rint(cents * price).astype(np.int64)


def sum_by_group(values: Array, group: Array, groups: int) -> Cents:
    """Sum cents exactly by group, shape (groups,)."""
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, values)
    return total
