"""The goods market: orders in a row are served from the stores of firms and paid for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.shopping import served_in_turn
from memopolis.scenarios.ubi.money import Money
from memopolis.sim.population import Population


@dataclass(frozen=True)
class Market:
    """Where firms sell.

    Attributes:
        money: Accounts.
        firms: Who sells.
    """

    money: Money
    firms: Population

    def open(self) -> None:
        """Begin to count the sales of a month."""
        store = self.firms.memory.columns.arrays
        for name in ("sold", "wanted", "revenue"):
            store[name][:] = 0

    def sell(
        self, buyers: NDArray[np.intp], firm: NDArray[np.intp], cents: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Serve orders in the order given, as far as stores last, for money.

        Args:
            buyers: Account of each order, shape (orders,).
            firm: Row of the seller, shape (orders,).
            cents: Money to be spent, >= 0, shape (orders,).

        Returns:
            Money spent, shape (orders,).
        """
        store = self.firms.memory.columns.arrays
        price = store["price"].astype(np.float64) * 100
        served = served_in_turn(firm, cents / price[firm], store["inventory"])
        due = np.minimum(cents, np.floor(served * price[firm] + 1e-6).astype(np.int64))
        to = store["account"][firm]
        paid = self.money.ledger.pay(buyers, to, due, "goods", short="part")
        got = np.bincount(firm, weights=paid / price[firm], minlength=len(self.firms))
        store["inventory"][:] = np.maximum(store["inventory"] - got, 0.0)
        store["sold"] += got.astype(np.float32)
        np.add.at(store["revenue"], firm, paid)
        return paid

    def ask(self, firm: NDArray[np.intp], cents: NDArray[np.int64]) -> None:
        """Count what buyers ask for, so that firms know what they could have sold."""
        store = self.firms.memory.columns.arrays
        price = store["price"].astype(np.float64) * 100
        asked = np.bincount(firm, weights=cents / price[firm], minlength=len(self.firms))
        store["wanted"] += asked.astype(np.float32)
