"""Firms evaluate sales and set output, jobs, wage and price."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.economy.hiring import adjust_wage, select_workers
from memopolis.agents.economy.pricing import adjust_price
from memopolis.agents.economy.production import (
    adapt_expected_sales,
    advance_shock,
    compute_labour,
    plan_output,
)
from memopolis.scenarios.ubi.blocks.enter import dismiss
from memopolis.scenarios.ubi.firm_settings import FirmSettings, LabourMarketSettings, ShockSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class PlanProduction(Block):
    """Update expectations, price, wage offer and labour demand of each firm."""

    reads = (
        "expected", "wanted", "inventory", "productivity", "wage", "price", "vacancies",
        "filled_for", "age",
    )  # fmt: skip
    writes = ("expected", "labour", "wage", "price", "filled_for", "employees", "efficiency")
    state = ("shock",)

    settings: FirmSettings
    labour_market: LabourMarketSettings
    shocks: ShockSettings
    citizens: Population

    def setup(self) -> None:
        """Start without a shock."""
        self.shock = np.zeros(1)

    def step(self, firms: Cohort) -> None:
        """Dismiss workers under notice, then plan."""
        people = self.citizens.memory.columns.arrays
        dismiss(people, people["notice"] & people["alive"])
        self._update_productivity(firms)
        # There are no sales before the first month.
        if self.clock.tick > 0:
            self._update_expectations(firms)
            self._set_prices(firms)
            self._set_wage_offers(firms)
        self._plan_labour(firms)
        self._give_notice(firms)

    def _update_productivity(self, firms: Cohort) -> None:
        draw = self.society.chance.normal("productivity", [0], self.clock.tick)[0]
        self.shock[0] = advance_shock(
            float(self.shock[0]),
            float(draw),
            persistence=self.shocks.productivity_persistence,
            deviation=self.shocks.productivity,
        )
        firms.status["efficiency"] = firms.status["productivity"] * np.exp(self.shock[0])

    def _update_expectations(self, firms: Cohort) -> None:
        status = firms.status
        # New firms have no sales yet.
        learning = np.where(status["age"] > 0, self.settings.learning, 0.0)
        before = status["expected"].astype(np.float64)
        after = adapt_expected_sales(before, status["wanted"], weight=1.0)
        status["expected"] = before + learning * (after - before)

    def _set_prices(self, firms: Cohort) -> None:
        status, settings = firms.status, self.settings
        cost = status["wage"].astype(np.float64) / status["productivity"]
        stock = status["inventory"] / np.maximum(status["expected"].astype(np.float64), 1e-9)
        status["price"] = adjust_price(
            status["price"],
            cost,
            stock,
            self.chance.uniform(firms, "price"),
            low=settings.stock_low,
            high=settings.stock_high,
            least=settings.mark_up_low,
            most=settings.mark_up_high,
            step=settings.price_step,
        )

    def _set_wage_offers(self, firms: Cohort) -> None:
        status = firms.status
        vacancies = status["vacancies"]
        filled = np.where(vacancies > 0, 0, status["filled_for"] + 1)
        status["filled_for"] = np.minimum(filled, 1_000)
        status["wage"] = adjust_wage(
            status["wage"],
            vacancies,
            filled,
            self.chance.uniform(firms, "wage"),
            patience=self.labour_market.wage_patience,
            step=self.labour_market.wage_step,
        )

    def _plan_labour(self, firms: Cohort) -> None:
        status = firms.status
        output = plan_output(
            status["expected"],
            status["inventory"],
            target=self.settings.stock,
            pace=self.settings.stock_pace,
        )
        status["labour"] = output / status["efficiency"]

    def _give_notice(self, firms: Cohort) -> None:
        """Give notice to surplus workers at random; they leave at the end of the month."""
        people = self.citizens.memory.columns.arrays
        rows = np.flatnonzero((people["employer"] >= 0) & people["alive"])
        workers = self.citizens.cohort().at(rows)
        employer = people["employer"][rows]
        work = compute_labour(people["wanted_hours"][rows], people["skill"][rows])
        have = np.bincount(employer, work, minlength=len(self.population))
        target = np.zeros(len(self.population))
        target[firms.rows] = firms.status["labour"]
        surplus = self.labour_market.firing_pace * np.maximum(have - target, 0)
        order = self.chance.order(workers, "notice")
        people["notice"][rows] = select_workers(employer, work, surplus, order)
        count = np.bincount(employer, minlength=len(self.population))
        firms.status["employees"] = count[firms.rows]
