"""Evacuate: packed households choose a destination and leave home."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON, INDEPENDENT_AGE
from memopolis.agents.conversation import (
    INVITATION,
    OWN_REPORT,
    Remarks,
    remember_heard,
    remember_said,
)
from memopolis.agents.everyday import RECEIVED
from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.circumstances import Circumstances
from memopolis.scenarios.hurricane.lodging import OF_FRIENDS, name_lodgings, travel_hours
from memopolis.scenarios.hurricane.moving import members_of, set_out, stay, travellers_of
from memopolis.scenarios.hurricane.people import ADULT, Destination, Stage
from memopolis.scenarios.hurricane.settings import EvacuationSettings
from memopolis.sim.arrays import Bools, UInt8
from memopolis.sim.block import Block
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort, Population

LEAVING = "We are leaving because of the storm."  # what they say
INFORM = 0.5  # probability that an adult who leaves informs a friend (illustrative)
LOW_INCOME = 25_000.0
"""Yearly income below which shelters are more and hotels less likely (illustrative; 65% of
Florence's shelter sample could not afford other options, found)."""
CAUGHT = "We stayed in {place} after all: the gusts were too strong to leave."


@dataclass(eq=False, repr=False)
class Evacuate(Block):
    """Let packed households leave home, within shelter beds."""

    reads = ("stage", "ready_at", "size", "income", "kin_elsewhere", "first_row", "zone")
    writes = ("stage", "left_at", "destination", "lodging", "travel_hours")
    topics = (INVITATION,)

    settings: EvacuationSettings
    citizens: Population
    circumstances: Circumstances
    _: KW_ONLY
    gust_home: float
    authority: Population

    def step(self, households: Cohort) -> None:
        """Let packed households leave, unless gusts are too strong."""
        self.citizens["leaving"] = False
        packing = households.where(households["stage"] == Stage.PACKING)
        if len(packing):
            waiting = self._cancel_in_gusts(packing)
            self._leave(waiting.where(waiting["ready_at"] <= self.clock.tick))

    def _cancel_in_gusts(self, packing: Cohort) -> Cohort:
        """Let households stay where gusts are too strong to drive; return the others."""
        gust = self.circumstances.weather.at(self.clock.tick).gust_kt
        is_caught = gust[packing["zone"]] >= self.gust_home
        if is_caught.any():
            caught = packing.where(is_caught)
            caught["stage"] = Stage.AT_HOME
            people = travellers_of(caught, self.citizens)
            stay(people)
            members_of(caught, self.citizens)["stays_behind"] = False
            remember(people.of_age(AGE_OF_REASON), "evacuation", CAUGHT, 0.7, -0.4, at="home")
        return packing.where(~is_caught)

    def _leave(self, households: Cohort) -> None:
        if not len(households):
            return
        tick = self.clock.tick
        invited = self._recall_invitations(households)
        destination = self._choose_destinations(households, invited)
        self._choose_lodgings(households, destination, invited)
        households["stage"] = Stage.ON_THE_ROAD
        households["left_at"] = np.where(households["left_at"] < 0, tick, households["left_at"])
        households["destination"] = destination
        people = travellers_of(households, self.citizens)
        set_out(people, tick, self.population["destination"][people["household"]])
        self._remember(people)

    def _recall_invitations(self, households: Cohort) -> Bools:
        """Return whether an adult of each household recalls an offer of a place to stay."""
        invited = np.zeros(len(households), np.bool_)
        if INVITATION in self.citizens.memory.topic_numbers:
            adults = members_of(households, self.citizens).of_age(ADULT)
            offers = adults.memory.observed.stream.recommend(
                1, profile="act", where=Filter(topic=INVITATION)
            )
            some = np.unique(adults["household"][offers.counts > 0])
            invited[np.isin(households.rows, some)] = True
        return invited

    def _choose_lodgings(self, households: Cohort, destination: UInt8, invited: Bools) -> None:
        names = name_lodgings(destination, self.chance.uniform(households, "lodging"))
        by_offer = (destination == Destination.FAMILY_OR_FRIENDS) & invited
        by_offer &= ~households["kin_elsewhere"]
        households["lodging"] = np.where(by_offer, OF_FRIENDS, np.array(names, object))
        normal = self.chance.normal(households, "travel")
        households["travel_hours"] = travel_hours(destination, normal)

    def _choose_destinations(self, households: Cohort, invited: Bools) -> UInt8:
        settings = self.settings
        poor = households["income"] < LOW_INCOME
        hosts = households["kin_elsewhere"] | invited
        weights = np.empty((len(households), 4))
        weights[:, 0] = settings.family * np.where(hosts, 1.3, 0.3)
        weights[:, 1] = settings.hotel * np.where(poor, 0.5, 1.2)
        weights[:, 2] = settings.shelter * np.where(poor, 2.0, 0.6) * np.where(hosts, 0.6, 2.0)
        weights[:, 3] = settings.other
        choice = self.chance.choice(households, weights, "destination") + 1
        return self._assign_beds(households, choice.astype(np.uint8))

    def _assign_beds(self, households: Cohort, choice: UInt8) -> UInt8:
        """Assign shelter beds in random order; households without a bed go elsewhere."""
        seeking = np.flatnonzero(choice == Destination.SHELTER)
        if not len(seeking):
            return choice
        homes = self.population
        size, stage = homes["size"].astype(np.int64), homes["stage"]
        sheltered = (stage == Stage.ON_THE_ROAD) | (stage == Stage.AWAY)
        sheltered &= homes["destination"] == Destination.SHELTER
        is_open = bool(self.authority["shelters"].any())
        free = int(self.settings.beds * len(self.citizens)) - int(size[sheltered].sum())
        left = free if is_open else 0
        seekers = households.at(households.rows[seeking])
        seeking = seeking[self.chance.order(seekers, "beds")]
        needed = np.cumsum(size[households.rows[seeking]])
        refused = seeking[needed > left]
        choice[refused] = Destination.OTHER
        self._refuse(households.at(households.rows[np.sort(refused)]))
        return choice

    def _refuse(self, households: Cohort) -> None:
        """Let adults remember that a shelter was full or closed."""
        adults = members_of(households, self.citizens).of_age(ADULT)
        text = "The shelter in {place} could not take us in."
        remember(adults, "shelter", text, 0.6, -0.7, at="home")

    def _remember(self, people: Cohort) -> None:
        text = "We left {place} because of the storm."
        remember(people.of_age(AGE_OF_REASON), "evacuation", text, 0.8, -0.3, at="home")
        self._inform_friends(people.of_age(ADULT))

    def _inform_friends(self, leaving: Cohort) -> None:
        """Let some of those who leave inform a friend who is awake; both remember it."""
        people, tick = self.citizens, self.clock.tick
        friends = people.ties["friend"]
        u = self.society.chance.uniform("evacuate.tell", leaving.rows, tick)
        rows = leaving.rows[(u < INFORM) & (friends.count(leaving.rows) > 0)]
        pick = self.society.chance.uniform("evacuate.whom", rows, tick)
        friend = friends.contacts[friends.one_of(rows, pick)].astype(np.intp)
        reached = people["alive"][friend] & (people["doing"][friend] != Activity.SLEEP)
        reached &= people["age"][friend] >= INDEPENDENT_AGE
        rows, friend = rows[reached], friend[reached]
        if not len(rows):
            return
        text = self.society.texts.intern_many([LEAVING] * len(rows))
        remark = Remarks(
            ("evacuation",), np.zeros(len(rows), np.intp), text, importance=0.6,
            valence=np.full(len(rows), -0.3, np.float32), confidence=0.9,
        )  # fmt: skip
        remember_heard(people.at(friend), remark, RECEIVED, actor=people.ids[rows])
        remember_said(people.at(rows), text, OWN_REPORT, actor=people.ids[friend])
