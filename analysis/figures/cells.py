"""Compute the shapes of zones: Voronoi cells of their centres, within a maximum radius."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

KM_PER_DEGREE = 111.32
"""Kilometres in a degree of latitude."""
_CORNERS = 40
_NEIGHBOURS = 24
_REACH = 2


@dataclass(frozen=True, eq=False)
class Cells:
    """Zones in a plane of kilometres, east and north of their middle.

    Attributes:
        lat: Latitude of the middle, degrees.
        lon: Longitude of the middle, degrees.
        centres: Centres of the zones, shape (zones, 2).
        shapes: Corners of each zone's cell, shape (corners, 2) each.
        room: Radius of the disc around each centre inside its cell, km, shape (zones,).
        area: Area of the cells, km2, shape (zones,).
    """

    lat: float
    lon: float
    centres: FloatArray
    shapes: tuple[FloatArray, ...]
    room: FloatArray
    area: FloatArray

    def __len__(self) -> int:
        return len(self.shapes)

    @property
    def km_per_degree(self) -> tuple[float, float]:
        """Kilometres of a degree east and north at the middle."""
        return KM_PER_DEGREE * float(np.cos(np.radians(self.lat))), KM_PER_DEGREE

    def plane(self, lat: FloatArray, lon: FloatArray) -> FloatArray:
        """Project points of the globe onto the plane, km, shape (points, 2)."""
        return _plane(lat, lon, self.lat, self.lon)

    def within(self, zone: NDArray[np.intp], agent: NDArray[np.int64]) -> FloatArray:
        """Return positions of agents in a zone; each agent always has the same.

        Args:
            zone: Number of the zone, shape (agents,).
            agent: unique_id, shape (agents,).

        Returns:
            km, shape (agents, 2), inside the zones' cells.
        """
        far = 0.92 * np.sqrt(spread(agent)) * self.room[zone]
        turn = 2 * np.pi * spread(agent + 1_000_003)
        turned = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        return np.asarray(self.centres[zone] + far[:, None] * turned)


def spread(number: NDArray[np.int64]) -> FloatArray:
    """Return a pseudo-random value in [0, 1) for each number."""
    mixed = np.asarray(number).astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) / 2**53)


def cells_of(zones: pd.DataFrame) -> Cells:
    """Compute the cells of a table of zones; cached.

    Args:
        zones: Columns lat and lon, degrees, at least one row; centres may coincide.
    """
    lat, lon = (zones[name].to_numpy(np.float64) for name in ("lat", "lon"))
    return _cells(lat.tobytes(), lon.tobytes())


@lru_cache(maxsize=16)
def _cells(lat_bytes: bytes, lon_bytes: bytes) -> Cells:
    lat, lon = np.frombuffer(lat_bytes), np.frombuffer(lon_bytes)
    middle = (float(lat.min() + lat.max()) / 2, float(lon.min() + lon.max()) / 2)
    centres = _plane(lat, lon, *middle)
    away = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
    reach = _reaches(away)
    shapes = tuple(_cell(centres, away[i], i, reach[i]) for i in range(len(centres)))
    nearest = np.where(away > 1e-6, away, np.inf).min(axis=1)
    room = np.minimum(nearest / 2, reach)
    area = np.array([_area(shape) for shape in shapes])
    return Cells(*middle, centres, shapes, room, area)


def _plane(lat: FloatArray, lon: FloatArray, lat0: float, lon0: float) -> FloatArray:
    east = (lon - lon0) * KM_PER_DEGREE * np.cos(np.radians(lat0))
    return np.stack([east, (lat - lat0) * KM_PER_DEGREE], axis=1)


def _reaches(away: FloatArray) -> FloatArray:
    """Return the maximum radius of each cell: the distance to its second neighbour, else 1 km."""
    apart = np.sort(np.where(away > 1e-6, away, np.inf), axis=1)
    near = apart[:, : min(_REACH, apart.shape[1])]
    furthest = np.where(np.isfinite(near), near, -1.0).max(axis=1, initial=-1.0)
    return np.where(furthest > 0, furthest, 1.0)


def _cell(centres: FloatArray, away: FloatArray, i: int, reach: float) -> FloatArray:
    """Return a disc clipped by the perpendicular bisector to each neighbour."""
    turn = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
    corners: FloatArray = centres[i] + reach * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for j in np.argsort(away, kind="stable")[: _NEIGHBOURS + 1]:
        if 1e-6 < away[j] < 2 * reach:
            corners = _cut(corners, (centres[i] + centres[j]) / 2, centres[j] - centres[i])
    return corners


def _cut(corners: FloatArray, point: FloatArray, outwards: FloatArray) -> FloatArray:
    """Clip a convex shape by a line."""
    beyond = (corners - point) @ outwards
    following, after = np.roll(corners, -1, axis=0), np.roll(beyond, -1)
    kept: list[FloatArray] = []
    for corner, other, here, outside in zip(corners, following, beyond, after, strict=True):
        if here <= 0:
            kept.append(corner)
        if (here < 0 < outside) or (outside < 0 < here):
            kept.append(corner + (other - corner) * here / (here - outside))
    return np.array(kept)


def _area(corners: FloatArray) -> float:
    x, y = corners.T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)
