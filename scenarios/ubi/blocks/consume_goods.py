"""The goods market: households and the government buy, in one order drawn by chance."""

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.production import wandering
from memopolis.agents.economy.shopping import apportioned, shares_by_price
from memopolis.scenarios.ubi.firm_settings import GoodsMarketSettings, ShockSettings
from memopolis.scenarios.ubi.market import Market
from memopolis.scenarios.ubi.people import GOODS
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

type Orders = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64], NDArray[np.float64]]
"""Account of the buyer, row of the seller, cents, and turn, each of shape (orders,)."""

LOTS = 20
"""Lots in which the government orders of a firm (choice)."""


class ConsumeGoods(Block):
    """Buy from sellers one knows, and try another one for what they had not."""

    reads = ("account", "spent")
    writes = ("consumption", "spent")
    state = ("sellers", "mood")

    def __init__(
        self,
        settings: GoodsMarketSettings,
        shocks: ShockSettings,
        market: Market,
        government: Population,
        bank: Population,
        *,
        neutral: float,
    ) -> None:
        self.settings = settings
        self.shocks = shocks
        self.market = market
        self.government = government
        self.bank = bank
        self.neutral = neutral

    def setup(self) -> None:
        """Nobody knows a seller yet, and there is no shock."""
        self.mood: NDArray[np.float64] = np.zeros(1)
        shape = (len(self.population), len(GOODS), self.settings.sellers)
        self.sellers: NDArray[np.int32] = np.full(shape, -1, np.int32)

    def step(self, households: Cohort) -> None:
        """Find sellers, order, be served twice, and see what was spent."""
        self._know_sellers(households)
        wish = self._wishes(households)
        spent = self._buy_from_known(households, wish)
        spent += self._buy_elsewhere(households, wish - spent)
        for place, kind in enumerate(GOODS):
            households.status[f"spent.{kind}"] = spent[:, place]
        households.status["consumption"] = spent.sum(axis=1)

    def _wishes(self, households: Cohort) -> NDArray[np.int64]:
        """What each wants to spend on each kind, by the mood of the month and interest; cents."""
        draw = self.society.chance.normal("demand", [0], self.clock.tick)[0]
        self.mood[0] = wandering(
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
        return apportioned(budget, wants / np.maximum(total, 1)[:, None])

    def _know_sellers(self, households: Cohort) -> None:
        """Replace sellers who are gone, and compare one now and then with another."""
        missing = len(self.population) - len(self.sellers)
        if missing:
            new = np.full((missing, *self.sellers.shape[1:]), -1, np.int32)
            self.sellers = np.concatenate([self.sellers, new])
        rows = households.rows
        firms = self.market.firms.memory.columns.arrays
        price, alive = firms["price"], firms["alive"]
        for kind in range(len(GOODS)):
            there, edges = self._sellers_of(kind)
            for slot in range(self.settings.sellers):
                number = kind * self.settings.sellers + slot
                u = self.chance.uniform(households, "other", number)
                other = there[np.minimum(np.searchsorted(edges, u, "right"), len(there) - 1)]
                known = self.sellers[rows, kind, slot]
                gone = (known < 0) | ~alive[known]
                looks = self.chance.uniform(households, "review", number) < self.settings.review
                cheaper = price[other] < (1 - self.settings.cheaper) * price[known]
                self.sellers[rows, kind, slot] = np.where(gone | (looks & cheaper), other, known)

    def _sellers_of(self, kind: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Firms that sell a kind of goods, and edges to draw them by their size."""
        firms = self.market.firms.memory.columns.arrays
        there = np.flatnonzero(firms["alive"] & (firms["sector"] == kind))
        if not len(there):
            there = np.flatnonzero(firms["alive"])
        weight = np.cumsum(np.maximum(firms["expected"][there].astype(np.float64), 1e-6))
        return there, weight / weight[-1]

    def _buy_from_known(self, households: Cohort, wish: NDArray[np.int64]) -> NDArray[np.int64]:
        """First round: every seller one knows gets a part of the money."""
        sellers = self.sellers[households.rows].astype(np.intp)
        n, kinds, slots = sellers.shape
        price = self.market.firms.memory.columns.arrays["price"]
        shares = shares_by_price(
            price[sellers].reshape(-1, slots), sensitivity=self.settings.sensitivity
        )
        cents = apportioned(wish.reshape(-1), shares).reshape(-1)
        buyers = np.repeat(households.status["account"].astype(np.intp), kinds * slots)
        turn = np.repeat(self.chance.uniform(households, "turn"), kinds * slots)
        official = self._public_orders()
        own = (buyers, sellers.reshape(-1), cents, turn)
        paid = self._serve(
            *(np.concatenate(pair) for pair in zip(own, official, strict=True)), asks=True
        )
        of_state = paid[len(buyers) :].sum()
        public = self.government.memory.columns.arrays
        public["deficit"][:] -= public["purchases"] - of_state
        public["purchases"][:] = of_state
        return paid[: len(buyers)].reshape(n, kinds, slots).sum(axis=2)

    def _public_orders(self) -> Orders:
        """What the government orders of each firm, by the size of its business.

        It orders in lots, each with a turn of its own among those of households, so neither is
        first and a large buyer is served no worse than many small ones.
        """
        firms = self.market.firms.memory.columns.arrays
        there = np.flatnonzero(firms["alive"])
        size = np.maximum(firms["expected"][there].astype(np.float64) * firms["price"][there], 0)
        total = self.government.memory.columns.arrays["purchases"][:1].astype(np.int64)
        if size.sum() <= 0:
            total, size = np.zeros(1, np.int64), np.ones(len(there))
        of_firm = apportioned(total, (size / size.sum())[None, :])[0]
        cents = apportioned(of_firm, np.full((len(there), LOTS), 1 / LOTS)).reshape(-1)
        purpose = f"{self.population.name}.{self.name}.public turn"
        lots = np.repeat(there, LOTS) * LOTS + np.tile(np.arange(LOTS), len(there))
        turn = self.society.chance.uniform(purpose, lots, self.clock.tick)
        buyer = np.full(len(lots), self.market.money.government)
        return buyer, np.repeat(there, LOTS), cents, turn

    def _buy_elsewhere(self, households: Cohort, left: NDArray[np.int64]) -> NDArray[np.int64]:
        """Second round: one other seller for each kind, drawn by what is in store."""
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
                account[places], firm, left[places, kind], turn, asks=False
            )
        return bought

    def _serve(
        self,
        buyers: NDArray[np.intp],
        firm: NDArray[np.intp],
        cents: NDArray[np.int64],
        turn: NDArray[np.float64],
        *,
        asks: bool,
    ) -> NDArray[np.int64]:
        """Serve orders by their turn, the lowest first; gives what each one paid."""
        order = np.argsort(turn, kind="stable")
        order = order[cents[order] > 0]
        if asks:
            self.market.ask(firm[order], cents[order])
        paid = np.zeros(len(cents), np.int64)
        paid[order] = self.market.sell(buyers[order], firm[order], cents[order])
        return paid
