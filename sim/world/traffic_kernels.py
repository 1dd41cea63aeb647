"""Compiled loops over vehicles in queues and over trips, for `traffic.py`."""

import heapq

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def advance_queues(
    link: NDArray[np.int32],
    arrival: NDArray[np.float64],
    delay: NDArray[np.float64],
    gone: NDArray[np.float64],
    exits: NDArray[np.int64],
    vehicles: NDArray[np.float64],
    free_from: NDArray[np.float64],
    flow: NDArray[np.float64],
    hours: NDArray[np.float64],
    capacity: NDArray[np.float64],
    end: NDArray[np.int64],
    next_link: NDArray[np.int32],
    zones: int,
    until: float,
) -> None:
    """Move travellers along their links until a time, in the order of arrival at queues.

    Of travellers, `link`, `arrival` at the queue at its end (hour), `delay` (hours) and `gone`
    (hour at which each left the region, NaN before) are changed in place, as are `free_from` (hour
    from which it serves the next one) and `flow` (vehicles) of links. `exits` are the exits that
    travellers head for, `hours` the free times on links, `capacity` is in vehicles per hour, and
    `next_link` is the first link from each node to each exit. Nodes from `zones` on are exits.
    """
    queue = [(arrival[i], i) for i in range(len(link)) if arrival[i] < until]
    heapq.heapify(queue)
    while len(queue) > 0:
        reached, i = heapq.heappop(queue)
        road = link[i]
        served = max(reached, free_from[road])
        if served >= until:
            continue
        free_from[road] = served + vehicles[i] / capacity[road]
        flow[road] += vehicles[i]
        delay[i] += served - reached
        node = end[road]
        if node >= zones:
            gone[i] = served
            continue
        link[i] = next_link[node, exits[i]]
        arrival[i] = served + hours[link[i]]
        if arrival[i] < until:
            heapq.heappush(queue, (arrival[i], i))


@njit(cache=True, nogil=True)
def load_trips(
    trips: NDArray[np.float64],
    order: NDArray[np.int32],
    last: NDArray[np.int32],
    start: NDArray[np.int64],
    volume: NDArray[np.float64],
) -> None:
    """Add trips, shape (origins, zones), to the volume of links; both are changed in place."""
    for origin in range(len(trips)):
        for k in range(len(order[origin]) - 1, 0, -1):
            zone = order[origin, k]
            count = trips[origin, zone]
            if count > 0:
                link = last[origin, zone]
                volume[link] += count
                trips[origin, start[link]] += count


@njit(cache=True, nogil=True)
def sum_ways(
    hours: NDArray[np.float64],
    order: NDArray[np.int32],
    last: NDArray[np.int32],
    start: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Sum the hours of the links on the way between zones, shape (origins, zones)."""
    total = np.zeros(order.shape, np.float64)
    for origin in range(len(order)):
        for k in range(1, len(order[origin])):
            zone = order[origin, k]
            link = last[origin, zone]
            total[origin, zone] = total[origin, start[link]] + hours[link]
    return total
