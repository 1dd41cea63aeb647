"""Offer a place to stay to friends and relatives who have been ordered to leave."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.ages import ADULT
from memopolis.agents.conversation import (
    INVITATION,
    OWN_REPORT,
    Remarks,
    remember_heard,
    remember_said,
)
from memopolis.agents.hearing import find_sleepers
from memopolis.scenarios.hurricane.orders import Orders
from memopolis.scenarios.hurricane.people import Stage
from memopolis.scenarios.hurricane.settings import EvacuationSettings
from memopolis.sim.arrays import Bools
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

DAY = (8.0, 21.0)  # hours in which people call each other (illustrative)
OFFER = "If you want to leave, you can stay with my family, out of the storm's way."
TIES = ("friend", "kin")
"""Kinds of ties along which a place to stay is offered."""


@dataclass(eq=False, repr=False)
class OfferPlace(Block):
    """Let friends and relatives in other zones offer a place to stay with family elsewhere.

    Those who have family or friends outside the area call adults whose zone is under an order.
    People with more ties to other zones receive more offers, and recall them when they decide.

    Source: Evacuation rises with ties to other places (Metaxa-Kakavouli, Maas and Aldrich 2018,
    doi:10.1145/3274395, recalled); the rate is illustrative.
    """

    reads = ("age", "household", "home", "alerted", "scheduled", "doing", "away")
    topics = (INVITATION,)

    settings: EvacuationSettings
    households: Population
    orders: Orders

    def step(self, citizens: Cohort) -> None:
        """Draw who calls whom, and let both remember the offer."""
        tick, ordered = self.clock.tick, self.orders.announced
        if not DAY[0] <= self.clock.hour < DAY[1] or tick >= len(ordered):
            return
        zones = ordered[tick] > 0
        if not zones.any():
            return
        house = citizens["household"]
        at_home = self.households["stage"][house] == Stage.AT_HOME
        asked = zones[citizens["home"]] & at_home & (citizens["age"] >= ADULT)
        awake = np.zeros(len(self.population), np.bool_)
        awake[citizens.rows] = ~find_sleepers(citizens)
        asked &= awake[citizens.rows]
        for kind in TIES:
            if kind in self.population.ties:
                self._offer(citizens.where(asked), kind, awake)

    def _offer(self, adults: Cohort, kind: str, awake: Bools) -> None:
        """Let at most one contact of a kind call each adult; `awake` has everybody, by row."""
        people, ties = self.population, self.population.ties[kind]
        count = ties.count(adults.rows)
        chance = -np.expm1(-self.settings.offers * self.clock.hours * count)
        u = self.chance.uniform(adults, f"{kind} calls")
        called = adults.where((u < chance) & (count > 0))
        if not len(called):
            return
        pick = ties.one_of(called.rows, self.chance.uniform(called, f"{kind} who"))
        other = ties.contacts[pick].astype(np.intp)
        has_kin = self.households["kin_elsewhere"][people["household"][other]]
        can = people["alive"][other] & awake[other] & (people["age"][other] >= ADULT) & has_kin
        can &= people["home"][other] != called["home"]
        called, other = called.where(can), other[can]
        if not len(called):
            return
        text = self.society.texts.intern_many([OFFER] * len(called))
        remark = Remarks(
            (INVITATION,), np.zeros(len(called), np.intp), text, importance=0.6,
            valence=np.full(len(called), 0.4, np.float32), confidence=0.9,
        )  # fmt: skip
        remember_heard(called, remark, "{actor} told me: ", actor=people.ids[other])
        remember_said(people.at(other), text, OWN_REPORT, actor=called.ids)
