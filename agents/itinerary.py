"""Convert steps of plans to activity, destination and duration."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.agents.activities import AS_SCHEDULED, NEVER_ENDS, Where
from memopolis.agents.experience import Experience
from memopolis.agents.plans import PLANS
from memopolis.sim.arrays import Bools, Float64, Int16, Int64, Ints, UInt8
from memopolis.sim.block import BlockChance
from memopolis.sim.errors import SchemaError, StateError
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

type Recall = Callable[[Bools], Experience]
"""Returns what the agents selected by a mask know about the places for their step."""


def compute_trip_shares(km: Float64, attraction: Float64) -> Float64:
    """Compute the share of outings from each zone to each other zone, rows summing to 1.

    Weights are attraction over squared distance.

    Source: Gravity model of AgentSociety 1.5.7.
    """
    weight = attraction[None, :] / np.maximum(km, 0.1) ** 2
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


class Itinerary:
    """Begins steps of plans: sets activity, destination and end time of citizens."""

    def __init__(self, society: "SocietyBase[Any]") -> None:
        self.society = society
        lengths = [society.clock.ticks(hours) for hours in range(1, AS_SCHEDULED)]
        self._ticks = np.array([1, *lengths, NEVER_ENDS, NEVER_ENDS], np.int32)
        place = society.place
        self._edges: Float64 | None = None
        if place is not None:
            self._edges = np.cumsum(compute_trip_shares(place.trip_km, place.population), axis=1)

    def begin(
        self,
        citizens: Cohort,
        plan: Int64,
        step: Ints,
        chance: BlockChance,
        recall: Recall | None = None,
        *,
        near: Bools | None = None,
    ) -> None:
        """Let citizens begin a step, counted from 0, of their plans.

        Of two places drawn by distance, they go to the better remembered one; without `recall`, to
        the first. Those that stay `near` go out in the zone where they are.
        """
        from memopolis.agents.plan_kernels import begin_steps

        people, step = citizens.population, step.astype(np.uint8)
        if people["plan"].dtype != np.int64:
            raise SchemaError("a plan has 64 bits; declare it as attribute(0, dtype='i8')")
        doing, until, where, zone = begin_steps(
            citizens.rows, plan, step, self._ticks, self.society.clock.tick, people["place"],
            people["home"], people["workplace"],
        )  # fmt: skip
        citizens["plan"], citizens["plan_step"] = plan, step
        citizens["doing"], citizens["until"] = doing, until
        citizens["follows"] = citizens["scheduled"]
        far = where >= Where.SHOP
        if near is not None:
            far &= ~near | (where == Where.FRIEND)
        self._choose_zones(citizens, np.where(far, where, Where.HERE), zone, chance, recall)
        citizens["target"] = zone

    def start(self, citizens: Cohort, purpose: str, chance: BlockChance) -> None:
        """Interrupt citizens and let them begin the basic plan of a purpose."""
        none = np.zeros(len(citizens), np.int64)
        self.begin(citizens, none + PLANS[purpose], none, chance)

    def _choose_zones(
        self, citizens: Cohort, where: UInt8, zone: Int16, chance: BlockChance,
        recall: Recall | None,
    ) -> None:  # fmt: skip
        """Set the zones of steps that go out, in place."""
        (out,) = (where >= Where.SHOP).nonzero()
        if not len(out):
            return
        if self.has_zones:
            going = citizens.at(citizens.rows[out])
            zone[out] = self._zone_at(going, chance.uniform(going, "where"))
            trading = (where == Where.SHOP) | (where == Where.NEAR)
            (some,) = trading.nonzero()
            if recall is not None and len(some):
                buyers = citizens.at(citizens.rows[some])
                zone[some] = self._choose_better(buyers, zone[some], chance, recall(trading))
        self._visit_friends(citizens, where == Where.FRIEND, zone)

    def _choose_better(
        self, citizens: Cohort, first: Int16, chance: BlockChance, experience: Experience
    ) -> Int16:
        """Return the given zone or another one, whichever is remembered better."""
        second = self._zone_at(citizens, chance.uniform(citizens, "elsewhere"), first)
        liked = experience.mean_of("place", np.stack((first, second), axis=1))
        return np.where(liked[:, 1] > liked[:, 0], second, first)

    @staticmethod
    def _visit_friends(citizens: Cohort, visits: Bools, zone: Int16) -> None:
        """Replace the zone of visits by the zone where the friend is."""
        if visits.any():
            partner = citizens.where(visits)["partner"]
            place = citizens.population["place"][partner]
            zone[visits] = np.where((partner >= 0) & (place >= 0), place, zone[visits])

    @property
    def has_zones(self) -> bool:
        """Whether the society has a place with zones."""
        return self._edges is not None

    def _zone_at(self, citizens: Cohort, u: Float64, other: Int16 | None = None) -> Int16:
        """Return the zone at a point of the cumulative shares of trips (gravity model).

        That of each citizen differs from its zone in `other`, if there is another.
        """
        from memopolis.agents.plan_kernels import choose_zones

        if other is None:
            other = np.full(len(u), -1, np.int16)
        assert self._edges is not None  # noqa: S101 - see `has_zones`
        place = citizens.population["place"]
        zone: Int16
        zone, last = choose_zones(self._edges, citizens.rows, place, u, other)
        if last >= len(self._edges):
            raise StateError(f"a citizen is in zone {last}, of {len(self._edges)} zones from 0")
        return zone
