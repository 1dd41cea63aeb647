"""Create the tables of roads of Charleston and Columbia: `python tools/data/make_roads.py`.

The roads are in main_roads.csv. Lengths are straight distances between centres of zones times
`DETOUR`; speeds and capacities follow from the kind of road.
"""

from itertools import pairwise
from pathlib import Path

import pandas as pd

from memopolis.sim.world.geometry import great_circle_km

FOLDER = Path(__file__).parent
PLACES = FOLDER.parents[1] / "scenarios" / "places"
DETOUR = 1.2  # road distance over straight distance on main roads (illustrative)

KINDS = {
    "freeway": (105, 2_000),
    "highway": (85, 1_600),
    "street": (55, 900),
    "country road": (75, 1_200),
}
"""Free speed, km/h, and vehicles per hour and lane by kind of road; capacities from the Highway
Capacity Manual, recalled, reduced for trucks, ramps and signals."""


def make_roads(place: str, roads: pd.DataFrame) -> pd.DataFrame:
    """Return one row per direction of each stretch between two zones, and per way out.

    Parallel roads are one row: the length and speed of the fastest, and the sum of the lanes.
    """
    zones = pd.read_csv(PLACES / place / "zones.csv", dtype={"zone": str}).set_index("zone")
    rows = []
    for road in roads.to_dict("records"):
        kmh, capacity = KINDS[road["kind"]]
        nodes = road["stops"].split("; ")
        ways = [*pairwise(nodes), *((other, one) for one, other in pairwise(nodes))]
        for one, other in ways:
            if one.startswith("outside"):
                continue
            label, _, length = other.partition(": ")
            km = float(length or 0)
            if not length:
                begin, end = zones.loc[one], zones.loc[other]
                km = DETOUR * float(great_circle_km(begin.lat, begin.lon, end.lat, end.lon))
            inland = road["reversible"] and nodes.index(one) < nodes.index(other)
            rows.append(
                {
                    "from": one, "to": label, "km": round(km, 1), "kmh": kmh,
                    "lanes": road["lanes"],
                    "vehicles_per_hour": road["lanes"] * capacity, "reversible": int(inland),
                    "name": road["name"],
                }
            )  # fmt: skip
    table = pd.DataFrame(rows)
    merged = table.groupby(["from", "to"], sort=False)
    summed = merged[["lanes", "vehicles_per_hour"]].sum().reset_index()
    first = table.sort_values("kmh", ascending=False, kind="stable").drop_duplicates(["from", "to"])
    first = first.drop(columns=["lanes", "vehicles_per_hour"])
    names = merged["name"].agg(" and ".join).reset_index()
    return summed.merge(first.drop(columns="name")).merge(names)[list(table.columns)]


if __name__ == "__main__":
    main_roads = pd.read_csv(FOLDER / "main_roads.csv", comment="#")
    for place in ("charleston", "columbia"):
        roads = make_roads(place, main_roads[main_roads["place"] == place])
        roads.to_csv(PLACES / place / "roads.csv", index=False)
