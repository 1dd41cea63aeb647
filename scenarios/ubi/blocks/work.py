"""Work: production and wages."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.production import MONTH_WEEKS, compute_labour
from memopolis.scenarios.ubi.firm_settings import FirmSettings
from memopolis.scenarios.ubi.market import Market
from memopolis.scenarios.ubi.money import Money
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class Work(Block):
    """Work the desired hours for monthly pay; firms short of money borrow."""

    reads = ("employer", "wanted_hours", "skill", "pay", "household", "spell")
    writes = ("hours", "wage", "at_work", "pay", "last_pay")

    settings: FirmSettings
    money: Money
    market: Market
    households: Population

    def step(self, citizens: Cohort) -> None:
        """Produce, then pay wages in random order."""
        status = citizens.status
        employer = status["employer"]
        at_work = employer >= 0
        store = self.market.firms.memory.columns.arrays
        status["hours"] = np.where(at_work, status["wanted_hours"], 0.0)
        status["wage"] = np.where(at_work, status["skill"] * store["wage"][employer], 0.0)
        status["at_work"] = at_work
        status["last_pay"] = status["pay"]
        self.market.reset()
        self._produce(citizens, at_work)
        pay = np.zeros(len(citizens), np.int64)
        places = np.flatnonzero(at_work)
        if len(places):
            workers = citizens.at(citizens.rows[places])
            places = places[self.chance.order(workers)]
            pay[places] = self._pay(citizens, places)
        status["pay"] = pay
        self._add_up_wages(citizens, pay)

    def _produce(self, citizens: Cohort, at_work: NDArray[np.bool_]) -> None:
        status, store = citizens.status, self.market.firms.memory.columns.arrays
        work = compute_labour(status["hours"], status["skill"])[at_work]
        labour = np.bincount(status["employer"][at_work], work, minlength=len(self.market.firms))
        store["made"][:] = labour * store["efficiency"]
        store["inventory"] += store["made"]

    def _pay(self, citizens: Cohort, places: NDArray[np.intp]) -> NDArray[np.int64]:
        """Pay workers at positions in the cohort, in this order, and return what each received."""
        status, store = citizens.status, self.market.firms.memory.columns.arrays
        employer = status["employer"][places]
        month = status["hours"].astype(np.float64) * MONTH_WEEKS * 100 * status["wage"]
        due = np.rint(month[places]).astype(np.int64)
        owed = np.zeros(len(self.market.firms), np.int64)
        np.add.at(owed, employer, due)
        self._borrow(owed)
        homes = self.households.memory.columns.arrays["account"]
        to = homes[status["household"][places]]
        paid = self.money.ledger.pay(store["account"][employer], to, due, "wage", short="part")
        store["payroll"][:] = 0
        np.add.at(store["payroll"], employer, paid)
        short = store["payroll"] < owed
        store["losses"][:] = np.where(short, store["losses"] + 1, 0)
        idle = (owed == 0) & (store["age"] > 0)
        store["idle"][:] = np.where(idle, store["idle"] + 1, 0)
        return paid

    def _borrow(self, owed: NDArray[np.int64]) -> None:
        """Lend to firms short of wages, up to their limit."""
        store, money = self.market.firms.memory.columns.arrays, self.money
        some = np.flatnonzero(owed > 0)
        account = store["account"][some]
        missing = owed[some] - money.ledger.balance(account)
        available = np.rint(self.settings.credit * owed[some]).astype(np.int64)
        available -= money.loans.of(account)
        money.loans.lend(account, np.clip(missing, 0, np.maximum(available, 0)), "wage loan")

    def _add_up_wages(self, citizens: Cohort, pay: NDArray[np.int64]) -> None:
        wages = self.households.memory.columns.arrays["wages"]
        wages[:] = 0
        np.add.at(wages, citizens.status["household"], pay)
