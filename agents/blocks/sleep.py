"""Sleep: at night memories are summarised, rehearsed, merged and forgotten, as settings define."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import PlanSettings, SleepSettings, SummarySettings
from memopolis.agents.blocks.plan import is_night
from memopolis.sim.block import Block
from memopolis.sim.memory.layers.entries import KEY_MEMORIES, SUMMARIES, declare
from memopolis.sim.memory.night.sleep import sleep
from memopolis.sim.memory.text.context_tags import ContextExtractor
from memopolis.sim.mind.mix import members
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.arrays import Int32

_NOON = 12.0

_NEVER = -2  # the night before the first day is number -1


class Sleep(Block):
    """Consolidate the memories of sleeping agents once a night.

    Each agent's memories are consolidated in the first step of the night in which the agent is
    asleep. With ticks of a day or more, all agents sleep in every step. Summaries and key memories
    are written by the rule, for agents that a model decides for and for a share of the others.
    """

    reads: ClassVar[tuple[str, ...]] = ("doing",)
    writes = (SUMMARIES, KEY_MEMORIES)
    state = ("slept_on",)

    def __init__(
        self, settings: SummarySettings | None = None, plans: PlanSettings | None = None
    ) -> None:
        self.settings = settings or SleepSettings()
        self.plans = plans or PlanSettings()

    def setup(self) -> None:
        """Allocate the night in which each agent last slept, and tag memories from now on."""
        self.night = self.settings.night
        memory, settings = self.population.memory, self.society.settings
        if self.settings.tags:
            memory.extractor = ContextExtractor(rates=False)
        # Only a model reads summaries.
        by_model = settings.llm.share if settings.mind != "rule" else 0.0
        self.summarising = max(self.settings.summaries, by_model)
        for name in self.writes:
            declare(memory, name)
        self.slept_on: Int32 = np.full(len(self.population), _NEVER, np.int32)

    def step(self, citizens: Cohort) -> None:
        """Consolidate the memories of agents that fall asleep."""
        if self.night.does_nothing and not self.summarising:
            return
        sleeping = self.sleeping(citizens)
        if not len(sleeping):
            return
        # Before anything is merged or forgotten.
        if self.summarising:
            self.on_own(sleeping, self.summarise)
        if self.night.compares_texts:
            self.on_own(sleeping, self.consolidate)
        else:
            self.in_parts(sleeping, self.consolidate)

    def consolidate(self, sleeping: Cohort) -> None:
        """Let the memories of agents go through a night."""
        sleep(self.population.memory, sleeping.rows.astype(np.int64), self.night)

    def summarise(self, sleeping: Cohort) -> None:
        """Write the summaries and key memories that are due."""
        chosen = sleeping.where(members(sleeping, self.summarising, self.society.chance))
        if len(chosen):
            chosen.memory.layers.summarise()
            chosen.memory.layers.promote()

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
        asleep = citizens["doing"] == Activity.SLEEP
        falling = citizens.where(asleep & (self.slept_on[citizens.rows] != tonight))
        self.slept_on[falling.rows] = tonight
        return falling


class SleepByHour(Sleep):
    """Consolidate without activities: each agent at an hour between 2 and 5, drawn once."""

    reads: ClassVar[tuple[str, ...]] = ()

    def sleeping(self, citizens: Cohort) -> Cohort:
        """Select the agents whose hour it is."""
        return self.chance.daily(citizens, first=2, span=3)
