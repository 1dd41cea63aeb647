"""Return home after a recalled all-clear, or when nothing has been heard of the storm for long."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.experience import Experience
from memopolis.agents.remembering import remember
from memopolis.agents.traffic_jams import BACK, remember_jams
from memopolis.scenarios.hurricane.blocks.lodge import STAY, remember_stay
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.lodging import (
    LEFT,
    THANKED,
    rate_comfort,
    say_nights,
)
from memopolis.scenarios.hurricane.moving import bring_home, members_of, occupy, travellers_of
from memopolis.scenarios.hurricane.people import ADULT, Destination, Stage
from memopolis.scenarios.hurricane.settings import EvacuationSettings
from memopolis.sim.arrays import Bools, Float64, Int64
from memopolis.sim.block import Block
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort, Population
from memopolis.sim.world.traffic import Traffic

DAY = (7.0, 22.0)  # hours in which people travel home (illustrative)
QUERY = "the order is lifted, the storm has moved away, people may return home"
RELIEF = "relief"
DANGERS = ("disaster", "order")
RECALLED = 5  # memories of danger and all-clears that a returning adult weighs (illustrative)
OWN_REASON = "We decided to go home to {place}: we heard no more of the storm."
ALL_CLEAR = "We heard that it is safe in {place}, and set off for home."
CAME_HOME = "We came home to {place} after the storm."
REUNITED = "We are all together at home in {place} again."


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
    under orders or in strong gusts. The way back takes as long as that from the region, its roads,
    and a queue where each road enters the region: the state is the hour since the start from which
    it lets the next vehicle pass, shape (exits,).
    """

    reads = (
        "stage", "destination", "zone", "first_row", "size", "left_at", "arrives_at", "exit",
        "cars", "travel_hours", "lodging",
    )  # fmt: skip
    writes = ("stage", "returned_at", "arrives_at")
    topics = (RELIEF, *DANGERS)
    state = ("free_from",)

    settings: EvacuationSettings
    citizens: Population
    circumstances: Circumstances
    traffic: Traffic
    _: KW_ONLY
    gust_home: float
    capacity: float

    def setup(self) -> None:
        """Set mean waking hours away by destination."""
        s = self.settings
        self.mean = np.ones(len(Destination))
        self.mean[Destination.FAMILY_OR_FRIENDS] = s.back_family
        self.mean[Destination.HOTEL] = s.back_hotel
        self.mean[Destination.SHELTER] = s.back_shelter
        self.mean[Destination.OTHER] = s.back_other
        roads = self.traffic.roads
        self.free_from = np.zeros(len(roads.exits))
        self.hours, _ = roads.find_ways_out(roads.hours)
        outward = roads.end >= roads.zones
        self.vehicles_per_hour = self.capacity * np.bincount(
            roads.end[outward] - roads.zones, roads.capacity[outward], len(roads.exits)
        )

    def step(self, households: Cohort) -> None:
        """Let households arrive at home, and draw those that set off for home."""
        back = households["stage"] == Stage.COMING_HOME
        self._arrive(households.where(back & (households["arrives_at"] <= self.clock.tick)))
        if not DAY[0] <= self.clock.hour < DAY[1]:
            return
        away = households.where(households["stage"] == Stage.AWAY)
        if not len(away):
            return
        # They set off when they can be home in the evening, and not before they have arrived.
        may = self._find_open_zones()[away["zone"]] & (away["arrives_at"] < self.clock.tick)
        may &= self.clock.hour + away["travel_hours"] < DAY[1]
        free = away.where(may)
        if not len(free):
            return
        chance = return_probability(self.clock.hours, self.mean[free["destination"]])
        ready = self.chance.some(free, chance, "back")
        if len(ready):
            cleared = self._recall_all_clear(ready)
            quiet = self.clock.tick - self.clock.ticks(self.settings.quiet)
            heard = np.maximum(self._find_last_warnings(ready), ready["left_at"])
            self._set_off(ready.where(cleared), ALL_CLEAR, RELIEF, 0.4)
            self._set_off(ready.where(~cleared & (heard < quiet)), OWN_REASON, "evacuation", 0.1)

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

    def _set_off(self, households: Cohort, text: str, topic: str, valence: float) -> None:
        """Let households leave where they stay, and set when they will be at home."""
        if not len(households):
            return
        now = self.clock.tick
        nights = ((now - households["left_at"]) * self.clock.hours / 24).tolist()
        texts = [
            (THANKED if to == Destination.FAMILY_OR_FRIENDS else LEFT).format(
                lodging=lodging, nights=say_nights(time)
            )
            for lodging, to, time in zip(
                households["lodging"], households["destination"].tolist(), nights, strict=True
            )
        ]
        comfort = rate_comfort(households["destination"]) + np.float32(0.2)
        remember_stay(households, self.citizens, texts, 0.7, comfort)
        people = travellers_of(households, self.citizens)
        remember(people.of_age(AGE_OF_REASON), topic, text, 0.5, valence, at="home")
        occupy(people, "drive", Activity.DRIVE)
        households["stage"] = Stage.COMING_HOME
        hours, delay = self._drive(households)
        arrival = now + np.ceil(hours / self.clock.hours).astype(np.int64)
        households["arrives_at"] = arrival
        adults = people.of_age(ADULT)
        lost = delay[np.searchsorted(households.rows, adults["household"])]
        remember_jams(adults, lost, adults["home"], BACK)

    def _drive(self, households: Cohort) -> tuple[Float64, Float64]:
        """Return the hours until each household is at home, and those lost in queues.

        Households reach a queue where their road enters the region, which lets pass its capacity.
        """
        roads, now = self.traffic.roads, self.clock.tick * self.clock.hours
        names = [name.removeprefix("outside ") for name in roads.exits]
        exits = np.array([names.index(name) if name in names else 0 for name in households["exit"]])
        reach = now + households["travel_hours"].astype(np.float64)
        delay = np.zeros(len(households))
        vehicles = households["cars"] * self.traffic.people
        for at in np.argsort(reach, kind="stable"):
            road = exits[at]
            start = max(reach[at], self.free_from[road])
            self.free_from[road] = start + vehicles[at] / self.vehicles_per_hour[road]
            delay[at] = self.free_from[road] - reach[at]
        last = self.hours[households["zone"], exits]
        return reach - now + delay + last, delay

    def _arrive(self, households: Cohort) -> None:
        if not len(households):
            return
        now = self.clock.tick
        households["stage"] = Stage.RETURNED
        households["returned_at"] = now
        people, members = (find(households, self.citizens) for find in (travellers_of, members_of))
        bring_home(people, now)
        remember(people.of_age(AGE_OF_REASON), STAY, CAME_HOME, 0.7, 0.5, at="home")
        apart = np.isin(members["household"], members["household"][members["stays_behind"]])
        members["stays_behind"] = False
        family = members.where(apart).of_age(AGE_OF_REASON)
        remember(family, "family", REUNITED, 0.6, 0.7, at="home")
