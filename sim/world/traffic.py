"""Traffic on roads: vehicles that queue at full links, and daily trips that slow each other down.

Vehicles that leave the region are followed one traveller at a time, in continuous time. Each link
takes its free time to drive, and at its end is a queue that lets pass at most the capacity, first
come, first served. Daily trips are only counted on the links of their ways.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arguments import as_indices
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.roads import Roads

FloatArray = NDArray[np.float64]

PEOPLE_PER_VEHICLE = 1.67
"""People in a car on a trip (National Household Travel Survey 2017, recalled)."""
DELAY, POWER = 0.15, 4.0
"""Factor and exponent of the function of the Bureau of Public Roads (recalled)."""
MOST_RATIO = 1.5
"""Largest ratio of volume to capacity for which the function is used (illustrative): drivers who
start within the same step in reality spread over the neighbouring ones."""
LEAST_LEFT = 0.25
"""Least share of the capacity that daily traffic leaves to evacuating vehicles (illustrative)."""


def slow_down(ratio: FloatArray) -> FloatArray:
    """Compute travel times relative to empty links, by volume over capacity, shape (links,).

    Returns 1 + 0.15 * min(ratio, 1.5)^4.

    Source: Bureau of Public Roads 1964, Traffic Assignment Manual (recalled); the limit of the
    ratio is this project's.
    """
    if (ratio < 0).any():
        raise ParameterError(f"ratio {ratio.min():g}: volume over capacity is at least 0")
    return np.asarray(1 + DELAY * np.minimum(ratio, MOST_RATIO) ** POWER)


@dataclass(eq=False)
class Travellers:
    """Groups of vehicles on the way out of the region; arrays of shape (travellers,)."""

    link: NDArray[np.int32]  # link on which each is
    # Hour since the start of the run at which it reaches the queue at the link's end
    arrival: FloatArray
    delay: FloatArray  # hours lost in queues so far
    exits: NDArray[np.int64]  # number of the exit that each heads for
    vehicles: FloatArray  # vehicles of each, > 0

    def check(self, links: int, next_link: NDArray[np.int32], capacity: FloatArray) -> None:
        """Refuse arrays of unequal lengths, and links and exits that do not exist."""
        shapes = {values.shape for values in vars(self).values()}
        if len(shapes) > 1 or capacity.shape != (links,) or next_link.ndim != 2:
            raise ParameterError(
                f"travellers have arrays of shapes {sorted(shapes)}, capacity {capacity.shape} and "
                f"next_link {next_link.shape}; (travellers,), ({links},) and (nodes, exits) are "
                "needed"
            )
        as_indices("links of travellers", self.link, links)
        as_indices("exits of travellers", self.exits, next_link.shape[1])


class Traffic:
    """Traffic on the roads of a society, in vehicles of the real population.

    A step takes `hours`, and an agent stands for `people` real people. Of each link, `free_from` is
    the hour since the start from which it lets the next vehicle pass, `flow` the evacuating
    vehicles that passed it in the last step, and `volume` the vehicles of daily trips in this step.
    """

    state: ClassVar[tuple[str, ...]] = ("free_from", "flow", "volume")

    def __init__(self, roads: Roads, *, hours: float, people: float) -> None:
        self.roads = roads
        self.hours = hours
        self.people = people
        self.free_from = np.zeros(len(roads))
        self.flow = np.zeros(len(roads))
        self.volume = np.zeros(len(roads))
        # Compiled kernels are imported when they are first used.
        from memopolis.sim.world.traffic_kernels import sum_ways

        self._empty = sum_ways(roads.hours, *roads.trees, roads.start)

    def step(self, _society: Any) -> None:
        """Forget the daily trips of the last step."""
        self.volume = np.zeros(len(self.roads))

    def rest(self) -> None:
        """Note that no evacuating vehicle is on the roads in this step."""
        self.flow = np.zeros(len(self.roads))

    def drive(
        self, start: NDArray[np.integer], end: NDArray[np.integer]
    ) -> tuple[FloatArray, FloatArray]:
        """Let agents make trips between zones, all in this step, shape (agents,) each.

        Returns the minutes of each trip, and the minutes above those on empty roads.
        """
        from memopolis.sim.world.traffic_kernels import load_trips, sum_ways

        roads = self.roads
        zones = roads.zones
        origins, ends = as_indices("start", start, zones), as_indices("end", end, zones)
        if not origins.shape == ends.shape == (origins.size,):
            raise ParameterError(
                f"start and end have shapes {origins.shape} and {ends.shape}; one shape (agents,) "
                "is needed"
            )
        pairs = origins * zones + ends
        trips = np.bincount(pairs, minlength=zones**2).reshape(zones, zones)
        order, last = roads.trees
        each = np.float64(self.people / PEOPLE_PER_VEHICLE)
        load_trips(trips * each, order, last, roads.start, self.volume)
        # The people of an agent travel at different moments: only the others are in its way.
        others = np.maximum(self.volume - each, 0)
        load = (others + self.flow) / (roads.capacity * self.hours)
        times = sum_ways(roads.hours * slow_down(load), order, last, roads.start)
        minutes = 60 * times.ravel()[pairs]
        return minutes, np.maximum(minutes - 60 * self._empty.ravel()[pairs], 0)

    def free_capacity(self, factor: FloatArray) -> FloatArray:
        """Compute vehicles per hour that daily trips leave to evacuating vehicles, shape (links,).

        It is at least a quarter of the capacity; `factor` is relative to ordinary traffic, > 0.
        """
        capacity = self.roads.capacity * factor
        left = capacity - self.volume / self.hours
        return np.asarray(np.maximum(left, LEAST_LEFT * capacity))

    def waits(self, now: float, travellers: Travellers, capacity: FloatArray) -> FloatArray:
        """Compute the hours that a vehicle arriving at hour `now` waits at the end of each link."""
        queued = travellers.arrival <= now
        vehicles = np.bincount(
            travellers.link[queued], travellers.vehicles[queued], minlength=len(self.roads)
        )
        return np.asarray(np.maximum(self.free_from - now, 0) + vehicles / capacity)

    def advance(
        self,
        travellers: Travellers,
        next_link: NDArray[np.int32],
        capacity: FloatArray,
        *,
        until: float,
    ) -> FloatArray:
        """Move travellers until an hour since the start; their arrays are changed in place.

        `next_link` is the first link from each node to each exit, shape (nodes, exits), and
        `capacity` is in vehicles per hour, shape (links,). Returns the hour at which each left the
        region, NaN for those still inside, shape (travellers,).

        Source: Point queues: Vickrey 1969, American Economic Review 59(2), 251-260 (recalled). A
        queue has no length, so it never blocks the link before it.
        """
        from memopolis.sim.world.traffic_kernels import advance_queues

        travellers.check(len(self.roads), next_link, capacity)
        gone = np.full(len(travellers.link), np.nan)
        self.flow = np.zeros(len(self.roads))
        advance_queues(
            travellers.link,
            travellers.arrival,
            travellers.delay,
            gone,
            travellers.exits,
            travellers.vehicles,
            self.free_from,
            self.flow,
            self.roads.hours,
            capacity,
            self.roads.end,
            next_link,
            self.roads.zones,
            until,
        )
        return gone
