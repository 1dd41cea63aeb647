"""Economy: wages, shopping, taxes and benefits, all through the ledger."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.ages import SHOPPING_AGE
from memopolis.agents.economy.shopping import serve_in_order
from memopolis.agents.remembering import remember
from memopolis.sim.arrays import Bools, Int16, Int64, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population
from memopolis.sim.world.ledger import Ledger

CLOSED_IMPORTANCE = 0.25  # importance of finding all stores closed (illustrative)
SOLD_OUT_IMPORTANCE = 0.35  # importance of finding nothing in stock (illustrative)


@dataclass(frozen=True)
class Accounts:
    """Numbers of the accounts in the society's ledger."""

    citizens: Intp  # by row, shape (citizens,)
    firms: Intp  # by row, shape (firms,)
    government: int  # account of the government
    bank: int  # account of the bank, which may create money


def open_accounts(
    ledger: Ledger, wealth: Int64, firms: int, capital: int, treasury: int
) -> Accounts:
    """Open all accounts, and fund them in cents with money that the bank creates."""
    bank = ledger.open("bank", issuer=True)
    accounts = Accounts(
        citizens=ledger.open("citizen", len(wealth)),
        firms=ledger.open("firm", firms),
        government=int(ledger.open("government")[0]),
        bank=int(bank[0]),
    )
    ledger.create(bank[0], int(wealth.sum()) + capital * firms + treasury, "opening")
    ledger.pay(bank[0], accounts.citizens, wealth, "opening")
    ledger.pay(bank[0], accounts.firms, np.full(firms, capital), "opening")
    ledger.pay(bank[0], accounts.government, treasury, "opening")
    return accounts


class Work(Block):
    """Pay hourly wages for work, with income tax withheld."""

    reads = ("doing", "employer", "skill")
    writes = ()

    def __init__(self, accounts: Accounts, firms: Population, government: Population) -> None:
        self.accounts = accounts
        self.firms = firms
        self.authority = government

    def step(self, citizens: Cohort) -> None:
        """Pay the citizens at work, as far as their firms have money."""
        at_work = citizens["doing"] == Activity.WORK
        ledger = self.society.ledger
        if ledger is None or not at_work.any():
            return
        working = citizens.where(at_work)
        # A random order, so that low row numbers have no advantage when a firm runs short.
        working = citizens.at(working.rows[self.chance.order(working)])
        employer = working["employer"]
        wage = np.round(working["skill"] * 100 * self.clock.hours).astype(np.int64)
        own = self.accounts.citizens[working.rows]
        paid = ledger.pay(self.accounts.firms[employer], own, wage, "wage", short="part")
        rate = float(self.authority["tax_rate"][0])
        tax = np.rint(paid * rate).astype(np.int64)
        taken = ledger.pay(own, self.accounts.government, tax, "tax", short="part")
        self.authority.at(np.zeros(1, np.intp))["revenue"] += taken.sum()
        made = np.bincount(employer, minlength=len(self.firms)) * self.clock.hours
        store = self.firms
        missing = np.maximum(store["target_stock"] - store["inventory"], 0)
        store["inventory"] = store["inventory"] + np.minimum(store["productivity"] * made, missing)


