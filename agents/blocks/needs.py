"""Needs decay over time and are satisfied by activities."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import NeedSettings
from memopolis.sim.arrays import Float32
from memopolis.sim.block import Block
from memopolis.sim.errors import StateError
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


class Needs(Block):
    """Let all needs decay over time, and let current activities satisfy them."""

    reads = ("doing", "hunger", "energy", "safety", "social")
    writes = ("hunger", "energy", "safety", "social")
    by_row = True

    def __init__(self, settings: NeedSettings | None = None) -> None:
        self.settings = settings or NeedSettings()

    def setup(self) -> None:
        """Compute the change of each need by activity."""
        needs = ("hunger", "energy", "safety", "social")
        self.change = {need: self._compute_change(need) for need in needs}

    def _compute_change(self, need: str) -> Float32:
        hours = self.clock.hours
        change = np.full(len(Activity), -getattr(self.settings, f"{need}_rate") * hours)
        change[Activity.SLEEP] *= self.settings.asleep
        for relief in RELIEFS:
            if relief.need == need:
                change[relief.doing] = relief.hourly * hours
        return change.astype(np.float32)

    def step(self, citizens: Cohort) -> None:
        """Change all four needs by current activity."""
        from memopolis.agents.need_kernels import change_need

        doing = citizens["doing"]
        if (last := doing.max(initial=0)) >= len(Activity):
            raise StateError(f"activity {last} is unknown; the last one is {len(Activity) - 1}")
        for need, change in self.change.items():
            citizens[need] = change_need(citizens[need], change, doing)
