"""Convert steps of plans to activity, destination and duration."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.activities import PLAN_NUMBERS, Where, build_plan_tables
from memopolis.sim.block import BlockChance
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

WAKE_UP = 7.0
"""Hour at which sleep at night ends (illustrative)."""


def compute_trip_shares(
    km: NDArray[np.float64], attraction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the share of outings from each zone to each other zone.

    Args:
        km: Length of a trip between zones, > 0, shape (zones, zones).
        attraction: Attractiveness of each zone, >= 0, shape (zones,).

    Returns:
        Shape (from, to), rows summing to 1: weight = attraction / distance squared.

    Source:
        Gravity model of AgentSociety 1.5.7.
    """
    weight = attraction[None, :] / np.maximum(km, 0.1) ** 2
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


class Itinerary:
    """Begins steps of plans: sets activity, destination and end time of citizens.

    Args:
        society: Society of the citizens.
    """

    def __init__(self, society: "SocietyBase[Any]") -> None:
        self.society = society
        self.tables = build_plan_tables(society.clock.ticks)
        place = society.place
        self._edges: NDArray[np.float64] | None = None
        if place is not None:
            self._edges = np.cumsum(compute_trip_shares(place.trip_km, place.population), axis=1)

    def begin(
        self,
        citizens: Cohort,
        plan: NDArray[np.uint8],
        step: NDArray[np.uint8],
        chance: BlockChance,
    ) -> None:
        """Let citizens begin a step of their plans.

        Args:
            citizens: Citizens that begin a step.
            plan: Number of the plan of each citizen, shape (agents,).
            step: Number of the step, from 0, shape (agents,).
            chance: Random streams of the calling block, used to choose places.
        """
        status, tables = citizens.status, self.tables
        ticks = tables.ticks[plan, step]
        asleep = plan == PLAN_NUMBERS["sleep"]
        if asleep.any():
            ticks = np.where(asleep, self._ticks_to_morning(), ticks)
        status["doing"] = tables.doing[plan, step]
        status["until"] = self.society.clock.tick + ticks
        status["target"] = self._choose_zones(citizens, tables.where[plan, step], chance)

    def start(self, citizens: Cohort, plan: str, chance: BlockChance) -> None:
        """Interrupt citizens and let them begin the first step of a plan, given by name."""
        none = np.zeros(len(citizens), np.uint8)
        number = none + np.uint8(PLAN_NUMBERS[plan])
        citizens.status["plan"] = number
        citizens.status["plan_step"] = none
        self.begin(citizens, number, none, chance)

    def _ticks_to_morning(self) -> int:
        hours = (WAKE_UP - self.society.clock.hour) % 24.0
        return self.society.clock.ticks(hours if hours > 0 else 24.0)

    def _choose_zones(
        self, citizens: Cohort, where: NDArray[np.uint8], chance: BlockChance
    ) -> NDArray[np.int16]:
        status = citizens.status
        zone: NDArray[np.int16] = status["place"]
        for kind, attribute in ((Where.HOME, "home"), (Where.WORKPLACE, "workplace")):
            mask = where == kind
            if mask.any():
                zone[mask] = citizens.where(mask).status[attribute]
        out = where >= Where.SHOP
        if out.any() and self.has_zones:
            going = citizens.where(out)
            zone[out] = self._zone_at(going, chance.uniform(going, "where"))
        return zone

    @property
    def has_zones(self) -> bool:
        """Whether the society has a place with zones."""
        return self._edges is not None

    def draw_other_zones(
        self, citizens: Cohort, zone: NDArray[np.integer], chance: BlockChance, purpose: str
    ) -> NDArray[np.int16]:
        """Draw a zone other than a given one for each citizen by the gravity model.

        Args:
            citizens: The citizens.
            zone: Excluded zone, >= 0, shape (agents,).
            chance: Random streams of the calling block.
            purpose: Name of the random stream.

        Returns:
            Shape (agents,); the excluded zone if there is no other.
        """
        edges = self._edges_from(citizens)
        row = np.arange(len(citizens))
        upper = edges[row, zone]
        lower = np.where(zone > 0, edges[row, np.maximum(zone - 1, 0)], 0.0)
        u = chance.uniform(citizens, purpose) * (1 - (upper - lower))
        return self._zone_at(citizens, np.where(u >= lower, u + (upper - lower), u))

    def _edges_from(self, citizens: Cohort) -> NDArray[np.float64]:
        assert self._edges is not None  # noqa: S101 - see `has_zones`
        edges: NDArray[np.float64] = self._edges[np.maximum(citizens.status["place"], 0)]
        return edges

    def _zone_at(self, citizens: Cohort, u: NDArray[np.float64]) -> NDArray[np.int16]:
        """Return the zone at a point of the cumulative shares of trips (gravity model)."""
        return (u[:, None] >= self._edges_from(citizens)[:, :-1]).sum(axis=1).astype(np.int16)
