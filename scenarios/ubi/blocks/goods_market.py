"""The goods market: households, the government and the outside world buy from firms' stocks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from memopolis.agents.economy.firms import advance_shock
from memopolis.agents.economy.shopping import compute_spending_shares, serve_in_order, split_cents
from memopolis.agents.joining import extend_rows
from memopolis.scenarios.ubi.firm_settings import GoodsMarketSettings, ShockSettings
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.money import Money, read_price_level, sum_by_group
from memopolis.sim.arrays import Float32, Float64, Int32, Int64, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(frozen=True)
class Market:
    """Sales of firms."""

    money: Money  # accounts
    firms: Population  # sellers

    def reset(self) -> None:
        """Reset the sales of a month."""
        store = self.firms
        for name in ("sold", "wanted", "revenue"):
            store[name] = 0

    def sell(self, buyers: Intp, firm: Intp, cents: Int64) -> Int64:
        """Serve orders in turn, as far as stocks and money last; return the cents spent."""
        store = self.firms
        price = store["price"].astype(np.float64) * 100
        served = serve_in_order(firm, cents / price[firm], store["inventory"])
        due = np.minimum(cents, np.floor(served * price[firm] + 1e-6).astype(np.int64))
        to = store["account"][firm]
        paid = self.money.ledger.pay(buyers, to, due, "goods", short="part")
        units = np.bincount(firm, weights=paid / price[firm], minlength=len(self.firms))
        store["inventory"] = np.maximum(store["inventory"] - units, 0.0)
        store["sold"] = store["sold"] + units.astype(np.float32)
        store["revenue"] = store["revenue"] + sum_by_group(paid, firm, len(self.firms))
        return paid

    def count_demand(self, firm: Intp, cents: Int64) -> None:
        """Count demand, met or not, so that firms know their potential sales."""
        store = self.firms
        price = store["price"].astype(np.float64) * 100
        asked = np.bincount(firm, weights=cents / price[firm], minlength=len(self.firms))
        store["wanted"] = store["wanted"] + asked.astype(np.float32)


LEAST_SHORTAGE = 0.02  # unmet share of a seller's demand that its customers notice (illustrative)

type Orders = tuple[Intp, Intp, Int64, Float64]
"""Account of the buyer, row of the seller, cents, and order of service, each of shape (orders,)."""

LOTS = 20  # number of lots into which a large buyer splits its orders from a firm (choice)


@dataclass(eq=False, repr=False)
class ConsumeGoods(Block):
    """Buy from known sellers, and try one other seller for unmet demand."""

    reads = ("account", "spent")
    writes = ("consumption", "spent")
    state = ("sellers", "mood", "unmet", "exports")
    refers: ClassVar[Mapping[str, str]] = {"sellers": "firm"}

    settings: GoodsMarketSettings
    shocks: ShockSettings
    market: Market
    government: Population

    def setup(self) -> None:
        """Start without known sellers and without a shock."""
        self.mood: Float64 = np.zeros(1)
        self.exports: Float64 = np.full(1, np.nan)
        self.unmet: Float32 = np.zeros(len(self.market.firms), np.float32)
        shape = (len(self.population), len(GOODS), self.settings.sellers)
        self.sellers: Int32 = np.full(shape, -1, np.int32)

    def step(self, households: Cohort) -> None:
        """Update known sellers, buy imports, then from firms in two rounds, and store spending."""
        self._update_sellers(households)
        wish = self._compute_desired_spending(households)
        imported = self._buy_imports(households, wish)
        wish = wish - imported
        spent = self._buy_from_known(households, wish)
        spent += self._buy_elsewhere(households, wish - spent)
        spent += imported
        self._remember_shortages()
        for place, kind in enumerate(GOODS):
            households[f"spent.{kind}"] = spent[:, place]
        households["consumption"] = spent.sum(axis=1)

    def _buy_imports(self, households: Cohort, wish: Int64) -> Int64:
        """Buy the imported share of each kind from the outside world, which is never short."""
        imported = np.floor(self.settings.imports * wish).astype(np.int64)
        money = self.market.money
        account = households["account"].astype(np.intp)
        money.ledger.pay(account, money.abroad, imported.sum(axis=1), "imports")
        if np.isnan(self.exports[0]):
            self.exports = np.full(1, float(imported.sum()))
        return imported

    def _order_exports(self) -> int:
        """Return the orders of the outside world: the first imports at current prices, in cents.

        Demand from outside does not depend on the society, so that further imports are a leakage;
        what the outside world does not earn here, it borrows.
        """
        cents = round(float(self.exports[0]) * read_price_level(self.society))
        money = self.market.money
        money.fund(money.abroad, cents, "foreign loan")
        return cents

    def _compute_desired_spending(self, households: Cohort) -> Int64:
        """Compute desired spending by kind, given the demand shock; cents."""
        draw = self.society.chance.normal("demand", [0], self.clock.tick)
        self.mood = advance_shock(
            self.mood,
            draw,
            persistence=self.shocks.demand_persistence,
            deviation=self.shocks.demand,
        )
        wants = np.stack([households[f"spent.{kind}"] for kind in GOODS], axis=1)
        total = wants.sum(axis=1)
        account = households["account"].astype(np.intp)
        means = np.maximum(self.market.money.ledger.balance(account), 0)
        budget = np.minimum(np.rint(total * np.exp(self.mood[0])), means).astype(np.int64)
        return split_cents(budget, wants / np.maximum(total, 1)[:, None])

    def _update_sellers(self, households: Cohort) -> None:
        """Replace sellers that are gone or were short, and sometimes compare one with another.

        A seller is left with the probability of its unmet share of demand in the last month, as in
        Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120 (recalled).
        """
        missing = len(self.population) - len(self.sellers)
        if missing:
            new = np.full((missing, *self.sellers.shape[1:]), -1, np.int32)
            self.sellers = np.concatenate([self.sellers, new])
        rows = households.rows
        firms = self.market.firms
        price, alive = firms["price"], firms["alive"]
        unmet = extend_rows(self.unmet, len(alive), 0)
        for kind in range(len(GOODS)):
            sellers, edges = self._list_sellers(kind)
            for slot in range(self.settings.sellers):
                number = kind * self.settings.sellers + slot
                u = self.chance.uniform(households, "other", number)
                other = sellers[np.minimum(np.searchsorted(edges, u, "right"), len(sellers) - 1)]
                known = self.sellers[rows, kind, slot]
                gone = (known < 0) | ~alive[known]
                draw = self.chance.uniform(households, "review", number)
                cheaper = price[other] < (1 - self.settings.cheaper) * price[known]
                rationed = (draw < unmet[known]) & (unmet[other] < unmet[known])
                leaves = rationed | ((draw < self.settings.review) & cheaper)
                self.sellers[rows, kind, slot] = np.where(gone | leaves, other, known)

    def _remember_shortages(self) -> None:
        """Store the unmet share of each firm's demand, 0 if it is too small to be noticed."""
        firms = self.market.firms
        wanted = firms["wanted"]
        unmet = 1 - firms["sold"] / np.where(wanted > 0, wanted, 1)
        self.unmet = np.where((wanted > 0) & (unmet > LEAST_SHORTAGE), unmet, 0).astype(np.float32)

    def _list_sellers(self, kind: int) -> tuple[Intp, Float64]:
        """Return the firms that sell a kind of goods, and edges to draw them by size."""
        firms = self.market.firms
        rows = np.flatnonzero(firms["alive"] & (firms["sector"] == kind))
        if not len(rows):
            rows = np.flatnonzero(firms["alive"])
        weight = np.cumsum(np.maximum(firms["expected"][rows].astype(np.float64), 1e-6))
        return rows, weight / weight[-1]

    def _buy_from_known(self, households: Cohort, wish: Int64) -> Int64:
        """First round: split spending over all known sellers."""
        sellers = self.sellers[households.rows].astype(np.intp)
        n, kinds, slots = sellers.shape
        price = self.market.firms["price"]
        shares = compute_spending_shares(
            price[sellers].reshape(-1, slots), sensitivity=self.settings.sensitivity
        )
        cents = split_cents(wish.reshape(-1), shares).reshape(-1)
        buyers = np.repeat(households["account"].astype(np.intp), kinds * slots)
        turn = np.repeat(self.chance.uniform(households, "turn"), kinds * slots)
        public, money = self.government, self.market.money
        bought = int(public["purchases"][0])
        official = self._split_orders(money.government, "public turn", bought)
        exports = self._split_orders(money.abroad, "export turn", self._order_exports())
        own = (buyers, sellers.reshape(-1), cents, turn)
        orders = zip(own, official, exports, strict=True)
        paid = self._serve(*(np.concatenate(parts) for parts in orders), counts_demand=True)
        of_state = paid[len(buyers) : len(buyers) + len(official[0])].sum()
        public["deficit"] = public["deficit"] - (public["purchases"] - of_state)
        public["purchases"] = of_state
        return paid[: len(buyers)].reshape(n, kinds, slots).sum(axis=2)

    def _split_orders(self, buyer: int, turns: str, cents: int) -> Orders:
        """Return the orders of one large buyer, proportional to the size of firms.

        Orders are split into lots, each with its own place in the order of service, so that a large
        buyer is served like many small ones.
        """
        firms = self.market.firms
        sellers = np.flatnonzero(firms["alive"])
        size = np.maximum(
            firms["expected"][sellers].astype(np.float64) * firms["price"][sellers], 0
        )
        total = np.array([cents], np.int64)
        if size.sum() <= 0:
            total, size = np.zeros(1, np.int64), np.ones(len(sellers))
        of_firm = split_cents(total, (size / size.sum())[None, :])[0]
        each = split_cents(of_firm, np.full((len(sellers), LOTS), 1 / LOTS)).reshape(-1)
        lots = np.repeat(sellers, LOTS) * LOTS + np.tile(np.arange(LOTS), len(sellers))
        purpose = f"{self.population.name}.{self.name}.{turns}"
        turn = self.society.chance.uniform(purpose, lots, self.clock.tick)
        return np.full(len(lots), buyer), np.repeat(sellers, LOTS), each, turn

    def _buy_elsewhere(self, households: Cohort, left: Int64) -> Int64:
        """Second round: try one other seller per kind, drawn by stock."""
        bought = np.zeros_like(left)
        firms = self.market.firms
        account = households["account"].astype(np.intp)
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
        self, buyers: Intp, firm: Intp, cents: Int64, turn: Float64, *, counts_demand: bool
    ) -> Int64:
        """Serve orders in ascending order of `turn`, and return what each paid."""
        order = np.argsort(turn, kind="stable")
        order = order[cents[order] > 0]
        if counts_demand:
            self.market.count_demand(firm[order], cents[order])
        paid = np.zeros(len(cents), np.int64)
        paid[order] = self.market.sell(buyers[order], firm[order], cents[order])
        return paid
