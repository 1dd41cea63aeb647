"""Mobility: trips between zones."""

from typing import TYPE_CHECKING

import numpy as np

from memopolis.agents.activities import PREVENTABLE, Activity
from memopolis.agents.traffic_jams import ON_THE_WAY, remember_jams
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.world.traffic import Traffic


class Mobility(Block):
    """Move agents to the destination zones of their plans.

    They are on the way in the half hour before, unless they slept or travel now. What is not
    possible now was not possible in the half hour before either.

    Trips slow each other down on the roads of `traffic`; without it, they take the place's time.
    """

    reads = ("target", "place", "until", "plan", "doing", "doing_before", "scheduled")
    writes = ("place", "trips", "travel_minutes", "doing_before")

    def __init__(self, traffic: "Traffic | None" = None) -> None:
        self.traffic = traffic

    def step(self, citizens: Cohort) -> None:
        """Move agents that are not at their destination, and count trips."""
        place, target = citizens["place"], citizens["target"]
        is_moving = (place != target) & (place >= 0) & (target >= 0)
        citizens["trips"] = is_moving.view(np.uint8)
        minutes = np.zeros(len(place), np.float32)
        moving = np.flatnonzero(is_moving)
        if len(moving):
            start, end = place[moving], target[moving]
            if self.traffic is not None:
                minutes[moving], lost = self.traffic.drive(start, end)
                remember_jams(citizens.at(citizens.rows[moving]), lost / 60, end, ON_THE_WAY)
            elif self.society.place is not None:
                minutes[moving] = self.society.place.travel_minutes[start, end]
            place[moving] = end
            citizens["place"] = place
        citizens["travel_minutes"] = minutes
        doing, before = citizens["doing"], citizens["doing_before"]
        prevented = PREVENTABLE[before] & (before == citizens["scheduled"])
        before = np.where(prevented, doing, before)
        on_the_way = is_moving & (before != Activity.SLEEP) & (doing != Activity.TRAVEL)
        citizens["doing_before"] = np.where(on_the_way, Activity.TRAVEL, before)
