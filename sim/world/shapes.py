"""Outlines of zones, cells around their centres clipped to land, and of all land and coasts."""

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.world.geometry import EARTH_RADIUS_KM, moved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry


FloatArray = NDArray[np.float64]

KM_PER_DEGREE = float(np.radians(1.0) * EARTH_RADIUS_KM)
MARGIN_KM = 15.0
"""Largest distance of an outline from the nearest centre of a zone, where no border is known
(illustrative)."""
LEAST_KM = 0.3  # radius of the outline of a zone whose cell has no land
DIGITS = 5  # decimal places of coordinates, about 1 m
_FILE = Path(__file__).parent / "data" / "land.npz"
_UNITS_PER_DEGREE = 1_000


def cells(lat: FloatArray, lon: FloatArray, land: "BaseGeometry") -> "list[BaseGeometry]":
    """Divide land among zones by nearest centre (Voronoi cells), all in degrees.

    A zone without land gets a small circle.

    Source: Voronoi diagrams as implemented in GEOS; F. Aurenhammer 1991, doi:10.1145/116873.116880.
    """
    import shapely
    from shapely import affinity

    narrow = float(np.cos(np.radians(lat.mean())))
    points = _separate(np.column_stack([lon * narrow, lat]))
    # Compass directions and distances are right only in a plane.
    plane = affinity.scale(land, narrow, 1.0, origin=(0, 0))
    if len(points) == 1:
        parts = [plane]
    else:
        extent = shapely.box(*plane.buffer(1.0).bounds)
        diagram = shapely.voronoi_polygons(
            shapely.MultiPoint(points), extend_to=extent, ordered=True
        )
        parts = [cell.intersection(plane) for cell in diagram.geoms]
    own = []
    for (north, east), part in zip(np.column_stack([lat, lon]), parts, strict=True):
        shape = keep_areas(affinity.scale(part, 1 / narrow, 1.0, origin=(0, 0)))
        own.append(circle(north, east, LEAST_KM) if shape.is_empty else shape)
    return own


def _separate(points: FloatArray) -> FloatArray:
    """Move points that coincide with earlier ones by some 200 m."""
    moved_points = points.copy()
    _, first, number = np.unique(points.round(5), axis=0, return_index=True, return_inverse=True)
    for at in np.setdiff1d(np.arange(len(points)), first):
        earlier = int((number[:at] == number[at]).sum())
        moved_points[at] += 0.002 * earlier * np.array([np.cos(at), np.sin(at)])
    return moved_points


def keep_areas(shape: "BaseGeometry") -> "BaseGeometry":
    """Drop the points and lines that a clipped outline may contain."""
    import shapely

    parts = [part for part in shapely.get_parts(shape) if part.geom_type.endswith("Polygon")]
    return parts[0] if len(parts) == 1 else shapely.union_all(parts)


def list_rings(shape: "BaseGeometry") -> list[FloatArray]:
    """Return the rings of an outline: counter-clockwise, and holes clockwise; (points, 2) each."""
    import shapely

    rings = []
    for part in shapely.get_parts(shape).tolist():
        oriented = shapely.orient_polygons(part)
        rings += [shapely.get_coordinates(ring) for ring in shapely.get_rings(oriented).tolist()]
    return rings


def join_rings(rings: "Sequence[FloatArray]") -> "BaseGeometry":
    """Return the outline with some rings; a ring within another one is a hole."""
    import shapely

    return shapely.build_area(shapely.MultiLineString([ring for ring in rings if len(ring) > 3]))


def circle(lat: float, lon: float, km: float) -> "BaseGeometry":
    """Return a circle around a point, in degrees."""
    import shapely

    turn = np.linspace(0, 2 * np.pi, 33)
    north, east = moved(lat, lon, km * np.sin(turn), km * np.cos(turn))
    return shapely.Polygon(np.column_stack([east, north]))


def find_land(west: float, south: float, east: float, north: float) -> "BaseGeometry":
    """Return the land of the shipped outlines within a box, in degrees."""
    import shapely

    # Outlines of neighbours may overlap by the rounding of their coordinates.
    return shapely.union_all(clip_outlines(west, south, east, north))


def clip_outlines(west: float, south: float, east: float, north: float) -> "list[BaseGeometry]":
    """Return each shipped outline of land within a box, in degrees, with borders on land."""
    import shapely

    near = [
        ring
        for ring in outlines()
        if (ring.max(axis=0) > (west, south)).all() and (ring.min(axis=0) < (east, north)).all()
    ]
    return [
        shapely.clip_by_rect(shapely.Polygon(ring).buffer(0), west, south, east, north)
        for ring in near
    ]


def find_land_around(lat: FloatArray, lon: FloatArray, km: float) -> "BaseGeometry":
    """Return the land within a distance of points, in degrees."""
    import shapely

    discs = shapely.union_all(
        [circle(north, east, km) for north, east in zip(lat, lon, strict=True)]
    )
    return find_land(*discs.bounds).intersection(discs)


def measure_km2(shapes: "Sequence[BaseGeometry]") -> FloatArray:
    """Measure the areas of outlines in degrees, square kilometres, shape (zones,)."""
    from shapely import affinity

    areas = []
    for shape in shapes:
        narrow = float(np.cos(np.radians(shape.centroid.y)))
        areas.append(affinity.scale(shape, narrow, 1.0, origin=(0, 0)).area * KM_PER_DEGREE**2)
    return np.array(areas)


def find_sea_bearing(lat: float, lon: float, *, km: float = 60.0) -> float | None:
    """Find the compass direction of most of the sea around a point; None without sea."""
    import shapely

    turn, far = np.meshgrid(np.radians(np.arange(0, 360, 5)), np.linspace(km / 12, km, 12))
    north, east = moved(lat, lon, far * np.sin(turn), far * np.cos(turn))
    # Points on the edge of the box would not be within it.
    land = find_land(east.min() - 0.1, north.min() - 0.1, east.max() + 0.1, north.max() + 0.1)
    at_sea = ~shapely.contains_xy(land, east.ravel(), north.ravel())
    if not at_sea.any():
        return None
    x, y = np.sin(turn.ravel())[at_sea].sum(), np.cos(turn.ravel())[at_sea].sum()
    return float(np.round(np.degrees(np.arctan2(x, y)) % 360))


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
