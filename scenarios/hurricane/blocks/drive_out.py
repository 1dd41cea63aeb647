"""Drive out: households on the road choose a way out of the region and queue at full links."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.remembering import remember
from memopolis.agents.traffic_jams import OUT, remember_jams
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.moving import bring_home, members_of, send_away, travellers_of
from memopolis.scenarios.hurricane.people import ADULT, Stage
from memopolis.scenarios.hurricane.settings import RoadSettings
from memopolis.sim.arrays import Float32, Float64, Int32, Ints
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population
from memopolis.sim.world.roads import Roads
from memopolis.sim.world.traffic import Traffic, Travellers

SECOND_CAR = 0.4
"""Second vehicles in which a household leaves, if it has one (computed: about 25% of households
took two or more in Floyd, Dow and Cutter 2002, doi:10.1061/(ASCE)1527-6988(2002)3:1(12))."""
BUS_SHARE = 0.1
"""Vehicles of a household without one, which takes a bus or shares a ride (illustrative)."""

TURNED_BACK = "We turned back to {place}: the gusts were too strong to drive on."


def count_cars(vehicles: Ints) -> Float32:
    """Return in how many vehicles households leave, on average, by their number of vehicles."""
    several = np.where(vehicles > 1, 1 + SECOND_CAR, 1.0)
    return np.where(vehicles > 0, several, BUS_SHARE).astype(np.float32)


def weigh_exits(roads: Roads, time: Float64, capacity: Float64, *, choice: float) -> Float64:
    """Compute the weights of ways out: capacity of the road * exp(-time / choice), up to a factor.

    `time` is in hours, inf if there is no way, shape (drivers, exits).

    Source: Multinomial logit with size, McFadden 1978 (recalled); the numbers are this project's.
    """
    way_out = np.bincount(roads.end, capacity, minlength=roads.nodes)[roads.zones :]
    longer = time - time.min(axis=1, keepdims=True)
    return np.asarray(way_out * np.exp(-longer / choice))


@dataclass(eq=False, repr=False)
class DriveOut(Block):
    """Move households on the road towards an exit, through queues at links of limited capacity."""

    reads = ("stage", "zone", "vehicles", "first_row", "size", "travel_hours")
    writes = (
        "stage",
        "cars",
        "driving",
        "link",
        "arrival",
        "exit",
        "delay",
        "cleared",
        "cleared_at",
        "returned_at",
        "arrives_at",
    )

    settings: RoadSettings
    traffic: Traffic
    citizens: Population
    circumstances: Circumstances
    _: KW_ONLY
    gust_home: float

    def setup(self) -> None:
        """Number the exits by the labels of their names."""
        status = self.population.memory.status
        self.exit_names = [name.removeprefix("outside ") for name in self.traffic.roads.exits]
        self.exit_labels = np.array([status.label(name) for name in self.exit_names])

    def step(self, households: Cohort) -> None:
        """Let households set out, drive, queue, turn back in gusts, and leave the region."""
        driving = households.where(households["stage"] == Stage.ON_THE_ROAD)
        driving = self._turn_back(driving)
        if not len(driving):
            self.traffic.rest()
            return
        capacity = self.traffic.free_capacity(self.relative_capacity())
        next_link = self._set_out(driving, capacity)
        travellers = self._travellers(driving)
        end = (self.clock.tick + 1) * self.clock.hours
        gone = np.isfinite(self.traffic.advance(travellers, next_link, capacity, until=end))
        driving["link"] = np.where(gone, -1, travellers.link)
        driving["arrival"], driving["delay"] = travellers.arrival, travellers.delay
        self._follow(driving.where(~gone))
        self._leave(driving.where(gone))

    def relative_capacity(self) -> Float64:
        """Return the capacity of each link relative to ordinary traffic."""
        contraflow = self.circumstances.closures.contraflow
        tick = self.clock.tick
        is_reversed = tick < len(contraflow) and bool(contraflow[tick].any())
        gain = self.settings.contraflow if is_reversed else 1.0
        return self.settings.capacity * np.where(self.traffic.roads.reversible, gain, 1.0)

    def _travellers(self, driving: Cohort) -> Travellers:
        exits = np.full(int(self.exit_labels.max()) + 1, -1, np.int64)
        exits[self.exit_labels] = np.arange(len(self.exit_labels))
        return Travellers(
            driving["link"].astype(np.int32),
            driving["arrival"].astype(np.float64),
            driving["delay"].astype(np.float64),
            exits[np.minimum(driving.codes("exit"), len(exits) - 1)],
            driving["cars"].astype(np.float64) * self.traffic.people,
        )

    def _set_out(self, driving: Cohort, capacity: Float64) -> Int32:
        """Let new households choose an exit, and return the first link from node to exit."""
        roads, hours = self.traffic.roads, self.clock.hours
        now = self.clock.tick * hours
        is_new = driving["link"] < 0
        waits = self.traffic.waits(now, self._travellers(driving.where(~is_new)), capacity)
        time, next_link = roads.find_ways_out(roads.hours + waits)
        if is_new.any():
            starting = driving.where(is_new)
            zone = starting["zone"]
            weights = weigh_exits(roads, time[zone], capacity, choice=self.settings.choice)
            exits = self.chance.choice(starting, weights, "exit")
            link = next_link[zone, exits]
            moment = self.chance.uniform(starting, "moment")
            starting["link"] = link
            starting["arrival"] = now + moment * hours + roads.hours[link]
            starting["exit"] = np.array(self.exit_names, object)[exits]
            starting["cars"] = count_cars(starting["vehicles"])
            starting["driving"] = True
        return next_link

    def _follow(self, driving: Cohort) -> None:
        """Move people on the road to the zone in which their link begins."""
        if not len(driving):
            return
        people = travellers_of(driving, self.citizens)
        link = self.population["link"][people["household"]]
        places = self.traffic.roads.start[link].astype(np.int16)
        people["place"] = places
        people["target"] = places

    def _leave(self, households: Cohort) -> None:
        """Move households out of the region."""
        if not len(households):
            return
        households["stage"] = Stage.AWAY
        households["driving"] = False
        households["cleared"] = True
        households["cleared_at"] = self.clock.tick
        wait = np.ceil(households["travel_hours"] / self.clock.hours).astype(np.int64)
        households["arrives_at"] = self.clock.tick + wait
        people = travellers_of(households, self.citizens)
        send_away(people)
        self._remember_jam(people)

    def _turn_back(self, driving: Cohort) -> Cohort:
        """Send home households where gusts are too strong to drive; return the others."""
        if not len(driving):
            return driving
        gust = self.circumstances.weather.at(self.clock.tick).gust_kt
        link = driving["link"]
        zone = np.where(link >= 0, self.traffic.roads.start[link], driving["zone"])
        caught = gust[zone] >= self.gust_home
        if caught.any():
            back = driving.where(caught)
            waiting = np.maximum(self.clock.tick * self.clock.hours - back["arrival"], 0)
            back["delay"] = back["delay"] + np.where(link[caught] >= 0, waiting, 0)
            back["stage"] = Stage.RETURNED
            back["returned_at"] = self.clock.tick
            back["driving"] = False
            back["link"] = -1
            people = travellers_of(back, self.citizens)
            bring_home(people, self.clock.tick)
            members_of(back, self.citizens)["stays_behind"] = False
            remember(people.of_age(AGE_OF_REASON), "evacuation", TURNED_BACK, 0.7, -0.4, at="home")
            self._remember_jam(people)
        return driving.where(~caught)

    def _remember_jam(self, people: Cohort) -> None:
        adults = people.of_age(ADULT)
        lost = self.population["delay"][adults["household"]]
        remember_jams(adults, lost, adults["home"], OUT)
