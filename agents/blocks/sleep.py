"""Sleep: at night memories are rehearsed, merged and forgotten, as settings define."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.blocks.plan import PlanSettings, is_night
from memopolis.sim.block import Block
from memopolis.sim.memory.night.sleep import Night, sleep
from memopolis.sim.population import Cohort
from memopolis.sim.settings import Field, SettingsGroup, Share

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOON = 12.0

_NEVER = -2  # the night before the first day is number -1


class SleepSettings(SettingsGroup):
    """Effect of sleep on memories; none by default."""

    replay: int = Field(
        0,
        "Number of memories due for review that a night rehearses, so that they are "
        "recalled sooner and forgotten later",
        ge=0,
        le=1_000,
    )
    merge: int = Field(
        0, "Number of repeated memories that a night merges, 0 for none", ge=0, le=1_000
    )
    forget_days: float = Field(
        0.0, "Age at which a night forgets memories, 0 for never", ge=0, le=36_600, unit="d"
    )
    forget_below: Share = Field(0.0, "Remaining strength below which a night forgets a memory")

    @property
    def night(self) -> Night:
        """The settings as an operation on memories."""
        return Night(
            replay=self.replay,
            merge=self.merge,
            forget_older=24 * self.forget_days if self.forget_days else None,
            forget_below=self.forget_below,
        )


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
            return citizens.where(np.zeros(len(citizens), np.bool_))
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
