"""Firms set output and jobs by expected sales and target stocks."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.economy.hiring import select_workers
from memopolis.agents.economy.production import (
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
    """Set the labour demand of each firm, and give notice to surplus workers."""

    reads = ("expected", "inventory", "productivity", "target_months")
    writes = ("labour", "employees", "efficiency")
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

    def _plan_labour(self, firms: Cohort) -> None:
        status = firms.status
        output = plan_output(
            status["expected"],
            status["inventory"],
            target=status["target_months"],
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
