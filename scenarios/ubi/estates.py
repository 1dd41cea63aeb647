"""What becomes of the money and debts of households that end, leave, begin or arrive."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.ubi.money import Money

type Cents = NDArray[np.int64]
type Accounts = NDArray[np.intp]


@dataclass(frozen=True)
class Estates:
    """Money that changes hands with people; every cent stays in some account.

    Attributes:
        money: Accounts and loans.
        elsewhere: Account of the world outside: takes what leaves, pays what arrives.
        inherit: Share of an estate that goes to the heir; the state has the rest.
    """

    money: Money
    elsewhere: int
    inherit: float

    def settle(self, accounts: Accounts, why: str) -> Cents:
        """Pay debts as far as money lasts; the bank gives up the rest. Gives what is left."""
        debt = self.money.loans.of(accounts)
        paid = self.money.loans.repay(accounts, debt, "repayment")
        self.money.loans.write_off(accounts, debt - paid, why)
        return self.money.ledger.balance(accounts)

    def pass_on(self, accounts: Accounts, heirs: Accounts) -> None:
        """Settle estates, then pay heirs their share and the state the rest.

        Args:
            accounts: Of households that ended, shape (estates,).
            heirs: Account of each one's heir, the government's where there is none.
        """
        left = self.settle(accounts, "estate")
        share = np.rint(self.inherit * left).astype(np.int64)
        ledger = self.money.ledger
        ledger.pay(accounts, heirs, share, "inheritance")
        ledger.pay(accounts, self.money.government, left - share, "estate")

    def leave(self, accounts: Accounts) -> None:
        """Settle debts of households that move away, and let their money leave with them."""
        left = self.settle(accounts, "arrears")
        self.money.ledger.pay(accounts, self.elsewhere, left, "moved away")

    def arrive(self, wanted: Cents) -> Accounts:
        """Open accounts for households that move in.

        Together they bring at most what others took away before; if that falls short of what
        they would have, each brings less in proportion.

        Args:
            wanted: Cents each would have, shape (households,).

        Returns:
            The numbers of their accounts, shape (households,).
        """
        ledger = self.money.ledger
        accounts = ledger.open("household", len(wanted))
        there = int(ledger.balance(self.elsewhere))
        part = min(there / max(int(wanted.sum()), 1), 1.0)
        ledger.pay(self.elsewhere, accounts, np.floor(part * wanted).astype(np.int64), "moved in")
        return accounts

    def set_up(self, parents: Accounts, share: float) -> Accounts:
        """Open accounts for people who leave a household, with a share of its money.

        Args:
            parents: Account of the household each one leaves, shape (founders,).
            share: Of what is there, in [0, 1].

        Returns:
            The numbers of their accounts, shape (founders,).
        """
        accounts = self.money.ledger.open("household", len(parents))
        self.bring(parents, accounts, share)
        return accounts

    def bring(self, parents: Accounts, to: Accounts, share: float) -> None:
        """Let people who leave a household take a share of its money to another account.

        Args:
            parents: Account of the household each one leaves, shape (founders,).
            to: Account of the household each one joins, shape (founders,).
            share: Of what is there, in [0, 1].
        """
        ledger = self.money.ledger
        gift = np.floor(share * np.maximum(ledger.balance(parents), 0)).astype(np.int64)
        ledger.pay(parents, to, gift, "founding", short="part")
