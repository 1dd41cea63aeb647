"""Return home after orders are lifted and the wind has calmed down."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.moving import bring_home, members_of
from memopolis.scenarios.hurricane.people import ADULT, Destination, Stage
from memopolis.scenarios.hurricane.settings import EvacuationSettings
from memopolis.sim.arrays import Bools, Float64
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

CALM_KT = 30.0  # wind over land below which people travel home (illustrative)
DAY = (7.0, 22.0)  # hours in which people travel home (illustrative)


def return_probability(hours: float, mean: Float64) -> Float64:
    """Compute the probability of returning within hours, 1 - exp(-hours / mean), (households,).

    Source: Saturating recovery of displaced population: Yabe et al. 2020,
    doi:10.1098/rsif.2019.0532 (form found, rates illustrative).
    """
    return np.asarray(1 - np.exp(-hours / mean))


@dataclass(eq=False, repr=False)
class ReturnHome(Block):
    """Let households return by day, at a rate that depends on their destination."""

    reads = ("stage", "destination", "zone", "first_row", "size")
    writes = ("stage", "returned_at")

    settings: EvacuationSettings
    citizens: Population
    circumstances: Circumstances

    def setup(self) -> None:
        """Set mean waking hours away by destination."""
        s = self.settings
        self.mean = np.ones(len(Destination))
        self.mean[Destination.FAMILY_OR_FRIENDS] = s.back_family
        self.mean[Destination.HOTEL] = s.back_hotel
        self.mean[Destination.SHELTER] = s.back_shelter
        self.mean[Destination.OTHER] = s.back_other

    def step(self, households: Cohort) -> None:
        """Draw the households that return."""
        if not DAY[0] <= self.clock.hour < DAY[1]:
            return
        away = households.where(households["stage"] == Stage.AWAY)
        if not len(away):
            return
        free = away.where(self._find_safe_zones()[away["zone"]])
        if not len(free):
            return
        chance = return_probability(self.clock.hours, self.mean[free["destination"]])
        back = self.chance.some(free, chance, "back")
        if len(back):
            self._return(back)

    def _find_safe_zones(self) -> Bools:
        """Return whether each zone is safe: no order in force, no storm present or forecast."""
        tick, circumstances = self.clock.tick, self.circumstances
        ordered, forecasts = circumstances.orders.announced, circumstances.forecasts
        if tick >= len(ordered):
            return np.ones(ordered.shape[1], np.bool_)
        calm = circumstances.weather.at(tick).wind_kt < CALM_KT
        coming = (forecasts.peak_kt[tick] >= CALM_KT) & (forecasts.hours_to_nearest[tick] < 120)
        return np.asarray((ordered[tick] == 0) & calm & ~coming)

    def _return(self, households: Cohort) -> None:
        tick = self.clock.tick
        households["stage"] = Stage.RETURNED
        households["returned_at"] = tick
        people = members_of(households, self.citizens)
        bring_home(people, tick)
        text = "We came home to {place} after the storm."
        remember(people.of_age(ADULT), "relief", text, 0.7, 0.6, at="home")
