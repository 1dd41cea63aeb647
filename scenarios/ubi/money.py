"""The money of the society: its accounts, its loans, and how a payer who must pay gets funds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.world.ledger import Cents, Ledger
from memopolis.sim.world.loans import Loans


@dataclass(frozen=True)
class Money:
    """What every block that pays is given.

    Accounts of households and firms stand in their column `account`.

    Attributes:
        ledger: The society's accounts.
        loans: What is owed to the bank.
        bank: Number of the bank's own account.
        government: Number of the government's account.
    """

    ledger: Ledger
    loans: Loans
    bank: int
    government: int

    def government_pays(self, to: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Pay in full what the government owes somebody, on credit where it has no money.

        Args:
            to: Accounts that are paid, one or shape (payments,).
            cents: Whole cents >= 0, one or shape (payments,).
            why: The reason, for the tables.

        Returns:
            Cents paid, shape (payments,).
        """
        self.fund_government(int(np.asarray(cents).sum()))
        return self.ledger.pay(self.government, to, cents, why)

    def fund_government(self, cents: int) -> None:
        """Let the government have so much money; what is missing it borrows from the bank."""
        missing = cents - int(self.ledger.balance(self.government))
        if missing > 0:
            self.loans.lend(self.government, missing, "public loan")


def rescaled(cents: NDArray[Any], price: float) -> Cents:
    """Cents at another price level, whole again."""
    return np.rint(cents * price).astype(np.int64)


def add_up(values: NDArray[Any], group: NDArray[Any], groups: int) -> Cents:
    """Add up cents exactly by group, shape (groups,)."""
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, values)
    return total
