"""Clearance time of Charleston as planners compute it: all leave within some hours.

    python benchmarks/clearance.py

Evacuees are drawn from the zones under Dorian's order in proportion to residents; they set out
evenly over the response time and choose their way as in the hurricane. Prints a Markdown table.
"""

import numpy as np

from memopolis.scenarios.hurricane.blocks.drive_out import weigh_exits
from memopolis.scenarios.hurricane.roads import read_roads
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.world.traffic import Traffic, Travellers

PEOPLE_PER_CAR = 2.0
"""Evacuees per vehicle: 2.5 people and 1.25 vehicles per household (computed, illustrative)."""
GROUP = 20
"""Vehicles that move together."""
STEP = 1.0
"""Hours between two choices of a route."""


def clear(share: float, response: float, *, contraflow: bool) -> tuple[float, float, float, float]:
    """Return the vehicles, the hours until 90% and all have left, and the mean delay in hours."""
    settings = HurricaneSettings()
    place = read_place("charleston")
    roads = read_roads(settings, place)
    ordered = place.table["ordered"].to_numpy(bool)
    people = share * np.where(ordered, place.population, 0)
    groups = np.round(people / PEOPLE_PER_CAR / GROUP).astype(int)
    zone = np.repeat(np.arange(len(place)), groups)
    rng = np.random.default_rng(1)
    start = rng.permutation(np.linspace(0, response, len(zone)))
    gain = settings.roads.contraflow if contraflow else 1.0
    traffic = Traffic(roads, hours=STEP, people=1)
    capacity = traffic.free_capacity(
        settings.roads.capacity * np.where(roads.reversible, gain, 1.0)
    )
    out = np.full(len(zone), np.nan)
    on = np.zeros(0, np.intp)
    travellers = Travellers(*(np.zeros(0, t) for t in ("i4", "f8", "f8", "i8", "f8")))
    delay, now = 0.0, 0.0
    while np.isnan(out).any():
        waits = traffic.waits(now, travellers, capacity)
        time, first = roads.find_ways_out(roads.hours + waits)
        new = np.flatnonzero((start >= now) & (start < now + STEP))
        weights = weigh_exits(roads, time[zone[new]], capacity, choice=settings.roads.choice)
        edges = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
        exits = (rng.uniform(size=(len(new), 1)) >= edges[:, :-1]).sum(axis=1)
        link = first[zone[new], exits]
        added = (link, start[new] + roads.hours[link], np.zeros(len(new)), exits,
                 np.full(len(new), float(GROUP)))  # fmt: skip
        names = ("link", "arrival", "delay", "exits", "vehicles")
        travellers = Travellers(
            *(np.r_[getattr(travellers, n), x] for n, x in zip(names, added, strict=True))
        )
        on = np.r_[on, new]
        now += STEP
        gone = traffic.advance(travellers, first, capacity, until=now)
        left = np.isfinite(gone)
        out[on[left]] = gone[left]
        delay += travellers.delay[left].sum()
        on = on[~left]
        travellers = Travellers(*(getattr(travellers, n)[~left] for n in names))
    return len(zone) * GROUP, float(np.quantile(out, 0.9)), float(out.max()), delay / len(zone)


if __name__ == "__main__":
    print("| leave | within | contraflow | vehicles | 90% out | all out | mean delay |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for share in (0.5, 0.75, 1.0):
        for response in (12.0, 24.0):
            for reverse in (False, True):
                vehicles, most, every, delay = clear(share, response, contraflow=reverse)
                print(
                    f"| {share:.0%} | {response:.0f} h | {'yes' if reverse else 'no'} | "
                    f"{vehicles:,} | {most:.0f} h | {every:.0f} h | {delay:.1f} h |"
                )
