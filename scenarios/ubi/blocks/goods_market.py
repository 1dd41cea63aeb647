"""The goods market: households and the government buy from the stocks of firms."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.firms import advance_shock
from memopolis.agents.economy.shopping import compute_spending_shares, serve_in_order, split_cents
from memopolis.scenarios.ubi.firm_settings import GoodsMarketSettings, ShockSettings
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.money import Money
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


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


type Orders = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64], NDArray[np.float64]]
"""Account of the buyer, row of the seller, cents, and order of service, each of shape (orders,)."""

LOTS = 20
"""Number of lots into which the government splits its orders from a firm (choice)."""


@dataclass(eq=False, repr=False)
class ConsumeGoods(Block):
    """Buy from known sellers, and try one other seller for unmet demand."""

    reads = ("account", "spent")
    writes = ("consumption", "spent")
    state = ("sellers", "mood")

    settings: GoodsMarketSettings
    shocks: ShockSettings
    market: Market
    government: Population
    bank: Population
    _: KW_ONLY
    neutral: float

    def setup(self) -> None:
        """Start without known sellers and without a shock."""
        self.mood: NDArray[np.float64] = np.zeros(1)
        shape = (len(self.population), len(GOODS), self.settings.sellers)
        self.sellers: NDArray[np.int32] = np.full(shape, -1, np.int32)

    def step(self, households: Cohort) -> None:
        """Update known sellers, buy in two rounds, and store spending."""
        self._update_sellers(households)
        wish = self._compute_desired_spending(households)
        spent = self._buy_from_known(households, wish)
        spent += self._buy_elsewhere(households, wish - spent)
        for place, kind in enumerate(GOODS):
            households.status[f"spent.{kind}"] = spent[:, place]
        households.status["consumption"] = spent.sum(axis=1)

    def _compute_desired_spending(self, households: Cohort) -> NDArray[np.int64]:
        """Compute desired spending by kind, given the demand shock and interest; cents."""
        draw = self.society.chance.normal("demand", [0], self.clock.tick)[0]
        self.mood[0] = advance_shock(
            float(self.mood[0]),
            float(draw),
            persistence=self.shocks.demand_persistence,
            deviation=self.shocks.demand,
        )
        rate = float(self.bank.memory.columns.arrays["rate"][0])
        mood = self.mood[0] - self.settings.interest_effect * (rate - self.neutral)
        wants = np.stack([households.status[f"spent.{kind}"] for kind in GOODS], axis=1)
        total = wants.sum(axis=1)
        account = households.status["account"].astype(np.intp)
        means = np.maximum(self.market.money.ledger.balance(account), 0)
        budget = np.minimum(np.rint(total * np.exp(mood)), means).astype(np.int64)
        return split_cents(budget, wants / np.maximum(total, 1)[:, None])

    def _update_sellers(self, households: Cohort) -> None:
        """Replace sellers that no longer exist, and sometimes compare one with another."""
        missing = len(self.population) - len(self.sellers)
        if missing:
            new = np.full((missing, *self.sellers.shape[1:]), -1, np.int32)
            self.sellers = np.concatenate([self.sellers, new])
        rows = households.rows
        firms = self.market.firms.memory.columns.arrays
        price, alive = firms["price"], firms["alive"]
        for kind in range(len(GOODS)):
            sellers, edges = self._list_sellers(kind)
            for slot in range(self.settings.sellers):
                number = kind * self.settings.sellers + slot
                u = self.chance.uniform(households, "other", number)
                other = sellers[np.minimum(np.searchsorted(edges, u, "right"), len(sellers) - 1)]
                known = self.sellers[rows, kind, slot]
                gone = (known < 0) | ~alive[known]
                looks = self.chance.uniform(households, "review", number) < self.settings.review
                cheaper = price[other] < (1 - self.settings.cheaper) * price[known]
                self.sellers[rows, kind, slot] = np.where(gone | (looks & cheaper), other, known)

    def _list_sellers(self, kind: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the firms that sell a kind of goods, and edges to draw them by size."""
        firms = self.market.firms.memory.columns.arrays
        rows = np.flatnonzero(firms["alive"] & (firms["sector"] == kind))
        if not len(rows):
            rows = np.flatnonzero(firms["alive"])
        weight = np.cumsum(np.maximum(firms["expected"][rows].astype(np.float64), 1e-6))
        return rows, weight / weight[-1]

    def _buy_from_known(self, households: Cohort, wish: NDArray[np.int64]) -> NDArray[np.int64]:
        """First round: split spending over all known sellers."""
        sellers = self.sellers[households.rows].astype(np.intp)
        n, kinds, slots = sellers.shape
        price = self.market.firms.memory.columns.arrays["price"]
        shares = compute_spending_shares(
            price[sellers].reshape(-1, slots), sensitivity=self.settings.sensitivity
        )
        cents = split_cents(wish.reshape(-1), shares).reshape(-1)
        buyers = np.repeat(households.status["account"].astype(np.intp), kinds * slots)
        turn = np.repeat(self.chance.uniform(households, "turn"), kinds * slots)
        official = self._split_public_orders()
        own = (buyers, sellers.reshape(-1), cents, turn)
        paid = self._serve(
            *(np.concatenate(pair) for pair in zip(own, official, strict=True)), counts_demand=True
        )
        of_state = paid[len(buyers) :].sum()
        public = self.government.memory.columns.arrays
        public["deficit"][:] -= public["purchases"] - of_state
        public["purchases"][:] = of_state
        return paid[: len(buyers)].reshape(n, kinds, slots).sum(axis=2)

    def _split_public_orders(self) -> Orders:
        """Return the government's orders, proportional to the size of firms.

        Orders are split into lots, each with its own place in the order of service, so that a
        large buyer is served like many small ones.
        """
        firms = self.market.firms.memory.columns.arrays
        sellers = np.flatnonzero(firms["alive"])
        size = np.maximum(
            firms["expected"][sellers].astype(np.float64) * firms["price"][sellers], 0
        )
        total = self.government.memory.columns.arrays["purchases"][:1].astype(np.int64)
        if size.sum() <= 0:
            total, size = np.zeros(1, np.int64), np.ones(len(sellers))
        of_firm = split_cents(total, (size / size.sum())[None, :])[0]
        cents = split_cents(of_firm, np.full((len(sellers), LOTS), 1 / LOTS)).reshape(-1)
        purpose = f"{self.population.name}.{self.name}.public turn"
        lots = np.repeat(sellers, LOTS) * LOTS + np.tile(np.arange(LOTS), len(sellers))
        turn = self.society.chance.uniform(purpose, lots, self.clock.tick)
        buyer = np.full(len(lots), self.market.money.government)
        return buyer, np.repeat(sellers, LOTS), cents, turn

    def _buy_elsewhere(self, households: Cohort, left: NDArray[np.int64]) -> NDArray[np.int64]:
        """Second round: try one other seller per kind, drawn by stock."""
        bought = np.zeros_like(left)
        firms = self.market.firms.memory.columns.arrays
        account = households.status["account"].astype(np.intp)
        for kind in range(len(GOODS)):
            places = np.flatnonzero(left[:, kind] > 0)
            store = np.where(firms["alive"] & (firms["sector"] == kind), firms["inventory"], 0)
            edges = np.cumsum(store.astype(np.float64))
            if not len(places) or edges[-1] <= 0:
                continue
            who = households.at(households.rows[places])
            u = self.chance.uniform(who, "elsewhere", kind) * edges[-1]
            firm = np.minimum(np.searchsorted(edges, u, "right"), len(edges) - 1)
            turn = self.chance.uniform(who, "turn", kind + 1)
            bought[places, kind] = self._serve(
                account[places], firm, left[places, kind], turn, counts_demand=False
            )
        return bought

    def _serve(
        self,
        buyers: NDArray[np.intp],
        firm: NDArray[np.intp],
        cents: NDArray[np.int64],
        turn: NDArray[np.float64],
        *,
        counts_demand: bool,
    ) -> NDArray[np.int64]:
        """Serve orders in ascending order of `turn`, and return what each paid."""
        order = np.argsort(turn, kind="stable")
        order = order[cents[order] > 0]
        if counts_demand:
            self.market.count_demand(firm[order], cents[order])
        paid = np.zeros(len(cents), np.int64)
        paid[order] = self.market.sell(buyers[order], firm[order], cents[order])
        return paid
