"""Reset perceived threat when no danger has been heard of for some time."""

from dataclasses import dataclass

from memopolis.scenarios.hurricane.settings import DecisionSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


@dataclass(eq=False, repr=False)
class CalmDown(Block):
    """Reset threat and readiness of citizens that are no longer alert."""

    reads = ("alerted", "threat", "readiness")
    writes = ("threat", "readiness")

    settings: DecisionSettings

    def step(self, citizens: Cohort) -> None:
        """Set both to 0 if the alert is over."""
        over = citizens["alerted"] < self.clock.tick - self.clock.ticks(self.settings.alert)
        calmed = citizens.where(over & ((citizens["threat"] != 0) | (citizens["readiness"] != 0)))
        if len(calmed):
            calmed["threat"] = calmed["readiness"] = 0
