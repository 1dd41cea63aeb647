"""Sleep: at night memories are rehearsed, merged and forgotten, as settings define."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import PlanSettings, SleepSettings
from memopolis.agents.blocks.plan import is_night
from memopolis.sim.block import Block
from memopolis.sim.memory.night.sleep import sleep
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOON = 12.0

_NEVER = -2  # the night before the first day is number -1


class Sleep(Block):
    """Consolidate the memories of sleeping agents once a night.

    Each agent's memories are consolidated in the first step of the night in which the agent is
    asleep. With ticks of a day or more, all agents sleep in every step.
    """

    reads: ClassVar[tuple[str, ...]] = ("doing",)
    state = ("slept_on",)

    def __init__(
        self, settings: SleepSettings | None = None, plans: PlanSettings | None = None
    ) -> None:
        self.settings = settings or SleepSettings()
        self.plans = plans or PlanSettings()

    def setup(self) -> None:
        """Allocate the night in which each agent last slept."""
        self.night = self.settings.night
        self.slept_on: NDArray[np.int32] = np.full(len(self.population), _NEVER, np.int32)

    def step(self, citizens: Cohort) -> None:
        """Consolidate the memories of agents that fall asleep."""
        if self.night.does_nothing:
            return
        sleeping = self.sleeping(citizens)
        if len(sleeping):
            sleep(self.population.memory, sleeping.rows.astype(np.int64), self.night)

    def sleeping(self, citizens: Cohort) -> Cohort:
        """Select and note the agents that are asleep for the first time tonight."""
        if self.clock.hours >= 24:
            return citizens
        if not is_night(self.clock.hour, self.plans):
            return citizens.none()
        new = len(self.population) - len(self.slept_on)
        if new:
            self.slept_on = np.concatenate([self.slept_on, np.full(new, _NEVER, np.int32)])
        # The hours after midnight belong to the night of the previous day.
        tonight = self.clock.day if self.clock.hour >= _NOON else self.clock.day - 1
        asleep = citizens.status.codes("doing") == Activity.SLEEP
        falling = citizens.where(asleep & (self.slept_on[citizens.rows] != tonight))
        self.slept_on[falling.rows] = tonight
        return falling


class SleepByHour(Sleep):
    """Consolidate without activities: each agent at an hour between 2 and 5, drawn once."""

    reads: ClassVar[tuple[str, ...]] = ()

    def sleeping(self, citizens: Cohort) -> Cohort:
        """Select the agents whose hour it is."""
        return self.chance.daily(citizens, first=2, span=3)
