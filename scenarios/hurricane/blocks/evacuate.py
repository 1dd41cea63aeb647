"""Evacuate: households that are packed join the road, which fills, and go where they can."""

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.moving import members_of, send_away, stay
from memopolis.scenarios.hurricane.people import ADULT, Destination, Stage
from memopolis.scenarios.hurricane.settings import EvacuationSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

STUCK_HOURS = 2.0
"""Hours of waiting from which traffic is remembered (illustrative)."""
TELL = 0.5
"""Chance that an adult who leaves tells a friend (illustrative)."""
BUS_SHARE = 0.1
"""Part of a vehicle's room on the road that a household without one takes: it goes by bus or
rides along (illustrative)."""
LOW_INCOME = 25_000.0
"""Yearly income below which shelters are likelier and hotels less so (illustrative; 65% of
Florence's shelter sample could not afford to go elsewhere, found)."""


class Evacuate(Block):
    """Let packed households leave as far as road space and shelter beds go, in drawn order."""

    reads = (
        "stage",
        "ready_at",
        "queued_since",
        "size",
        "vehicles",
        "income",
        "kin_elsewhere",
        "first_row",
        "zone",
    )
    writes = ("stage", "queued_since", "left_at", "destination")

    def __init__(
        self,
        settings: EvacuationSettings,
        citizens: Population,
        circumstances: Circumstances,
        gust_home: float,
        weight: float,
    ) -> None:
        self.settings = settings
        self.citizens = citizens
        self.circumstances = circumstances
        self.gust_home = gust_home
        self.weight = weight

    def step(self, households: Cohort) -> None:
        """Fill the road with those who are ready."""
        tick = self.clock.tick
        self.citizens.memory.columns.arrays["leaving"][:] = False
        self._give_up(households)
        status = households.status
        stage = status["stage"]
        ready = (stage == Stage.PACKING) & (status["ready_at"] <= tick)
        if ready.any():
            joining = households.where(ready)
            joining.status["stage"] = np.full(len(joining), Stage.ON_THE_ROAD, np.uint8)
            joining.status["queued_since"] = np.full(len(joining), tick, np.int32)
            stage[ready] = Stage.ON_THE_ROAD
        waiting = households.where(stage == Stage.ON_THE_ROAD)
        if len(waiting):
            self._leave(self._admitted(waiting))

    def _give_up(self, households: Cohort) -> None:
        """Let those who have not got away stay when the gusts are too strong to drive."""
        stage = households.status["stage"]
        waiting = (stage == Stage.PACKING) | (stage == Stage.ON_THE_ROAD)
        if not waiting.any():
            return
        gust = self.circumstances.weather.at(self.clock.tick).gust_kt
        caught = households.where(waiting & (gust[households.status["zone"]] >= self.gust_home))
        if len(caught):
            caught.status["stage"] = np.full(len(caught), Stage.AT_HOME, np.uint8)
            people = Cohort(self.citizens, members_of(self.population, caught.rows))
            stay(people)

    def capacity(self) -> float:
        """Vehicles that can leave in this tick, of those the agents stand for."""
        contraflow = self.circumstances.closures.contraflow
        tick = self.clock.tick
        reversed_ = tick < len(contraflow) and bool(contraflow[tick].any())
        gain = self.settings.contraflow if reversed_ else 1.0
        return self.settings.road_capacity * gain * self.clock.hours / self.weight

    def _admitted(self, waiting: Cohort) -> Cohort:
        """Those for whom the road has room, served in drawn order."""
        order = self.chance.order(waiting, "road")
        taken = np.where(waiting.status["vehicles"] > 0, 1.0, BUS_SHARE)[order]
        # A fraction of a vehicle's room is a chance of one more.
        u = float(self.society.chance.uniform("evacuate.room", [0], self.clock.tick)[0])
        admitted = order[np.cumsum(taken) <= np.floor(self.capacity() + u)]
        return waiting.at(np.sort(waiting.rows[admitted]))

    def _leave(self, households: Cohort) -> None:
        if not len(households):
            return
        tick = self.clock.tick
        destination = self._destinations(households)
        status = households.status
        waited = (tick - status["queued_since"]) * self.clock.hours
        status["stage"] = np.full(len(households), Stage.AWAY, np.uint8)
        status["left_at"] = np.where(status["left_at"] < 0, tick, status["left_at"])
        status["destination"] = destination
        size = status["size"].astype(np.int64)
        people = Cohort(self.citizens, members_of(self.population, households.rows))
        send_away(people, tick, np.repeat(destination, size))
        self._remember(people, np.repeat(waited, size))

    def _destinations(self, households: Cohort) -> NDArray[np.uint8]:
        settings, status = self.settings, households.status
        poor = status["income"] < LOW_INCOME
        weights = np.empty((len(households), 4))
        weights[:, 0] = settings.family * np.where(status["kin_elsewhere"], 1.3, 0.3)
        weights[:, 1] = settings.hotel * np.where(poor, 0.5, 1.2)
        weights[:, 2] = (
            settings.shelter
            * np.where(poor, 2.0, 0.6)
            * np.where(status["kin_elsewhere"], 0.6, 2.0)
        )
        weights[:, 3] = settings.other
        choice = self.chance.choice(households, weights, "destination").astype(np.uint8) + np.uint8(
            1
        )
        return self._bedded(households, choice)

    def _bedded(self, households: Cohort, choice: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Let shelters fill in drawn order; who finds no bed goes elsewhere."""
        columns = self.population.memory.columns.arrays
        size = columns["size"].astype(np.int64)
        sheltered = (columns["stage"] == Stage.AWAY) & (
            columns["destination"] == Destination.SHELTER
        )
        left = int(self.settings.beds * len(self.citizens)) - int(size[sheltered].sum())
        seeking = np.flatnonzero(choice == Destination.SHELTER)
        if len(seeking):
            seekers = households.at(households.rows[seeking])
            seeking = seeking[self.chance.order(seekers, "beds")]
            needed = np.cumsum(size[households.rows[seeking]])
            choice[seeking[needed > left]] = Destination.OTHER
        return choice

    def _remember(self, people: Cohort, waited: NDArray[np.float64]) -> None:
        adult = people.status["age"] >= ADULT
        grown, waited = people.where(adult), waited[adult]
        grown.memory.stream.add(
            "evacuation",
            "We left {place} because of the storm.",
            place=grown.status["home"],
            importance=0.8,
            valence=-0.3,
        )
        stuck = grown.where(waited >= STUCK_HOURS)
        if len(stuck):
            stuck.memory.stream.add(
                "traffic",
                "We were stuck for hours in the traffic out of {place}.",
                place=stuck.status["home"],
                importance=0.6,
                valence=-0.6,
                continues=True,
            )
        self._tell_friends(grown)

    def _tell_friends(self, leaving: Cohort) -> None:
        friends = self.citizens.ties["friend"]
        u = self.society.chance.uniform("evacuate.tell", leaving.rows, self.clock.tick)
        rows = leaving.rows[(u < TELL) & (friends.count(leaving.rows) > 0)]
        if not len(rows):
            return
        pick = self.society.chance.uniform("evacuate.whom", rows, self.clock.tick)
        friend = friends.contacts[friends.one_of(rows, pick)]
        Cohort(self.citizens, friend.astype(np.intp)).memory.stream.add(
            "evacuation",
            "{actor} told me: we are leaving because of the storm.",
            actor=self.citizens.ids[rows],
            importance=0.6,
            valence=-0.3,
            confidence=0.9,
        )
