"""Return home after a recalled all-clear, or when nothing has been heard of the storm for long."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.experience import Experience
from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.moving import bring_home, members_of
from memopolis.scenarios.hurricane.people import ADULT, Destination, Stage
from memopolis.scenarios.hurricane.settings import EvacuationSettings
from memopolis.sim.arrays import Bools, Float64, Int64
from memopolis.sim.block import Block
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort, Population

DAY = (7.0, 22.0)  # hours in which people travel home (illustrative)
QUERY = "the order is lifted, the storm has moved away, people may return home"
RELIEF = "relief"
DANGERS = ("disaster", "order")
RECALLED = 5  # memories of danger and all-clears that a returning adult weighs (illustrative)
OWN_REASON = "We decided to go home to {place}: we heard no more of the storm."
CAME_HOME = "We came home to {place} after the all-clear."


def return_probability(hours: float, mean: Float64) -> Float64:
    """Compute the probability of returning within hours, 1 - exp(-hours / mean), (households,).

    Source: Saturating recovery of displaced population: Yabe et al. 2020,
    doi:10.1098/rsif.2019.0532 (form found, rates illustrative).
    """
    return np.asarray(1 - np.exp(-hours / mean))


@dataclass(eq=False, repr=False)
class ReturnHome(Block):
    """Let households return by day that recall an all-clear, or have a reason of their own.

    A household stays away until one of its adults recalls an all-clear that is newer than all
    warnings, or until none has heard of the storm for `quiet` hours. No household returns to a zone
    under orders or in strong gusts.
    """

    reads = ("stage", "destination", "zone", "first_row", "size", "left_at")
    writes = ("stage", "returned_at")
    topics = (RELIEF, *DANGERS)

    settings: EvacuationSettings
    citizens: Population
    circumstances: Circumstances
    gust_home: float

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
        free = away.where(self._find_open_zones()[away["zone"]])
        if not len(free):
            return
        chance = return_probability(self.clock.hours, self.mean[free["destination"]])
        ready = self.chance.some(free, chance, "back")
        if len(ready):
            cleared = self._recall_all_clear(ready)
            quiet = self.clock.tick - self.clock.ticks(self.settings.quiet)
            heard = np.maximum(self._find_last_warnings(ready), ready["left_at"])
            self._return(ready.where(cleared), CAME_HOME, RELIEF, 0.6)
            self._return(ready.where(~cleared & (heard < quiet)), OWN_REASON, "evacuation", 0.1)

    def _find_open_zones(self) -> Bools:
        """Return whether each zone may be entered: no order in force, no strong gusts."""
        tick, circumstances = self.clock.tick, self.circumstances
        ordered = circumstances.orders.announced
        calm = circumstances.weather.at(tick).gust_kt < self.gust_home
        if tick >= len(ordered):
            return np.asarray(calm)
        return np.asarray((ordered[tick] == 0) & calm)

    def _find_last_warnings(self, households: Cohort) -> Int64:
        """Return the tick at which a member of each household last heard of a danger."""
        size = households["size"].astype(np.int64)
        alerted = members_of(households, self.citizens)["alerted"].astype(np.int64)
        return np.asarray(np.maximum.reduceat(alerted, np.cumsum(size) - size))

    def _recall_all_clear(self, households: Cohort) -> Bools:
        """Return whether the first adult recalls an all-clear since all warnings and leaving."""
        people = members_of(households, self.citizens)
        adults = people.of_age(ADULT)
        house, first = np.unique(adults["household"], return_index=True)
        speakers = adults.at(adults.rows[first])
        place = np.searchsorted(households.rows, house)
        left = households["left_at"][place]
        since = int(left.min(initial=self.clock.tick))
        experience = Experience.recall(
            speakers, QUERY, k=RECALLED, where=Filter(ticks=(since, self.clock.tick))
        )
        time = experience.column("time")
        good = experience.about(RELIEF) & (experience.column("valence") > 0)
        bad = experience.about(*DANGERS) & (experience.column("valence") < 0)
        newest = np.where(good & (time > left[:, None]), time, -1).max(axis=1)
        warned = np.where(bad, time, -1).max(axis=1)
        cleared = np.zeros(len(households), np.bool_)
        cleared[place] = (newest >= 0) & (newest >= warned)
        return cleared

    def _return(self, households: Cohort, text: str, topic: str, valence: float) -> None:
        if not len(households):
            return
        tick = self.clock.tick
        households["stage"] = Stage.RETURNED
        households["returned_at"] = tick
        people = members_of(households, self.citizens)
        bring_home(people, tick)
        remember(people.of_age(AGE_OF_REASON), topic, text, 0.7, valence, at="home")
