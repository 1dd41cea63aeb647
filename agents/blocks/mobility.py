"""Mobility: trips between zones."""

import numpy as np

from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


class Mobility(Block):
    """Move agents to the destination zones of their plans."""

    reads = ("target", "place", "until", "plan", "doing")
    writes = ("place", "trips", "travel_minutes")
    by_row = True

    def step(self, citizens: Cohort) -> None:
        """Move agents that are not at their destination, and count trips."""
        status = citizens.status
        place, target = status["place"], status["target"]
        moving = (place != target) & (place >= 0) & (target >= 0)
        status["trips"] = moving.astype(np.uint8)
        minutes = np.zeros(len(place), np.float32)
        if moving.any():
            if self.society.place is not None:
                way = self.society.place.travel_minutes
                minutes[moving] = way[place[moving], target[moving]]
            place[moving] = target[moving]
            status["place"] = place
        status["travel_minutes"] = minutes
