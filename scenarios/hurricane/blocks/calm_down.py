"""Reset perceived threat when no danger has been heard of for some time."""

import numpy as np

from memopolis.scenarios.hurricane.settings import DecisionSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


class CalmDown(Block):
    """Reset threat and readiness of citizens that are no longer alert."""

    reads = ("alerted", "threat", "readiness")
    writes = ("threat", "readiness")

    def __init__(self, settings: DecisionSettings) -> None:
        self.settings = settings

    def step(self, citizens: Cohort) -> None:
        """Set both to 0 if the alert is over."""
        status = citizens.status
        over = status["alerted"] < self.clock.tick - self.clock.ticks(self.settings.alert)
        for name in ("threat", "readiness"):
            status[name] = np.where(over, np.float32(0), status[name])
