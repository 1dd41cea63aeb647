"""Money and debts of households that end, leave, form or arrive."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.ubi.money import Money

type Cents = NDArray[np.int64]
type Accounts = NDArray[np.intp]


@dataclass(frozen=True)
class Estates:
    """Transfers of money between households; no money is lost.

    Attributes:
        money: Accounts and loans.
        elsewhere: Account of the outside world: receives what leaves, pays what arrives.
        inherit: Share of an estate that goes to the heir; the state gets the rest.
    """

    money: Money
    elsewhere: int
    inherit: float

    def settle(self, accounts: Accounts, why: str) -> Cents:
        """Repay debts as far as money lasts, write off the rest, and return the remaining money."""
        debt = self.money.loans.of(accounts)
        paid = self.money.loans.repay(accounts, debt, "repayment")
        self.money.loans.write_off(accounts, debt - paid, why)
        return self.money.ledger.balance(accounts)

    def pass_on(self, accounts: Accounts, heirs: Accounts) -> None:
        """Settle estates, then pay heirs their share and the state the rest.

        Args:
            accounts: Accounts of households that ended, shape (estates,).
            heirs: Account of each heir, the government's without one.
        """
        left = self.settle(accounts, "estate")
        share = np.rint(self.inherit * left).astype(np.int64)
        ledger = self.money.ledger
        ledger.pay(accounts, heirs, share, "inheritance")
        ledger.pay(accounts, self.money.government, left - share, "estate")

    def move_away(self, accounts: Accounts) -> None:
        """Settle debts of households that leave, and transfer their money to the outside world."""
        left = self.settle(accounts, "arrears")
        self.money.ledger.pay(accounts, self.elsewhere, left, "moved away")

    def move_in(self, deposits: Cents) -> Accounts:
        """Open accounts for households that move in.

        Together they bring at most what earlier leavers took away; if that is not enough, all
        deposits are scaled down.

        Args:
            deposits: Desired cents of each household, shape (households,).

        Returns:
            Numbers of the accounts, shape (households,).
        """
        ledger = self.money.ledger
        accounts = ledger.open("household", len(deposits))
        available = int(ledger.balance(self.elsewhere))
        share = min(available / max(int(deposits.sum()), 1), 1.0)
        ledger.pay(
            self.elsewhere, accounts, np.floor(share * deposits).astype(np.int64), "moved in"
        )
        return accounts

    def open_with_share(self, parents: Accounts, share: float) -> Accounts:
        """Open accounts for persons that leave a household, with a share of its money.

        Args:
            parents: Account of the household that each person leaves, shape (founders,).
            share: Share of its money, in [0, 1].

        Returns:
            Numbers of the accounts, shape (founders,).
        """
        accounts = self.money.ledger.open("household", len(parents))
        self.transfer_share(parents, accounts, share)
        return accounts

    def transfer_share(self, parents: Accounts, to: Accounts, share: float) -> None:
        """Transfer a share of a household's money to the account of a person that leaves it.

        Args:
            parents: Account of the household that each person leaves, shape (founders,).
            to: Account of the household that each person joins, shape (founders,).
            share: Share of its money, in [0, 1].
        """
        ledger = self.money.ledger
        gift = np.floor(share * np.maximum(ledger.balance(parents), 0)).astype(np.int64)
        ledger.pay(parents, to, gift, "founding", short="part")
