"""Loans: money that a bank makes when it lends and takes away when it is repaid.

Everybody's account is a deposit with the one bank. A loan creates the deposit it pays out, a
repayment destroys money, and a loan that is given up is destroyed out of the bank's own
account, which may go below zero: then the bank has lost more than its capital, which nobody
makes up for. Money can also be created without a loan; that part is called reserves. So

    sum of all balances = loans outstanding + reserves

to the cent, after every call. The three are kept apart, so that `check` can find a fault.

Source:
    Accounting of stock-flow consistent models, as Caiani et al. 2016, Journal of Economic
    Dynamics and Control 69:375-408 (recalled).
"""

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.errors import StateError
from memopolis.sim.world.ledger import Accounts, Cents, Ledger, paid_in_turn, whole_cents


class LoansState(TypedDict):
    """What saved loans hold."""

    outstanding: Cents
    reserves: int


class Loans:
    """What the accounts of a ledger owe to the bank.

    Args:
        ledger: The accounts.
        bank: Number of the bank's own account, of a kind that may create money.
    """

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
        """Cents that accounts owe, of the shape of `accounts`."""
        numbers = np.asarray(accounts, np.intp)
        self._widen()
        owed: Cents = np.array(self._outstanding[numbers])
        return owed

    def create(self, account: ArrayLike, cents: int, why: str) -> None:
        """Make money for one account without a loan.

        Raises:
            ParameterError: If `cents` are negative or too large.
            SchemaError: If they are not whole.
        """
        self.ledger.balance(account)  # refuses an unknown one before money is made
        self.ledger.create(self.bank, cents, why)
        self.ledger.pay(self.bank, account, cents, why, short="owe")
        self._reserves += int(cents)

    def lend(self, accounts: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Make money for accounts that will owe it.

        Args:
            accounts: Who borrows, one or shape (loans,); an account may stand twice.
            cents: Whole cents >= 0, one or shape (loans,).
            why: The reason, for the tables.

        Returns:
            Cents lent, shape (loans,).

        Raises:
            UnknownNameError: If an account does not exist.
            SchemaError: If `cents` are not whole.
            ParameterError: If `cents` are negative or too large.
        """
        borrowers, asked = self._pairs(accounts, cents)
        if asked.any():
            # Money for all at once; that the bank itself is short of money is no hindrance.
            self.ledger.create(self.bank, int(asked.sum()), why)
            self.ledger.pay(self.bank, borrowers, asked, why, short="owe")
            np.add.at(self._outstanding, borrowers, asked)
        return asked

    def repay(self, accounts: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Pay back, at most what is owed and what is there.

        Args:
            accounts: Who pays, one or shape (payments,).
            cents: Whole cents >= 0, one or shape (payments,).
            why: The reason, for the tables.

        Returns:
            Cents paid back, shape (payments,).
        """
        payers, asked = self._pairs(accounts, cents)
        due = paid_in_turn(self._outstanding, payers, asked)
        paid = self.ledger.pay(payers, self.bank, due, why, short="part")
        self._end(payers, paid, why)
        return paid

    def write_off(self, accounts: ArrayLike, cents: ArrayLike, why: str) -> Cents:
        """Give loans up against the bank's own account, which may go below zero.

        Args:
            accounts: Whose loans, one or shape (loans,).
            cents: Whole cents >= 0, one or shape (loans,); at most what is owed is given up.
            why: The reason, for the tables.

        Returns:
            Cents given up, shape (loans,).
        """
        debtors, asked = self._pairs(accounts, cents)
        lost = paid_in_turn(self._outstanding, debtors, asked)
        self._end(debtors, lost, why)
        return lost

    def check(self) -> None:
        """Hold the identity of all money.

        Raises:
            StateError: If the balances do not sum to loans and reserves.
        """
        money, owed = self.ledger.total, self.total
        if money != owed + self._reserves:
            raise StateError(
                f"all balances sum to {money} cents, but loans are {owed} and reserves "
                f"{self._reserves}: {money - owed - self._reserves} cents came from nowhere"
            )

    def state(self) -> LoansState:
        """Give a copy of what is owed."""
        self._widen()
        return LoansState(outstanding=self._outstanding.copy(), reserves=self._reserves)

    def restore(self, state: LoansState) -> None:
        """Take over what `state` gave; the ledger is restored before.

        Raises:
            StateError: If it does not fit the ledger.
        """
        self._outstanding = np.array(state["outstanding"], np.int64)
        self._reserves = int(state["reserves"])
        self.check()

    def _end(self, debtors: Accounts, cents: Cents, why: str) -> None:
        """Take debt away, and as much money from the bank."""
        if cents.any():
            self.ledger.destroy(self.bank, int(cents.sum()), why)
            np.subtract.at(self._outstanding, debtors, cents)

    def _pairs(self, accounts: ArrayLike, cents: ArrayLike) -> tuple[Accounts, Cents]:
        """Accounts and cents of one length, checked before anything moves."""
        self._widen()
        numbers, asked = np.broadcast_arrays(np.atleast_1d(accounts), np.atleast_1d(cents))
        if not numbers.size:
            return np.zeros(0, np.intp), np.zeros(0, np.int64)
        self.ledger.balance(numbers)
        return numbers.astype(np.intp), whole_cents(asked)

    def _widen(self) -> None:
        """Make room for accounts opened since."""
        missing = len(self.ledger) - len(self._outstanding)
        if missing > 0:
            self._outstanding = np.append(self._outstanding, np.zeros(missing, np.int64))
