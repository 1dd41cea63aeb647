"""Draw land and water behind a map."""

from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from memopolis.sim.world.land import outlines

type FloatArray = NDArray[np.float64]

WATER = "#DCE8F0"
LAND: dict[str, Any] = {"facecolor": "#F6F4EF", "edgecolor": "#8C9AA3", "linewidth": 0.8}
_MARGIN = 0.5
"""Degrees of land kept around a map, so that the edges of clipped outlines are not visible."""


def is_on_land(lat: FloatArray, lon: FloatArray) -> bool:
    """Return whether most points are on land; the zones of an invented place may be in the sea.

    Args:
        lat: Degrees north, shape (points,).
        lon: Degrees east, shape (points,).
    """
    points = np.column_stack([lon, lat])
    on_land = np.zeros(len(points), np.bool_)
    for ring in _land_around(points, _MARGIN):
        on_land |= Outline(ring).contains_points(points)
    return bool(on_land.mean() > 0.5)


def draw_land(axes: Axes, origin: tuple[float, float], units: tuple[float, float]) -> PathPatch:
    """Draw land and water within the limits of axes; return the land, to clip other parts.

    `origin` are degrees of the position (0, 0), `units` those of the axes per degree.
    """
    corners = np.column_stack([axes.get_xlim(), axes.get_ylim()]) / units + origin
    rings = _land_around(corners, _MARGIN)
    shapes = (Outline((ring - origin) * units, closed=True) for ring in rings)
    land = PathPatch(Outline.make_compound_path(*shapes), zorder=0.5, **LAND)
    axes.set_facecolor(WATER)
    axes.add_artist(land)  # as a patch it would change the limits
    return land


def _land_around(points: FloatArray, degrees: float) -> tuple[FloatArray, ...]:
    low, high = points.min(axis=0) - degrees, points.max(axis=0) + degrees
    return _land_within(*low.tolist(), *high.tolist())


@lru_cache(maxsize=16)
def _land_within(west: float, south: float, east: float, north: float) -> tuple[FloatArray, ...]:
    """Return the outlines of the land in a box, clipped to it."""
    sides = ((0, 1, west), (1, 1, south), (0, -1, east), (1, -1, north))
    within = []
    for outline in outlines():
        ring = outline
        for axis, sign, limit in sides:
            ring = _cut(ring, sign * (ring[:, axis] - limit))
        if len(ring):
            within.append(np.append(ring, ring[:1], axis=0))  # a closed path ends at its start
    return tuple(within)


def _cut(ring: FloatArray, inside: FloatArray) -> FloatArray:
    """Keep the part of a polygon where a linear function of its corners is at least 0.

    Source:
        I. E. Sutherland, G. W. Hodgman (1974), Reentrant polygon clipping,
        doi:10.1145/360767.360802.
    """
    if not len(ring) or inside.max() < 0:
        return ring[:0]
    if inside.min() >= 0:
        return ring
    following, then = np.roll(ring, -1, axis=0), np.roll(inside, -1)
    crosses = (inside >= 0) != (then >= 0)
    share = inside / np.where(crosses, inside - then, 1.0)
    both = np.stack([ring, ring + (following - ring) * share[:, None]], axis=1).reshape(-1, 2)
    kept: FloatArray = both[np.stack([inside >= 0, crosses], axis=1).reshape(-1)]
    return kept
