"""Update attitudes of each adult once in three months."""

from memopolis.agents.blocks import cognition
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.population import Cohort

EVERY = 3
"""Months between two updates of an adult (choice)."""


class UpdateAttitudes(cognition.UpdateAttitudes):
    """Recall memories and update attitudes, a third of the adults each month."""

    def who(self, citizens: Cohort) -> Cohort:
        """Select the adults whose month it is."""
        turn = (citizens.rows + self.clock.tick) % EVERY == 0
        return citizens.where(turn & (citizens.status["age"] >= ADULT))
