"""Firms are founded and closed, plan production, and pay dividends."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from memopolis.agents.economy.firms import (
    adapt_staff,
    advance_shock,
    compute_labour,
    plan_output,
    select_workers,
)
from memopolis.agents.economy.shopping import split_cents
from memopolis.agents.joining import extend_rows
from memopolis.scenarios.ubi.firm_settings import FirmSettings, LabourMarketSettings, ShockSettings
from memopolis.scenarios.ubi.household_settings import GOODS
from memopolis.scenarios.ubi.money import Money
from memopolis.scenarios.ubi.people import Labour
from memopolis.sim.arrays import Float64, Int64, Ints
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

FOUNDING_WORKERS = 3.0
"""Initial labour demand of a new firm, in workers of mean skill (illustrative)."""
FOUNDING_MONTHS = 2.0  # size of its first loan, in monthly wages (illustrative)
COPIED = ("price", "wage", "productivity")
"""Values that a new firm copies from its sector, as means weighted by expected sales."""


@dataclass(eq=False, repr=False)
class Enter(Block):
    """Close firms after months without money or workers; found new firms with a loan."""

    reads = (
        "losses", "idle", "account", "sector", "price", "wage", "sold", "wanted", "expected",
        "productivity", "employees", "age",
    )  # fmt: skip
    writes = (
        "sector", "account", "price", "wage", "expected", "productivity", "age", "losses", "idle",
        "inventory", "labour", "efficiency", "alive",
    )  # fmt: skip

    settings: FirmSettings
    money: Money
    citizens: Population
    bureau: Population
    _: KW_ONLY
    fund: int
    target: int

    def step(self, firms: Cohort) -> None:
        """Close failing firms, then found new ones."""
        firms["age"] = firms["age"] + 1
        failing = (firms["losses"] >= self.settings.patience) | (
            firms["idle"] >= self.settings.patience
        )
        if failing.all():
            # The largest firm stays: without firms there would be neither goods nor jobs.
            failing[np.argmax(firms["expected"])] = False
        if failing.any():
            self._close_firms(firms.where(failing))
        founded = self._found_firms(firms.where(~failing))
        self.bureau["new_firms"] = founded
        self.bureau["failed_firms"] = np.count_nonzero(failing)

    def _close_firms(self, firms: Cohort) -> None:
        """Dismiss workers and repay debts as far as money lasts; owners get the rest."""
        account = firms["account"].astype(np.intp)
        left = self.money.settle_debts(account, "failure")
        self.money.ledger.pay(account, self.fund, np.maximum(left, 0), "closing")
        lost = np.isin(self.citizens["employer"], firms.rows)
        dismiss(self.citizens.at(np.flatnonzero(lost)))
        for agent in firms:
            agent.remove()

    def _found_firms(self, firms: Cohort) -> int:
        """Found firms in sectors with excess demand, and return their number."""
        per_sector = self._draw_founded(firms)
        count = int(per_sector.sum())
        if not count:
            return 0
        old = {name: firms[name].astype(np.float64) for name in COPIED}
        sector_of_old = firms["sector"]
        weight = np.maximum(firms["expected"].astype(np.float64), 1e-9)
        new = self.population.add(count)
        sector = np.repeat(np.arange(len(GOODS)), per_sector)
        new["sector"] = sector
        for name, values in old.items():
            by_sector = _compute_sector_means(values, sector_of_old, weight)
            new[name] = by_sector[sector]
        account = self.money.ledger.open("firm", count)
        new["account"] = account
        new["efficiency"] = new["productivity"]
        labour = FOUNDING_WORKERS * self._mean_labour()
        new["expected"] = labour * new["productivity"].astype(np.float64)
        wages = np.rint(FOUNDING_MONTHS * labour * 100 * new["wage"].astype(np.float64))
        self.money.loans.lend(account, wages.astype(np.int64), "founding")
        return count

    def _draw_founded(self, firms: Cohort) -> Int64:
        sector = firms["sector"]
        asked = np.bincount(sector, firms["wanted"], minlength=len(GOODS))
        sold = np.bincount(sector, firms["sold"], minlength=len(GOODS))
        present = np.bincount(sector, minlength=len(GOODS))
        shortage = np.maximum(asked - sold, 0) / np.maximum(asked, 1e-9)
        missing = max(0, self.target - len(firms)) * (present / max(1, len(firms)))
        mean = self.settings.entry * missing + self.settings.entry_shortage * shortage * present
        mean = np.where(present > 0, mean, 1.0)  # empty sectors always get a firm
        draw = self.society.chance.uniform(
            f"{self.population.name}.{self.name}.founding", np.arange(len(GOODS)), self.clock.tick
        )
        return np.asarray(np.floor(mean + draw), np.int64)

    def _mean_labour(self) -> float:
        """Return the mean labour of employed persons, weighted by skill."""
        people = self.citizens
        employed = (people["employer"] >= 0) & people["alive"]
        work = compute_labour(people["wanted_hours"][employed], people["skill"][employed])
        return float(work.mean()) if len(work) else 0.0


def dismiss(citizens: Cohort) -> None:
    """End the jobs of citizens."""
    citizens["employer"] = -1
    citizens["labour"] = Labour.UNEMPLOYED
    citizens["spell"] = 0
    citizens["notice"] = False
    citizens["wage"] = 0.0


def _compute_sector_means(values: Float64, group: Ints, weight: Float64) -> Float64:
    """Compute weighted means by sector; sectors without firms get the overall mean."""
    total = np.bincount(group, weight, minlength=len(GOODS))
    summed = np.bincount(group, weight * values, minlength=len(GOODS))
    overall = float((weight * values).sum() / weight.sum())
    return np.where(total > 0, summed / np.where(total > 0, total, 1), overall)


@dataclass(eq=False, repr=False)
class PlanProduction(Block):
    """Set the labour demand of each firm, and give notice to surplus workers."""

    reads = ("expected", "inventory", "productivity", "target_months", "labour")
    writes = ("planned", "labour", "employees", "efficiency")
    state = ("shock", "own")

    settings: FirmSettings
    labour_market: LabourMarketSettings
    shocks: ShockSettings
    citizens: Population

    def setup(self) -> None:
        """Start without a shock, and with those of single firms drawn."""
        self.shock = np.zeros(1)
        self.own: Float64 = np.zeros(len(self.population))

    def step(self, firms: Cohort) -> None:
        """Dismiss workers under notice, then plan."""
        people = self.citizens
        dismiss(people.at(np.flatnonzero(people["notice"] & people["alive"])))
        self._update_productivity(firms)
        self._plan_labour(firms)
        self._give_notice(firms)

    def _update_productivity(self, firms: Cohort) -> None:
        draw = self.society.chance.normal("productivity", [0], self.clock.tick)
        self.shock = advance_shock(
            self.shock,
            draw,
            persistence=self.shocks.productivity_persistence,
            deviation=self.shocks.productivity,
        )
        self.own = extend_rows(self.own, len(self.population), 0)
        self.own[firms.rows] = own = advance_shock(
            self.own[firms.rows],
            self.chance.normal(firms, "productivity"),
            persistence=self.shocks.firm_persistence,
            deviation=self.shocks.firm,
        )
        firms["efficiency"] = firms["productivity"] * np.exp(self.shock[0] + own)

    def _plan_labour(self, firms: Cohort) -> None:
        output = plan_output(
            firms["expected"],
            firms["inventory"],
            target=firms["target_months"],
            pace=self.settings.stock_pace,
        )
        firms["planned"] = output
        needed = output / firms["efficiency"]
        firms["labour"] = adapt_staff(firms["labour"], needed, pace=self.labour_market.staff_pace)

    def _give_notice(self, firms: Cohort) -> None:
        """Give notice to surplus workers, last hired first; they leave at the end of the month.

        Source: Abraham and Medoff 1984, Industrial and Labor Relations Review 38:87-97 (recalled).
        """
        people = self.citizens
        rows = np.flatnonzero((people["employer"] >= 0) & people["alive"])
        workers = people.at(rows)
        employer = people["employer"][rows]
        work = compute_labour(people["wanted_hours"][rows], people["skill"][rows])
        have = np.bincount(employer, work, minlength=len(self.population))
        target = np.zeros(len(self.population))
        target[firms.rows] = firms["labour"]
        surplus = np.maximum(have - target, 0)
        order = self.chance.order(workers, "notice")
        order = order[np.argsort(people["spell"][rows][order], kind="stable")]
        workers["notice"] = select_workers(employer, work, surplus, order)
        count = np.bincount(employer, minlength=len(self.population))
        firms["employees"] = count[firms.rows]


@dataclass(eq=False, repr=False)
class PayDividends(Block):
    """Pay excess money into the owners' fund, which pays households by capital."""

    reads = ("account", "payroll", "labour", "wage", "alive")
    writes = ("dividends",)

    settings: FirmSettings
    money: Money
    households: Population
    _: KW_ONLY
    fund: int

    def step(self, firms: Cohort) -> None:
        """Pay into the fund and out of it."""
        ledger = self.money.ledger
        account = firms["account"].astype(np.intp)
        planned = np.rint(100 * firms["labour"].astype(np.float64) * firms["wage"]).astype(np.int64)
        wages = np.maximum(firms["payroll"], planned)
        kept = np.rint(self.settings.buffer * wages).astype(np.int64)
        free = ledger.balance(account) - self.money.loans.of(account) - kept
        firms["dividends"] = ledger.pay(account, self.fund, np.maximum(free, 0), "dividend")
        self._pay_owners()

    def _pay_owners(self) -> None:
        """Distribute the fund by capital, and add last month's interest."""
        ledger = self.money.ledger
        owners = self.households.cohort()
        capital = owners["capital"].astype(np.float64)
        sum_of_fund = int(ledger.balance(self.fund))
        paid = np.zeros(len(owners), np.int64)
        if capital.sum() > 0 and sum_of_fund > 0:
            shares = (capital / capital.sum())[None, :]
            parts = split_cents(np.array([sum_of_fund]), shares)[0]
            to = owners["account"].astype(np.intp)
            paid = ledger.pay(self.fund, to, parts, "dividend", short="part")
        owners["dividends"] = paid + owners["interest"]
