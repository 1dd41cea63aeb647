"""Prepare: stock up, refuel and secure the house before the storm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from memopolis.agents.itinerary import Itinerary
from memopolis.scenarios.hurricane.forecast import Forecasts
from memopolis.scenarios.hurricane.moving import members_of, start_plan
from memopolis.scenarios.hurricane.people import ADULT, Stage
from memopolis.scenarios.hurricane.settings import DailyLifeSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

DAY = (7.0, 18.0)
"""Hours in which people begin to prepare, so that they shop before stores close (illustrative)."""


@dataclass(eq=False, repr=False)
class Prepare(Block):
    """Let an adult of each threatened household prepare its home once.

    The rate rises with the attitude to preparedness.
    """

    reads: ClassVar[tuple[str, ...]] = (
        "threat", "prepared", "age", "household", "home", "attitude", "place", "scheduled",
        "vehicle",
    )  # fmt: skip
    writes = ("prepared", "plan", "plan_step", "until", "doing", "target", "follows")

    settings: DailyLifeSettings
    households: Population
    forecasts: Forecasts

    def setup(self) -> None:
        """Prepare the lengths of steps."""
        self.itinerary = Itinerary(self.society)

    def step(self, citizens: Cohort) -> None:
        """Start the plan of randomly drawn adults."""
        tick = self.clock.tick
        hours = self.forecasts.hours_to_nearest
        if not DAY[0] <= self.clock.hour < DAY[1] or tick >= len(hours):
            return
        soon = hours[tick] <= self.settings.prepare_within
        if not soon.any():
            return
        stage = self.households["stage"]
        could = soon[citizens["home"]] & ~citizens["prepared"] & (citizens["age"] >= ADULT)
        could &= (citizens["threat"] > 0) & (stage[citizens["household"]] == Stage.AT_HOME)
        able = citizens.where(could)
        if not len(able):
            return
        care = 0.3 + 0.7 * able["attitude.emergency_preparedness"] / 10
        chance = self.settings.prepare_rate * self.clock.hours * able["threat"] * care
        preparing = self.chance.some(able, chance, "start")
        if len(preparing):
            self._begin(preparing)

    def _begin(self, preparing: Cohort) -> None:
        """Let the first of the adults of each household prepare its home for all members."""
        home, first = np.unique(preparing["household"], return_index=True)
        start_plan(self.itinerary, preparing.at(preparing.rows[first]), "prepare", self.chance)
        members_of(self.households.at(home.astype(np.intp)), self.population)["prepared"] = True
