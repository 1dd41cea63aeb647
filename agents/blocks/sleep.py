"""Sleep: at night memories are rehearsed, put in order and forgotten, as far as settings say."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.blocks.plan import PlanSettings, is_night
from memopolis.sim.block import Block
from memopolis.sim.memory.night.sleep import Night, sleep
from memopolis.sim.population import Cohort
from memopolis.sim.settings import Field, SettingsGroup

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOON = 12.0

_NEVER = -2  # the night before the first day is -1


class SleepSettings(SettingsGroup):
    """What sleep does to memories; by default nothing."""

    replay: int = Field(
        0, ge=0, le=1_000, description="Memories due for review that a night rehearses at most"
    )
    relate: bool = Field(
        default=False, description="Whether a night links new memories to related ones"
    )
    cluster: bool = Field(default=False, description="Whether a night clusters older memories")
    merge: int = Field(
        0, ge=0, le=1_000, description="Repeats that a night merges into one memory, 0 for never"
    )
    forget_days: float = Field(
        0.0,
        ge=0,
        le=36_600,
        unit="d",
        description="Age at which a night forgets memories, 0 for never",
    )
    forget_below: float = Field(
        0.0, ge=0, le=1, description="Share left of a memory below which a night forgets it"
    )

    @property
    def night(self) -> Night:
        """What a night does."""
        return Night(
            replay=self.replay,
            relate=self.relate,
            cluster=self.cluster,
            merge=self.merge,
            forget_older=24 * self.forget_days if self.forget_days else None,
            forget_below=self.forget_below,
        )


class Sleep(Block):
    """Let memories rest and settle, once a night.

    It is in the first step of the night in which somebody is asleep; who wakes all night gets
    nothing of it. With ticks of a day or more everybody sleeps in each.
    """

    reads: ClassVar[tuple[str, ...]] = ("doing",)
    state = ("slept_on",)

    def __init__(
        self, settings: SleepSettings | None = None, plans: PlanSettings | None = None
    ) -> None:
        self.settings = settings or SleepSettings()
        self.plans = plans or PlanSettings()

    def setup(self) -> None:
        """Lay down the night, and who slept when."""
        self.night = self.settings.night
        self.slept_on: NDArray[np.int32] = np.full(len(self.population), _NEVER, np.int32)

    def step(self, citizens: Cohort) -> None:
        """Let those sleep whose night begins."""
        if self.night.does_nothing:
            return
        sleeping = self.sleeping(citizens)
        if len(sleeping):
            sleep(self.population.memory, sleeping.rows.astype(np.int64), self.night)

    def sleeping(self, citizens: Cohort) -> Cohort:
        """Those asleep for the first time this night, which is kept in mind."""
        if self.clock.hours >= 24:
            return citizens
        if not is_night(self.clock.hour, self.plans):
            return citizens.where(np.zeros(len(citizens), np.bool_))
        new = len(self.population) - len(self.slept_on)
        if new:
            self.slept_on = np.concatenate([self.slept_on, np.full(new, _NEVER, np.int32)])
        # The hours after midnight belong to the night that began on the day before.
        tonight = self.clock.day if self.clock.hour >= _NOON else self.clock.day - 1
        asleep = citizens.status.codes("doing") == Activity.SLEEP
        falling = citizens.where(asleep & (self.slept_on[citizens.rows] != tonight))
        self.slept_on[falling.rows] = tonight
        return falling


class SleepByHour(Sleep):
    """The same for agents without activities: each at an hour of its own between 2 and 5."""

    reads: ClassVar[tuple[str, ...]] = ()

    def sleeping(self, citizens: Cohort) -> Cohort:
        """Those whose hour it is."""
        return self.chance.daily(citizens, first=2, span=3)
