"""The goods market: orders are served from the stocks of firms and paid."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.shopping import serve_in_order
from memopolis.scenarios.ubi.money import Money
from memopolis.sim.population import Population


@dataclass(frozen=True)
class Market:
    """Sales of firms.

    Attributes:
        money: Accounts.
        firms: Sellers.
    """

    money: Money
    firms: Population

    def reset(self) -> None:
        """Reset the sales of a month."""
        store = self.firms.memory.columns.arrays
        for name in ("sold", "wanted", "revenue"):
            store[name][:] = 0

    def sell(
        self, buyers: NDArray[np.intp], firm: NDArray[np.intp], cents: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Serve orders in the given order, as far as stocks and money last.

        Args:
            buyers: Paying account, shape (orders,).
            firm: Row of the seller, shape (orders,).
            cents: Desired spending, >= 0, shape (orders,).

        Returns:
            Money spent, shape (orders,).
        """
        store = self.firms.memory.columns.arrays
        price = store["price"].astype(np.float64) * 100
        served = serve_in_order(firm, cents / price[firm], store["inventory"])
        due = np.minimum(cents, np.floor(served * price[firm] + 1e-6).astype(np.int64))
        to = store["account"][firm]
        paid = self.money.ledger.pay(buyers, to, due, "goods", short="part")
        units = np.bincount(firm, weights=paid / price[firm], minlength=len(self.firms))
        store["inventory"][:] = np.maximum(store["inventory"] - units, 0.0)
        store["sold"] += units.astype(np.float32)
        np.add.at(store["revenue"], firm, paid)
        return paid

    def count_demand(self, firm: NDArray[np.intp], cents: NDArray[np.int64]) -> None:
        """Count demand, met or not, so that firms know their potential sales."""
        store = self.firms.memory.columns.arrays
        price = store["price"].astype(np.float64) * 100
        asked = np.bincount(firm, weights=cents / price[firm], minlength=len(self.firms))
        store["wanted"] += asked.astype(np.float32)
