"""Shapes of zones in a plane: recorded outlines, or cells around their centres within land."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd
import shapely
from matplotlib.path import Path
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from memopolis.sim.world import shapes
from memopolis.sim.world.geometry import great_circle_km

FloatArray = NDArray[np.float64]

KM_PER_DEGREE = 111.32  # kilometres in a degree of latitude
LAND_DEGREES = 0.5  # degrees of land that are known around the zones
_REACH = 2
_ATTEMPTS = 40
_INSET = 0.02


@dataclass(frozen=True, eq=False)
class Cells:
    """Zones in a plane of kilometres, east and north of their middle."""

    lat: float  # latitude of the middle, degrees
    lon: float  # longitude of the middle, degrees
    outlines: tuple[BaseGeometry, ...]  # outline of each zone
    centres: FloatArray  # a point inside each zone, the zone's centre if possible, shape (zones, 2)
    land: BaseGeometry  # land around the zones; empty if they are not on land

    def __len__(self) -> int:
        return len(self.outlines)

    @property
    def km_per_degree(self) -> tuple[float, float]:
        """Kilometres of a degree east and north at the middle."""
        return KM_PER_DEGREE * float(np.cos(np.radians(self.lat))), KM_PER_DEGREE

    @cached_property
    def area(self) -> FloatArray:
        """Area of the zones, km2, shape (zones,)."""
        return np.array([one.area for one in self.outlines])

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Outlines to draw."""
        return tuple(draw_outline(one) for one in self.outlines)

    @cached_property
    def corners(self) -> FloatArray:
        """Corners of the box around all zones, shape (2, 2)."""
        bounds = np.array([one.bounds for one in self.outlines])
        return np.array([bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)])

    def plane(self, lat: FloatArray, lon: FloatArray) -> FloatArray:
        """Project points of the globe onto the plane, km, shape (points, 2)."""
        points = np.column_stack([lon, lat])
        return np.asarray((points - (self.lon, self.lat)) * self.km_per_degree)

    def within(self, zone: NDArray[np.intp], agent: NDArray[np.int64]) -> FloatArray:
        """Return positions of agents in a zone, km, (agents, 2); each agent always has the same.

        Zones are given by number, agents by unique_id.
        """
        places = self.centres[zone].copy()
        for number in np.unique(zone).tolist():
            outline = self._inner[number]
            west, south, east, north = outline.bounds
            left = np.flatnonzero(zone == number)
            for attempt in range(_ATTEMPTS):
                seeds = agent[left] + 2_000_003 * attempt
                x = west + (east - west) * spread(seeds)
                y = south + (north - south) * spread(seeds + 1_000_003)
                inside = shapely.contains_xy(outline, x, y)
                places[left[inside]] = np.column_stack([x, y])[inside]
                left = left[~inside]
                if not len(left):
                    break
        return places

    @cached_property
    def _inner(self) -> tuple[BaseGeometry, ...]:
        """Outlines without a margin, so that no dot is cut by a border."""
        inner = []
        for outline in self.outlines:
            smaller = outline.buffer(-_INSET * np.sqrt(outline.area))
            inner.append(outline if smaller.is_empty else smaller)
            shapely.prepare(inner[-1])
        return tuple(inner)


def draw_outline(outline: BaseGeometry) -> Path:
    """Return an outline as a path, whose holes are not filled."""
    return Path.make_compound_path(
        *(Path(ring, closed=True) for ring in shapes.list_rings(outline))
    )


def spread(number: NDArray[np.int64]) -> FloatArray:
    """Return a pseudo-random value in [0, 1) for each number."""
    mixed = np.asarray(number).astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) / 2**53)


def cells_of(zones: pd.DataFrame, outlines: pd.DataFrame | None = None, *, on_land: bool) -> Cells:
    """Compute the shapes of zones, at least one, from centres in degrees; cached.

    `outlines` have columns zone, ring, lon and lat, if recorded. With `on_land`, cells of zones
    without outlines are clipped to land.
    """
    lat, lon = (zones[name].to_numpy(np.float64).tobytes() for name in ("lat", "lon"))
    if outlines is None:
        return _cells(lat, lon, b"", on_land=on_land)
    recorded = outlines[["zone", "ring", "lon", "lat"]].to_numpy(np.float64)
    return _cells(lat, lon, recorded.tobytes(), on_land=on_land)


@lru_cache(maxsize=16)
def _cells(lat_bytes: bytes, lon_bytes: bytes, recorded: bytes, *, on_land: bool) -> Cells:
    lat, lon = np.frombuffer(lat_bytes), np.frombuffer(lon_bytes)
    middle = np.array([lon.min() + lon.max(), lat.min() + lat.max()]) / 2
    known = _join_outlines(np.frombuffer(recorded).reshape(-1, 4), len(lat))
    outlines = _compute_cells(lat, lon, on_land=on_land) if known is None else known
    bounds = np.array([outline.bounds for outline in outlines])
    low, high = bounds[:, :2].min(axis=0) - LAND_DEGREES, bounds[:, 2:].max(axis=0) + LAND_DEGREES
    land = shapes.find_land(*low, *high) if on_land else shapely.Polygon()
    scale = KM_PER_DEGREE * np.array([np.cos(np.radians(middle[1])), 1.0])

    def project(points: FloatArray) -> FloatArray:
        return np.asarray((points - middle) * scale)

    flat = tuple(shapely.transform(outline, project) for outline in outlines)
    centres = _move_inside(project(np.column_stack([lon, lat])), flat)
    return Cells(
        float(middle[1]), float(middle[0]), flat, centres, shapely.transform(land, project)
    )


def _join_outlines(recorded: FloatArray, zones: int) -> list[BaseGeometry] | None:
    """Return the recorded outlines; None if some zone has none."""
    outlines = []
    for zone in range(zones):
        rows = recorded[recorded[:, 0] == zone]
        rings = [rows[rows[:, 1] == ring, 2:] for ring in np.unique(rows[:, 1])]
        outline = shapes.join_rings(rings) if rings else None
        if outline is None or outline.is_empty:
            return None
        outlines.append(outline)
    return outlines


def _compute_cells(lat: FloatArray, lon: FloatArray, *, on_land: bool) -> list[BaseGeometry]:
    """Divide the surroundings of the centres, within land if there is any."""
    reach = _compute_reach(great_circle_km(lat[:, None], lon[:, None], lat, lon))
    discs = [shapes.circle(*one) for one in zip(lat, lon, reach, strict=True)]
    around = shapely.union_all(discs)
    if on_land:
        around = shapes.find_land(*around.bounds).intersection(around)
    return shapes.cells(lat, lon, around)


def _compute_reach(away: FloatArray) -> FloatArray:
    """Return the maximum radius of each cell: the distance to its second neighbour, else 1 km."""
    distance = np.sort(np.where(away > 1e-6, away, np.inf), axis=1)
    near = distance[:, : min(_REACH, distance.shape[1])]
    furthest = np.where(np.isfinite(near), near, -1.0).max(axis=1, initial=-1.0)
    return np.where(furthest > 0, furthest, 1.0)


def _move_inside(centres: FloatArray, outlines: Sequence[BaseGeometry]) -> FloatArray:
    """Replace centres outside their zones, such as in a harbour, by a point inside."""
    inside = shapely.contains_xy(list(outlines), *centres.T)
    inner = shapely.get_coordinates(shapely.point_on_surface(list(outlines)))
    return np.where(inside[:, None], centres, inner)
