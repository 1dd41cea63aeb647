"""Needs decay over time and are satisfied by activities."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.activities import CAN_SLEEP, Activity
from memopolis.agents.block_settings import NeedSettings
from memopolis.agents.day.body_clock import change_pressure, find_rise_times
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
    Relief(Activity.EAT, "hunger", 1.80),
    Relief(Activity.WORK, "safety", 0.04),
    Relief(Activity.SCHOOL, "safety", 0.04),
    Relief(Activity.SHOP, "safety", 0.60),
    Relief(Activity.STOCK_UP, "safety", 0.60),
    Relief(Activity.MEET, "social", 0.40),
    Relief(Activity.MESSAGE, "social", 0.50),
    Relief(Activity.SCHOOL, "social", 0.12),
    Relief(Activity.WORK, "social", 0.08),
    Relief(Activity.LEISURE, "social", 0.10),
    Relief(Activity.CARE, "social", 0.10),
    Relief(Activity.SPORT, "social", 0.10),
    Relief(Activity.RELIGION, "social", 0.30),
    Relief(Activity.EAT, "social", 0.10),
    Relief(Activity.SECURE_HOME, "safety", 0.30),
    Relief(Activity.PACK, "safety", 0.10),
    Relief(Activity.AWAY, "hunger", 1.00),
    Relief(Activity.AWAY, "safety", 1.00),
    Relief(Activity.AWAY, "social", 1.00),
)


_AT_HOME = (Activity.TELEVISION, Activity.REST, Activity.HOUSEWORK, Activity.PERSONAL_CARE)
_AT_DESKS = (Activity.WORK, Activity.SCHOOL, Activity.STUDY, Activity.CARE)
SNACKS = 0.12
"""Satiety gained per hour at home and at work from snacks, which are no meals (illustrative)."""
COMPANY = 0.1
"""Satisfaction of the need for company gained per hour at home with others (illustrative)."""
SHELTER = 0.07
"""Satisfaction of the need for safety gained per hour at home (illustrative)."""


class Needs(Block):
    """Let all needs decay over time, and let current activities satisfy them.

    Energy is 1 minus the sleep pressure of the body clock. A step counts half as what an agent
    does, and half as what it did in the half hour before.
    """

    reads = (
        "doing", "scheduled", "doing_before", "hunger", "energy", "safety", "social", "age",
    )  # fmt: skip
    writes = ("hunger", "energy", "safety", "social")
    by_row = True

    def __init__(self, settings: NeedSettings | None = None) -> None:
        self.settings = settings or NeedSettings()

    def setup(self) -> None:
        """Compute the change of each need by activity."""
        needs = ("hunger", "safety", "social")
        self.change = {need: self._compute_change(need) for need in needs}

    def _compute_change(self, need: str) -> Float32:
        hours = self.clock.hours
        change = np.full(len(Activity), -getattr(self.settings, f"{need}_rate") * hours)
        change[Activity.SLEEP] *= self.settings.asleep
        gained = {"hunger": SNACKS, "social": COMPANY, "safety": SHELTER}[need]
        places = _AT_HOME if need != "hunger" else (*_AT_HOME, *_AT_DESKS)
        change[list(places)] += gained * hours
        for relief in RELIEFS:
            if relief.need == need:
                change[relief.doing] = relief.hourly * hours
        return change.astype(np.float32)

    def step(self, citizens: Cohort) -> None:
        """Change all four needs by current activity."""
        from memopolis.agents.need_kernels import change_need

        doing, before = citizens["doing"], citizens["doing_before"]
        scheduled = citizens["scheduled"]
        if (last := max(doing.max(initial=0), before.max(initial=0))) >= len(Activity):
            raise StateError(f"activity {last} is unknown; the last one is {len(Activity) - 1}")
        for need, change in self.change.items():
            citizens[need] = change_need(citizens[need], change, doing, before)
        halves = (scheduled == Activity.SLEEP).astype(np.float32) + (before == Activity.SLEEP)
        rise = find_rise_times(citizens["age"].astype(np.float32))
        citizens["energy"] = 1 - change_pressure(
            1 - citizens["energy"], CAN_SLEEP[doing] * halves / 2, self.clock.hours, rise
        )
