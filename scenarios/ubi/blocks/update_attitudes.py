"""Judge the government, work and the basic income anew, each adult once in three months."""

from memopolis.agents.blocks import cognition
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.population import Cohort

EVERY = 3
"""Months between two judgements of an adult, who has a month of its own (choice)."""


class UpdateAttitudes(cognition.UpdateAttitudes):
    """Recall and judge anew, in turns: attitudes move slowly, and recalling takes time."""

    def who(self, citizens: Cohort) -> Cohort:
        """Adults whose month it is."""
        turn = (citizens.rows + self.clock.tick) % EVERY == 0
        return citizens.where(turn & (citizens.status["age"] >= ADULT))
