"""Sleep: at night memories are summarised, rehearsed, merged and forgotten, as settings define."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import SleepSettings, SummarySettings
from memopolis.agents.blocks.summarise import ask_gists, ask_summaries, store_texts
from memopolis.sim.block import Block
from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.layers.summaries import KEY_MEMORIES, SUMMARIES, declare
from memopolis.sim.memory.night.clusters import cluster
from memopolis.sim.memory.night.sleep import sleep
from memopolis.sim.mind.mind import RuleMind
from memopolis.sim.mind.mix import members
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.arrays import Int32

_NOON = 12.0

_NEVER = -2  # the night before the first day is number -1


class Sleep(Block):
    """Consolidate the memories of sleeping agents once a night.

    Each agent's memories are consolidated in the first step after noon in which the agent is
    asleep. With ticks of a day or more, all agents sleep in every step. Agents that a model decides
    for, and a share of the others, get summaries and key memories. The mind of the society writes
    them; the rule extracts them.
    """

    reads: ClassVar[tuple[str, ...]] = ("doing",)
    writes = (SUMMARIES, KEY_MEMORIES)
    state = ("slept_on",)

    def __init__(self, settings: SummarySettings | None = None) -> None:
        self.settings = settings or SleepSettings()

    def setup(self) -> None:
        """Allocate the night in which each agent last slept, and tag memories from now on."""
        self.night = self.settings.night
        memory = self.population.memory
        if self.settings.tags:
            memory.extractor = ContextExtractor(rates=False)
        for name in self.writes:
            declare(memory, name)
        self.slept_on: Int32 = np.full(len(self.population), _NEVER, np.int32)

    def step(self, citizens: Cohort) -> None:
        """Consolidate the memories of agents that fall asleep."""
        writes = self._share_by_model() or self.settings.summaries or self.settings.key_memories
        if self.night.does_nothing and not writes:
            return
        sleeping = self.sleeping(citizens)
        if not len(sleeping):
            return
        if writes:  # before anything is merged or forgotten
            self.on_own(sleeping, self.summarise)
        if self.night.compares_texts:
            self.on_own(sleeping, self.consolidate)
        else:
            self.in_parts(sleeping, self.consolidate)

    def consolidate(self, sleeping: Cohort) -> None:
        """Let the memories of agents go through a night."""
        sleep(self.population.memory, sleeping.rows.astype(np.int64), self.night)

    def _share_by_model(self) -> float:
        """Return the share of the agents that a model decides for, and reads memories of."""
        llm = self.society.settings.llm
        by_rule = isinstance(self.society.mind, RuleMind)
        if by_rule or (llm.classes and self.population.name not in llm.classes):
            return 0.0
        return float(llm.share)

    def summarise(self, sleeping: Cohort) -> None:
        """Write the summaries and key memories that are due."""
        by_model, chance = self._share_by_model(), self.society.chance
        summarised, promoted = (
            sleeping.where(members(sleeping, max(share, by_model), chance))
            for share in (self.settings.summaries, self.settings.key_memories)
        )
        if len(promoted):
            cluster(self.population.memory, promoted.rows)
        if not by_model:
            summarised.memory.layers.summarise()
            promoted.memory.layers.promote()
            return
        # All questions are asked before any answer is stored, so they see the same memories.
        asking = self.society.questions
        questions = [*ask_summaries(summarised), *ask_gists(promoted)]
        decided = [asking.ask(question, block=self.name) for question in questions]
        for question, decisions in zip(questions, decided, strict=True):
            store_texts(question.cohort, decisions)

    def sleeping(self, citizens: Cohort) -> Cohort:
        """Select and note the agents that are asleep for the first time tonight."""
        if self.clock.hours >= 24:
            return citizens
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
