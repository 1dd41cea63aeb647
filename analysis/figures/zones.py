"""A map of the zones: population and evacuated share."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from memopolis.analysis.figures.style import INK, canvas, percent

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

_NAMED = 20
_SIZE = 7.5
_WIDE = 4.2
_FEWEST = 5


def evacuated_by_zone(run: "Run") -> Figure:
    """Draw the zones on a map, with area by population and colour by evacuated share."""
    zones, people = run.zones, run.agents
    last = people[people["tick"] == people["tick"].max()]
    by_home = last.groupby("home")["evacuated"].agg(["mean", "size"]).reindex(range(len(zones)))
    figure, (axes,) = canvas(
        "Evacuated share by zone",
        "share of citizens who left because of the storm;  area: population; "
        f"hollow: fewer than {_FEWEST} citizens",
        height=6.2,
    )
    known = (by_home["size"] >= _FEWEST).to_numpy()
    colours, scale = colormaps["YlGnBu"], Normalize(0, 1)
    face = colours(scale(np.nan_to_num(by_home["mean"].to_numpy())))
    face[~known] = (1, 1, 1, 1)
    population = zones["population"].to_numpy()
    area = population / population.max() * 1_400 + 14
    # The largest first, so that no zone hides a smaller one.
    order = np.argsort(-population)
    x, y = zones["lon"].to_numpy(), zones["lat"].to_numpy()
    axes.scatter(
        x[order], y[order], s=area[order], c=face[order], edgecolors="#777777", linewidths=0.7
    )
    axes.set_aspect(1 / np.cos(np.radians(y.mean())))
    axes.margins(0.09)
    axes.set_xlabel("longitude, degrees")
    axes.set_ylabel("latitude, degrees")
    bar = figure.colorbar(ScalarMappable(scale, colours), ax=axes, shrink=0.6, pad=0.02)
    bar.set_label("evacuated share")
    bar.ax.yaxis.set_major_formatter(percent)
    _name(
        axes, np.column_stack([x, y]), np.sqrt(area) / 2, zones["label"].astype(str).tolist(), order
    )
    return figure


def _name(
    axes: Axes,
    centres: NDArray[np.float64],
    radii: NDArray[np.float64],
    labels: Sequence[str],
    order: NDArray[np.intp],
) -> None:
    """Label zones from the largest on, without overlap."""
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]
    points = axes.transData.transform(centres) * 72 / axes.figure.dpi
    taken = [(px - r, py - r, px + r, py + r) for (px, py), r in zip(points, radii, strict=True)]
    named = 0
    for i in order:
        others = [box for j, box in enumerate(taken) if j != i]
        px, py = points[i]
        for ha, va, dx, dy, box in _places(px, py, radii[i] + 2, _WIDE * len(labels[i])):
            if named < _NAMED and not any(_meet(box, other) for other in others):
                where = {"xytext": (dx, dy), "textcoords": "offset points", "ha": ha, "va": va}
                axes.annotate(labels[i], tuple(centres[i]), size=_SIZE, color=INK, **where)
                taken.append(box)
                named += 1
                break


def _places(px: float, py: float, r: float, width: float) -> Iterator[tuple[Any, ...]]:
    """Return the candidate positions of a label around its circle, the best first."""
    middle = px - width / 2
    yield "center", "top", 0, -r, (middle, py - r - _SIZE, middle + width, py - r)
    yield "center", "bottom", 0, r, (middle, py + r, middle + width, py + r + _SIZE)
    low, high = py - _SIZE / 2, py + _SIZE / 2
    yield "left", "center", r, 0, (px + r, low, px + r + width, high)
    yield "right", "center", -r, 0, (px - r - width, low, px - r, high)
    d = 0.75 * r
    for up in (-d, d):
        va, low = ("top", py + up - _SIZE) if up < 0 else ("bottom", py + up)
        yield "left", va, d, up, (px + d, low, px + d + width, low + _SIZE)
        yield "right", va, -d, up, (px - d - width, low, px - d, low + _SIZE)


def _meet(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
