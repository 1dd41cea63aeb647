"""Plausible roads of a place without a table of roads, from its zones alone.

Streets join Gabriel neighbours: two zones whose centres are the ends of a diameter of a circle
without a third centre. These are a connected subset of the Delaunay neighbours without long edges
across water or empty land. All numbers are illustrative.

Source:
    Gabriel and Sokal 1969, doi:10.2307/2412323 (recalled).
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.world.geometry import bearing_deg
from memopolis.sim.world.place import Place

FloatArray = NDArray[np.float64]

URBAN_PER_KM2 = 300.0
"""Density from which zones are joined by a street with two lanes in each direction, in people per
square kilometre (illustrative)."""
STREET = 900.0
"""Vehicles per hour and lane of a street with signals: saturation flow of 1,900 times a share of
green of nearly one half (Highway Capacity Manual, recalled)."""
COUNTRY_ROAD = 1_200.0
"""Vehicles per hour of a lane of a two-lane road (Highway Capacity Manual, recalled, reduced)."""
HIGHWAY = 1_800.0
"""Vehicles per hour of a lane of a road out of the region (Highway Capacity Manual, recalled)."""
PEOPLE_PER_LANE = 55_000.0
"""Residents per lane out of the region (computed from the table of Charleston)."""
EXIT_KM, EXIT_KMH = 40.0, 85.0  # length and free speed of a road out of the region
SECTORS = 8  # directions in which there may be a road out of the region
DIRECTIONS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")


def derive_streets(place: Place) -> pd.DataFrame:
    """Join neighbouring zones by streets, one row per direction, as in a table of roads."""
    first, second = find_neighbours(place.lat, place.lon)
    start, end = np.r_[first, second], np.r_[second, first]
    with np.errstate(divide="ignore", invalid="ignore"):
        density = np.nan_to_num(place.population / place.land_km2, nan=URBAN_PER_KM2, posinf=0)
    is_urban = np.sqrt(density[start] * density[end]) >= URBAN_PER_KM2
    lanes = np.where(is_urban, 2.0, 1.0)
    zones = np.array(place.zones, object)
    # Zones may share a centre; the least length keeps times above 0.
    return pd.DataFrame(
        {
            "from": zones[start],
            "to": zones[end],
            "km": np.maximum(place.distance_km[start, end] * place.detour, 0.1),
            "kmh": 2 / (1 / place.speed_kmh[start] + 1 / place.speed_kmh[end]),
            "lanes": lanes,
            "vehicles_per_hour": np.where(is_urban, lanes * STREET, COUNTRY_ROAD),
        }
    )


def find_neighbours(lat: FloatArray, lon: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the Gabriel neighbours among points, in degrees: the two points of each pair, once."""
    from scipy.spatial import Delaunay

    if len(lat) < 2:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    points = np.column_stack([lon * np.cos(np.radians(lat.mean())), lat])
    if len(lat) < 4:
        one, other = np.triu_indices(len(lat), 1)
    else:
        # Joggled input also triangulates points on a line; its joggle is the same every time.
        triangles = Delaunay(points, qhull_options="QJ").simplices
        edges = np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, ::2]]))
        one, other = np.unique(edges, axis=0).T
    squares = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    third = squares[one] + squares[other]
    third[np.arange(len(one)), one] = third[np.arange(len(one)), other] = np.inf
    kept = third.min(axis=1, initial=np.inf) >= squares[one, other] * (1 - 1e-9)
    return one[kept], other[kept]


def derive_exits(place: Place) -> pd.DataFrame:
    """Lead a road out of the region in each direction that does not face the sea.

    The outermost zone of each eighth of the compass, seen from the centre of the population, has an
    exit, unless the zone is nearer to the sea than the mean resident. Lanes follow the population;
    contraflow reverses those of the exit nearest to the centre.
    """
    weight = place.population / place.population.sum()
    centre = float(weight @ place.lat), float(weight @ place.lon)
    towards = bearing_deg(*centre, place.lat, place.lon)
    sector = np.floor((towards + 180 / SECTORS) / (360 / SECTORS)).astype(np.intp) % SECTORS
    scale = np.array([1.0, np.cos(np.radians(centre[0]))])
    offset = (np.column_stack([place.lat, place.lon]) - centre) * scale
    distance = np.hypot(*offset.T)
    inland = _is_inland(place, weight)
    candidates = [np.flatnonzero((sector == one) & inland) for one in range(SECTORS)]
    outermost = {
        one: zones[distance[zones].argmax()] for one, zones in enumerate(candidates) if len(zones)
    }
    zones = np.array(list(outermost.values()), np.intp)
    lanes = max(1.0, float(np.round(place.population.sum() / PEOPLE_PER_LANE / len(zones))))
    main = distance[zones].argmin()
    return pd.DataFrame(
        {
            "from": np.array(place.zones, object)[zones],
            "to": [f"outside {DIRECTIONS[one]}" for one in outermost],
            "km": EXIT_KM,
            "kmh": EXIT_KMH,
            "lanes": lanes,
            "vehicles_per_hour": lanes * HIGHWAY,
            "reversible": (np.arange(len(zones)) == main).astype(int),
            "name": "",
        }
    )


def _is_inland(place: Place, weight: FloatArray) -> NDArray[np.bool_]:
    """Return whether each zone is at least as far from the sea as the mean resident."""
    every = np.ones(len(place), bool)
    if "coast_km" not in place.table:
        return every
    coast = pd.to_numeric(place.table["coast_km"], errors="coerce").to_numpy(np.float64)
    if not np.isfinite(coast).all():
        return every
    inland = coast >= weight @ coast
    return np.asarray(inland if inland.any() else every)
