"""Draw people on the map: a sample as dots, and arrows for moves between zones."""

from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from memopolis.analysis.figures.cells import Cells, spread
from memopolis.analysis.figures.place_now import AWAY, PlaceNow
from memopolis.analysis.figures.style import INK

type FloatArray = NDArray[np.float64]

DOTS = 400  # maximum number of people drawn as dots
FLOWS = 24  # maximum number of arrows
MOVES = "#A3307F"
"""Colour of arrows, darker than all shades of zones."""

_CHOSEN = 7_000_003  # the choice is independent of position
_HALO = [withStroke(linewidth=2, foreground="white")]


def drawn_people(now: PlaceNow) -> NDArray[np.intp]:
    """Choose rows of `now.people` to draw as dots, at most `DOTS`; the same in every step."""
    drawn = spread(now.people["agent"].to_numpy().astype(np.int64) + _CHOSEN)
    if len(drawn) <= DOTS:
        return np.arange(len(drawn))
    return np.sort(np.argpartition(drawn, DOTS)[:DOTS])


def dots_of(axes: Axes, now: PlaceNow) -> list[Any]:
    """Draw a sample of people; return handles for the legend."""
    rows = drawn_people(now)
    rows = rows[now.where[rows] >= 0]
    if not len(rows):
        return []
    places = now.cells.within(now.where[rows], now.people["agent"].to_numpy(np.int64)[rows])
    x, y = places.T
    axes.scatter(x, y, s=9, c=INK, edgecolors="white", linewidths=0.5, zorder=4)
    of = f"{len(rows):,} of {int(now.here.sum()):,} {now.noun}"
    return [Line2D([], [], ls="", marker="o", ms=4.5, color=INK, mec="white", label=of)]


def arrows_of(axes: Axes, now: PlaceNow) -> list[Any]:
    """Draw arrows for the largest flows between zones; return handles for the legend."""
    flows = now.flows[:FLOWS]
    if flows.empty:
        return []
    most = int(flows["people"].max())
    columns = (flows[name].tolist()[::-1] for name in ("start", "end", "people"))
    for start, end, people in zip(*columns, strict=True):
        tail, head = _ends(axes, now, start, end)
        thick = 0.8 + 2.2 * np.sqrt(people / most)
        # Curved, so that both directions are visible.
        arrow = FancyArrowPatch(
            tail, head, connectionstyle="arc3,rad=0.16", arrowstyle="-|>", color=MOVES,
            linewidth=thick, mutation_scale=6 + 1.5 * thick, shrinkA=0, shrinkB=0,
            path_effects=_HALO, zorder=4.5, clip_on=True,
        )  # fmt: skip
        axes.add_patch(arrow)
    some = f"{len(flows)} largest moves" if len(now.flows) > FLOWS else "moves"
    label = f"{some}, up to {most:,} {'person' if most == 1 else 'people'}"
    return [Line2D([], [], color=MOVES, lw=2.6, marker=">", markevery=[1], ms=6, label=label)]


def _ends(
    axes: Axes, now: PlaceNow, start: int, end: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return tail and head of an arrow; moves out of the region start or end outside the map."""
    zone = end if start == AWAY else start
    centre = now.cells.centres[zone]
    west, east = axes.get_xlim()
    outside = find_outside(now.cells, centre, (east - west) * 0.1)
    tail = outside if start == AWAY else centre
    head = outside if end == AWAY else now.cells.centres[end]
    return (float(tail[0]), float(tail[1])), (float(head[0]), float(head[1]))


def find_outside(cells: Cells, centre: FloatArray, far: float) -> FloatArray:
    """Return a point at a distance from a zone: outwards, or in the nearest direction over land."""
    away = float(np.hypot(*centre))
    outwards = np.arctan2(*centre[::-1]) if away > 1e-6 else np.pi / 2
    turn = outwards + np.array([0, *(side * step for step in range(1, 13) for side in (1, -1))]) * (
        np.pi / 12
    )
    ahead = centre + far * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    # Half-way too, so that no arrow leads across a bay.
    half = (centre + ahead) / 2
    dry = shapely.contains_xy(cells.land, *ahead.T) & shapely.contains_xy(cells.land, *half.T)
    return np.asarray(ahead[int(np.argmax(dry))])
