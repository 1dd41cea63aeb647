"""Needs decay over time and are satisfied by activities."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import NeedSettings
from memopolis.sim.arrays import Float32
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


@dataclass(frozen=True)
class Relief:
    """Satisfaction of a need gained per hour of an activity."""

    doing: Activity
    need: str
    hourly: float


# Illustrative: the published model does not specify these values.
RELIEFS = (
    Relief(Activity.SLEEP, "energy", 0.30),
    Relief(Activity.EAT, "hunger", 1.00),
    Relief(Activity.WORK, "safety", 0.02),
    Relief(Activity.SCHOOL, "safety", 0.02),
    Relief(Activity.SHOP, "safety", 0.60),
    Relief(Activity.STOCK_UP, "safety", 0.60),
    Relief(Activity.MEET, "social", 0.40),
    Relief(Activity.MESSAGE, "social", 0.50),
    Relief(Activity.SCHOOL, "social", 0.12),
    Relief(Activity.WORK, "social", 0.08),
    Relief(Activity.REST, "energy", 0.10),
    Relief(Activity.LEISURE, "social", 0.10),
    Relief(Activity.SECURE_HOME, "safety", 0.30),
    Relief(Activity.PACK, "safety", 0.10),
    Relief(Activity.AWAY, "hunger", 1.00),
    Relief(Activity.AWAY, "energy", 1.00),
    Relief(Activity.AWAY, "safety", 1.00),
    Relief(Activity.AWAY, "social", 1.00),
)


def fade(satisfaction: Float32, *, loss: Float32) -> Float32:
    """Reduce satisfaction by losses, decay rate times hours, to 0 at least, shape (agents,).

    Source: AgentSociety 1.5.7: s = max(0, s - alpha * hours).
    """
    return np.asarray(np.maximum(satisfaction - loss, np.float32(0)))


class Needs(Block):
    """Let all needs decay over time, and let current activities satisfy them."""

    reads = ("doing", "hunger", "energy", "safety", "social")
    writes = ("hunger", "energy", "safety", "social")
    by_row = True

    def __init__(self, settings: NeedSettings | None = None) -> None:
        self.settings = settings or NeedSettings()

    def setup(self) -> None:
        """Compute loss and gain of each need by activity."""
        settings, hours = self.settings, self.clock.hours
        self.change: dict[str, tuple[Float32, Float32]] = {}
        for need in ("hunger", "energy", "safety", "social"):
            change = np.full(len(Activity), -getattr(settings, f"{need}_rate") * hours)
            change[Activity.SLEEP] *= settings.asleep
            for relief in RELIEFS:
                if relief.need == need:
                    change[relief.doing] = relief.hourly * hours
            each = change.astype(np.float32)
            self.change[need] = np.maximum(-each, 0), np.maximum(each, 0)

    def step(self, citizens: Cohort) -> None:
        """Change all four needs by current activity."""
        doing = citizens.status.codes("doing")
        for need, (loss, gain) in self.change.items():
            level = fade(citizens.status[need], loss=loss[doing])
            level += gain[doing]
            citizens.status[need] = np.minimum(level, np.float32(1))
