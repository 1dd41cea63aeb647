"""Draw land and water behind a map."""

from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from memopolis.sim.world.shapes import clip_outlines, list_rings

type FloatArray = NDArray[np.float64]

WATER = "#DCE8F0"
LAND: dict[str, Any] = {"facecolor": "#F6F4EF", "edgecolor": "#8C9AA3", "linewidth": 0.8}
_MARGIN = 0.5
"""Degrees of land kept around a map, so that the edges of clipped outlines are not visible."""


def is_on_land(lat: FloatArray, lon: FloatArray) -> bool:
    """Return whether most points are on land; the zones of an invented place may be in the sea.

    Coordinates are degrees north and east, shape (points,).
    """
    land = _land_around(np.column_stack([lon, lat]))
    on_land = [shapely.contains_xy(one, lon, lat) for one in land]
    return bool(np.any([np.zeros(len(lat)), *on_land], axis=0).mean() > 0.5)


def draw_land(axes: Axes, origin: tuple[float, float], units: tuple[float, float]) -> PathPatch:
    """Draw land and water within the limits of axes; return the land, to clip other parts.

    `origin` are degrees of the position (0, 0), `units` those of the axes per degree.
    """
    corners = np.column_stack([axes.get_xlim(), axes.get_ylim()]) / units + origin
    rings = [ring for one in _land_around(corners) for ring in list_rings(one)]
    shapes = (Outline((ring - origin) * units, closed=True) for ring in rings)
    land = PathPatch(Outline.make_compound_path(*shapes), zorder=0.5, **LAND)
    axes.set_facecolor(WATER)
    axes.add_artist(land)  # as a patch it would change the limits
    return land


def _land_around(points: FloatArray) -> tuple[BaseGeometry, ...]:
    low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    return _land_within(*low.tolist(), *high.tolist())


@lru_cache(maxsize=16)
def _land_within(*box: float) -> tuple[BaseGeometry, ...]:
    return tuple(clip_outlines(*box))
