"""Create the tables of roads of Charleston and Columbia.

    python scenarios/places/make_roads.py

Which zones a road joins, its class and its lanes are recalled from general knowledge of the region
and not checked against a map. Lengths are straight distances between centres of zones times
`DETOUR`; speeds and capacities follow from the class.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pandas as pd

from memopolis.sim.world.geometry import great_circle_km

FOLDER = Path(__file__).parent
DETOUR = 1.2  # road distance over straight distance on main roads (illustrative)


@dataclass(frozen=True)
class Kind:
    """Class of a road: free speed, km/h, and vehicles per hour and lane."""

    kmh: float
    capacity: float


# Capacities: Highway Capacity Manual, recalled, reduced for trucks, ramps and signals.
FREEWAY = Kind(105, 2_000)
HIGHWAY = Kind(85, 1_600)
STREET = Kind(55, 900)
COUNTRY = Kind(75, 1_200)

# name, class, lanes per direction, zones along the road; "outside ..." ends an evacuation route,
# with kilometres to the next interstate or town beyond the region. "*" marks reversible lanes:
# I-26 from I-526 to I-77 in South Carolina's plan (found: press of 2018 and 2019).
CHARLESTON = (
    ("I-26", FREEWAY, 3, "29403 29405"),
    ("I-26 *", FREEWAY, 3, "29405 29418 29456"),
    ("I-26 *", FREEWAY, 2, "29456 29483 outside-I-26-to-Columbia:45"),
    ("I-526", FREEWAY, 2, "29414 29404 29405 29410 29492 29464"),
    ("US-17 Ravenel Bridge", HIGHWAY, 4, "29464 29403"),
    ("US-17 North", HIGHWAY, 3, "29464 29466"),
    ("US-17 North", HIGHWAY, 2, "29466 29429 outside-US-17-to-Georgetown:60"),
    ("US-17 Ashley River", STREET, 4, "29403 29407"),
    ("US-17 Savannah Highway", STREET, 3, "29407 29414"),
    ("US-17 South", HIGHWAY, 2, "29414 29470 29426 outside-US-17-to-Savannah:55"),
    ("US-52 Rivers Avenue", STREET, 3, "29405 29406 29445"),
    ("US-52", HIGHWAY, 2, "29445 29461 outside-US-52-to-Florence:60"),
    ("US-78", STREET, 2, "29406 29456"),
    ("US-78", COUNTRY, 1, "29485 outside-US-78-to-Aiken:45"),
    ("US-176", COUNTRY, 1, "29445 outside-US-176-to-Holly-Hill:45"),
    ("US-17A", STREET, 2, "29445 29483 29485"),
    ("US-17A", HIGHWAY, 2, "29461 29483"),
    ("SC-41", COUNTRY, 1, "29492 29450 outside-SC-41-to-Jamestown:35"),
    ("SC-41", COUNTRY, 1, "29466 29450"),
    ("SC-402", COUNTRY, 1, "29450 29434 29461"),
    ("SC-61", COUNTRY, 1, "29414 29485"),
    ("SC-165", COUNTRY, 1, "29485 29470 29449"),
    ("SC-162", COUNTRY, 1, "29414 29449 29426"),
    ("SC-174", COUNTRY, 1, "29426 29438"),
    ("SC-642 Dorchester Road", STREET, 2, "29405 29418 29420 29485"),
    ("Dorchester Road", STREET, 2, "29404 29418"),
    ("Ladson Road", STREET, 2, "29456 29485"),
    ("Ashley Phosphate Road", STREET, 2, "29406 29418"),
    ("Lincolnville Road", STREET, 1, "29420 29456"),
    ("Remount Road", STREET, 2, "29404 29406"),
    ("North Rhett Avenue", STREET, 2, "29406 29410 29445"),
    ("SC-7 Cosgrove Bridge", STREET, 2, "29405 29407"),
    ("King and Meeting Streets", STREET, 3, "29401 29403"),
    ("SC-30 James Island Connector", FREEWAY, 2, "29401 29412"),
    ("Ashley River Bridge", STREET, 2, "29401 29407"),
    ("SC-171 Folly Road", STREET, 2, "29412 29407"),
    ("SC-700 Maybank Highway", STREET, 2, "29412 29455"),
    ("SC-700 Maybank Highway", COUNTRY, 1, "29455 29487"),
    ("Main Road", COUNTRY, 1, "29455 29414"),
    ("SC-517 Isle of Palms Connector", HIGHWAY, 2, "29451 29464"),
    ("SC-703 Ben Sawyer Bridge", COUNTRY, 1, "29464 29482 29451"),
)
COLUMBIA = (
    ("I-26", FREEWAY, 2, "outside-I-26-to-Spartanburg:40 29036 29063"),
    ("I-26", FREEWAY, 3, "29063 29212 29210 29169"),
    ("I-26", FREEWAY, 2, "29169 29170 29172 29053 outside-I-26-to-Charleston:40"),
    ("I-20", FREEWAY, 2, "outside-I-20-to-Augusta:45 29070 29054 29073 29169"),
    ("I-20", FREEWAY, 3, "29210 29203 29223"),
    ("I-20", FREEWAY, 2, "29223 29045 29078 outside-I-20-to-Florence:45"),
    ("I-77", FREEWAY, 3, "29033 29209 29206 29223 29016"),
    ("I-77", FREEWAY, 2, "29016 29130 outside-I-77-to-Charlotte:45"),
    ("I-126", FREEWAY, 3, "29201 29210"),
    ("SC-277", HIGHWAY, 2, "29204 29203"),
    ("US-1 Two Notch Road", STREET, 2, "29201 29204 29223 29229 29045"),
    ("US-76 and US-378", STREET, 3, "29205 29209"),
    ("US-76 and US-378", HIGHWAY, 2, "29209 29061 29044 outside-US-378-to-Sumter:35"),
    ("SC-48 Bluff Road", STREET, 2, "29201 29209"),
    ("SC-48 Bluff Road", COUNTRY, 1, "29061 29052 29044"),
    ("US-21", STREET, 2, "29201 29203"),
    ("US-21", COUNTRY, 1, "29203 29016"),
    ("Gervais Street", STREET, 3, "29201 29169"),
    ("Blossom Street", STREET, 2, "29201 29033"),
    ("Devine Street", STREET, 2, "29201 29205 29206"),
    ("Millwood Avenue", STREET, 2, "29205 29204 29206"),
    ("Charleston Highway", STREET, 2, "29169 29033 29172"),
    ("US-321", HIGHWAY, 2, "29172 29053 29160"),
    ("US-321", COUNTRY, 1, "29160 outside-US-321-to-Savannah:50"),
    ("US-1 and US-378", STREET, 2, "29169 29072"),
    ("US-1 and US-378", COUNTRY, 1, "29072 29054 29070"),
    ("SC-6", STREET, 1, "29073 29072 29063"),
    ("Corley Mill Road", STREET, 1, "29072 29212"),
    ("SC-302", COUNTRY, 1, "29170 29123 outside-SC-302-to-Aiken:45"),
    ("SC-602", STREET, 1, "29073 29170 29033"),
    ("SC-178", COUNTRY, 1, "29054 29123 29160"),
)


def make_roads(place: str, roads: tuple[tuple[str, Kind, int, str], ...]) -> pd.DataFrame:
    """Return one row per direction of each stretch between two zones, and per way out.

    Parallel roads are one row: the length and speed of the fastest, and the sum of the lanes.
    """
    zones = pd.read_csv(FOLDER / place / "zones.csv", dtype={"zone": str}).set_index("zone")
    rows = []
    for name, kind, lanes, stops in roads:
        nodes = stops.split()
        ways = [*pairwise(nodes), *((other, one) for one, other in pairwise(nodes))]
        for one, other in ways:
            if one.startswith("outside"):
                continue
            label, _, length = other.partition(":")
            if length:
                km = float(length)
                label = "outside " + label.removeprefix("outside-").replace("-to-", " to ")
            else:
                begin, end = zones.loc[one], zones.loc[other]
                km = DETOUR * float(great_circle_km(begin.lat, begin.lon, end.lat, end.lon))
            inland = name.endswith("*") and nodes.index(one) < nodes.index(other)
            rows.append(
                {
                    "from": one, "to": label.replace("Holly-Hill", "Holly Hill"),
                    "km": round(km, 1), "kmh": kind.kmh, "lanes": lanes,
                    "vehicles_per_hour": lanes * kind.capacity, "reversible": int(inland),
                    "name": name.removesuffix(" *"),
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
    for place, roads in (("charleston", CHARLESTON), ("columbia", COLUMBIA)):
        make_roads(place, roads).to_csv(FOLDER / place / "roads.csv", index=False)
