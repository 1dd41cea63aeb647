"""Loans: a bank creates money when it lends and destroys it when it is repaid.

All accounts are deposits with one bank. A loan creates the deposit that it pays out, and a
repayment destroys money. A loan that is written off is charged to the bank's own account, which
becomes negative if the bank loses more than its capital; this loss is not covered. Money created
without a loan is called reserves. Hence

    sum of all balances = loans outstanding + reserves

to the cent, after every call. The three are counted separately, so that `check` detects errors.

Source:
    Accounting of stock-flow consistent models, as Caiani et al. 2016, Journal of Economic
    Dynamics and Control 69:375-408 (recalled).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.errors import StateError
from memopolis.sim.world.ledger import Accounts, Cents, Ledger, paid_in_turn, whole_cents


class Loans:
    """Debts of the accounts of a ledger to the bank, whose own account is `bank`."""

    def __init__(self, ledger: Ledger, bank: int) -> None:
        self.ledger = ledger
        self.bank = bank
        self._outstanding: Cents = np.zeros(len(ledger), np.int64)
        self._reserves = 0

    @property
    def total(self) -> int:
        """Cents outstanding of all loans."""
        return int(self._outstanding.sum())

    @property
    def reserves(self) -> int:
        """Cents created without a loan."""
        return self._reserves

    def of(self, accounts: ArrayLike) -> Cents:
        """Return the cents that accounts owe, of the shape of `accounts`."""
        numbers = np.asarray(accounts, np.intp)
        self._widen()
        owed: Cents = np.array(self._outstanding[numbers])
        return owed

    def create(self, account: ArrayLike, cents: int, why: str) -> None:
        """Create money for one account without a loan."""
        self.ledger.balance(account)  # refuses an unknown account before money is created
        self.ledger.create(self.bank, cents, why)
        self.ledger.pay(self.bank, account, cents, why, short="owe")
        self._reserves += int(cents)

    def lend(self, accounts: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Lend newly created money to accounts; return the cents lent, shape (loans,)."""
        borrowers, asked = self._pairs(accounts, cents)
        if asked.any():
            # Money for all loans at once; the bank's own balance may be negative.
            self.ledger.create(self.bank, int(asked.sum()), why)
            self.ledger.pay(self.bank, borrowers, asked, why, short="owe")
            np.add.at(self._outstanding, borrowers, asked)
        return asked

    def repay(self, accounts: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Repay loans, up to debt and balance of each account; return cents, shape (payments,)."""
        payers, asked = self._pairs(accounts, cents)
        due = paid_in_turn(self._outstanding, payers, asked)
        paid = self.ledger.pay(payers, self.bank, due, why, short="part")
        self._end(payers, paid, why)
        return paid

    def write_off(self, accounts: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Write off loans, up to the debt, at the cost of the bank; return cents, shape (m,)."""
        debtors, asked = self._pairs(accounts, cents)
        lost = paid_in_turn(self._outstanding, debtors, asked)
        self._end(debtors, lost, why)
        return lost

    def check(self) -> None:
        """Check the accounting identity of all money; StateError if it fails."""
        money, owed = self.ledger.total, self.total
        if money != owed + self._reserves:
            raise StateError(
                f"all balances sum to {money} cents, but loans are {owed} and reserves "
                f"{self._reserves}: {money - owed - self._reserves} cents have no source"
            )

    def state(self) -> dict[str, Any]:
        """Return a copy of the state of loans."""
        self._widen()
        return {"outstanding": self._outstanding.copy(), "reserves": self._reserves}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the loans by a saved state; restore the ledger first."""
        self._outstanding = np.array(state["outstanding"], np.int64)
        self._reserves = int(state["reserves"])
        self.check()

    def _end(self, debtors: Accounts, cents: Cents, why: str) -> None:
        """Reduce debts, and destroy as much money of the bank."""
        if cents.any():
            self.ledger.destroy(self.bank, int(cents.sum()), why)
            np.subtract.at(self._outstanding, debtors, cents)

    def _pairs(self, accounts: ArrayLike, cents: ArrayLike) -> tuple[Accounts, Cents]:
        """Return checked accounts and cents of the same length."""
        self._widen()
        numbers, asked = np.broadcast_arrays(np.atleast_1d(accounts), np.atleast_1d(cents))
        if not numbers.size:
            return np.zeros(0, np.intp), np.zeros(0, np.int64)
        self.ledger.balance(numbers)
        return numbers.astype(np.intp), whole_cents(asked)

    def _widen(self) -> None:
        """Add accounts opened since the last call."""
        missing = len(self.ledger) - len(self._outstanding)
        if missing > 0:
            self._outstanding = np.append(self._outstanding, np.zeros(missing, np.int64))
