"""Outlines of all land and the coasts of the sea, for maps and distances."""

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.world.geometry import EARTH_RADIUS_KM

FloatArray = NDArray[np.float64]

_FILE = Path(__file__).parent / "data" / "land.npz"
_UNITS_PER_DEGREE = 1_000


@cache
def outlines() -> tuple[FloatArray, ...]:
    """Read the outlines of all land: degrees east and north, shape (points, 2) each."""
    points, starts, _ = _read()
    return tuple(points[a:b] for a, b in pairwise(starts))


@cache
def coasts() -> FloatArray:
    """Return the lines of all coasts of the sea, without land borders and lakes.

    Degrees east and north of both ends, shape (lines, 2, 2). Lines across the meridian of 180
    degrees end beyond it.
    """
    points, _, coast = _read()
    start = np.flatnonzero(coast)
    along = points[start + 1] - points[start]
    along[:, 0] = _wrap(along[:, 0])
    return np.stack([points[start], points[start] + along], axis=1)


def measure_coast_km(lat: FloatArray, lon: FloatArray) -> FloatArray:
    """Measure the distance of points, in degrees, to the nearest coast of the sea, in kilometres.

    Each point has a plane of its own, in which distances of some hundred kilometres are exact
    within one percent. The outlines themselves are coarser; see data/README.md.
    """
    km = np.radians(1.0) * EARTH_RADIUS_KM
    lines = coasts()
    nearest = np.empty(len(lat))
    for at, (north, east) in enumerate(zip(lat, lon, strict=True)):
        scale = np.array([np.cos(np.radians(north)) * km, km])
        start = lines[:, 0] - (east, north)
        start[:, 0] = _wrap(start[:, 0])
        start, along = start * scale, (lines[:, 1] - lines[:, 0]) * scale
        length = np.maximum((along**2).sum(axis=1), 1e-12)
        share = np.clip(-(start * along).sum(axis=1) / length, 0.0, 1.0)
        nearest[at] = np.hypot(*(start + share[:, None] * along).T).min()
    return nearest


def _wrap(degrees: FloatArray) -> FloatArray:
    """Return differences of longitudes within -180 and 180 degrees."""
    return (degrees + 180.0) % 360.0 - 180.0


@cache
def _read() -> tuple[FloatArray, NDArray[np.int64], NDArray[np.bool_]]:
    """Return the points of all outlines, where each begins, and which lines are coasts."""
    with np.load(_FILE) as shipped:
        points = np.cumsum(shipped["steps"], axis=0) / _UNITS_PER_DEGREE
        coast = np.unpackbits(shipped["coast"])[: len(points)].astype(bool)
        return points, shipped["starts"], coast