class Shop(Block):
    """Buy from an open firm of the current zone; scarce goods are allocated in random order."""

    reads = ("doing", "place", "age")
    writes = ("spent",)

    def __init__(self, accounts: Accounts, firms: Population) -> None:
        self.accounts = accounts
        self.firms = firms

    def setup(self) -> None:
        """Group firms by zone."""
        zone = self.firms["zone"]
        self.by_zone = np.argsort(zone, kind="stable")
        self.zones = int(zone.max()) + 1

    def step(self, citizens: Cohort) -> None:
        """Serve all agents that shop, in random order."""
        store, ledger = self.firms, self.society.ledger
        store["sold"] = store["turned_away"] = 0
        citizens["spent"] = 0
        doing = citizens["doing"]
        shoppers = citizens.where((doing == Activity.SHOP) | (doing == Activity.STOCK_UP))
        place, age = shoppers["place"], shoppers["age"]
        shoppers = shoppers.where((place >= 0) & (place < self.zones) & (age >= SHOPPING_AGE))
        if len(shoppers) and ledger is not None:
            shoppers = citizens.at(shoppers.rows[self.chance.order(shoppers)])
            shoppers["spent"] = self._visit(shoppers, shoppers["place"], ledger)

    def _visit(self, shoppers: Cohort, place: Int16, ledger: Ledger) -> Int64:
        """Let shoppers visit an open store of their zone, and return what they spent."""
        store = self.firms
        sellers = self.by_zone[store["open"][self.by_zone]]
        zone = store["zone"][sellers]
        first = np.searchsorted(zone, np.arange(self.zones))
        count = np.bincount(zone, minlength=self.zones)[place]
        some = count > 0
        closed = shoppers.where(~some)
        text = "The stores in {place} were closed."
        remember(closed, "shortage", text, CLOSED_IMPORTANCE, -0.4, at="place")
        spent = np.zeros(len(shoppers), np.int64)
        visitors = shoppers.where(some)
        if len(visitors):
            u = self.chance.uniform(visitors, "firm")
            firm = sellers[first[place[some]] + (u * count[some]).astype(np.int64)]
            spent[some] = self._buy(visitors, firm, ledger)
        return spent

    def _buy(self, shoppers: Cohort, firm: Intp, ledger: Ledger) -> Int64:
        store = self.firms
        price = np.round(store["price"][firm] * 100).astype(np.int64)
        own = self.accounts.citizens[shoppers.rows]
        able = ledger.balance(own) >= price
        served = np.zeros(len(shoppers), np.bool_)
        # Buyers without enough money do not reduce the stock.
        one = np.ones(np.count_nonzero(able))
        served[able] = serve_in_order(firm[able], one, store["inventory"]) == 1
        paid = ledger.pay(own, self.accounts.firms[firm], np.where(served, price, 0), "goods")
        sold = np.bincount(firm[paid > 0], minlength=len(self.firms))
        store["inventory"] = store["inventory"] - sold.astype(np.float32)
        store["sold"] = sold
        self._turn_away(shoppers, firm, able & ~served)
        return paid

    def _turn_away(self, shoppers: Cohort, firm: Intp, missed: Bools) -> None:
        """Count the customers who found nothing in stock, and let them remember it."""
        if not missed.any():
            return
        store = self.firms
        store["turned_away"] = np.bincount(firm[missed], minlength=len(self.firms))
        disappointed = shoppers.where(missed)
        disappointed.stream.add(
            "shortage",
            "A store in {place} had sold out what I wanted.",
            actor=self.firms.ids[firm[missed]],
            place=store["zone"][firm[missed]],
            importance=SOLD_OUT_IMPORTANCE,
            valence=-0.6,
        )


class PayBenefits(Block):
    """Pay a daily benefit to adults without wages: a behaviour of the government."""

    reads = ("benefits",)
    writes = ("benefits",)

    def __init__(self, accounts: Accounts, citizens: Population, daily: Int64) -> None:
        self.accounts = accounts
        self.citizens = citizens
        self.daily = daily

    def step(self, government: Cohort) -> None:
        """Pay once a day at noon, as far as the treasury has money."""
        ledger = self.society.ledger
        if ledger is None or not self.clock.is_hour(12):
            return
        owed = (self.daily > 0) & self.citizens["alive"][: len(self.daily)]
        rows = np.flatnonzero(owed)
        rows = rows[self.society.chance.order("benefits", rows, self.clock.tick)]
        paid = ledger.pay(
            self.accounts.government,
            self.accounts.citizens[rows],
            self.daily[rows],
            "benefit",
            short="part",
        )
        government["benefits"] += paid.sum()
