"""Draw the map at a moment: zones, people, moves, the storm and orders in force."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize, PowerNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.quiver import Quiver
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from memopolis.analysis.figures.land import draw_land
from memopolis.analysis.figures.moving_now import arrows_of, dots_of
from memopolis.analysis.figures.place_now import ORDERS_IN_WORDS, PlaceNow
from memopolis.analysis.figures.shades import DENSITY, Shade, shade_of
from memopolis.analysis.figures.storm_now import (
    Track,
    draw_track,
    draw_wind,
    far_from,
    fill,
    key_of_wind,
    locate,
    track_of,
)
from memopolis.analysis.figures.style import (
    INK,
    WIDTH,
    Box,
    blank,
    colour_bar,
    overlaps,
    panel,
    percent,
)
from memopolis.analysis.labels import lower_first
from memopolis.analysis.run.run import Run

SHADES = colormaps["YlGnBu"].with_extremes(bad="white", over=colormaps["YlGnBu"](1.0))
"""Colour map from light to dark, readable in greyscale."""
_ORDERS: tuple[dict[str, Any], ...] = (
    {"edgecolor": "#8C9AA3", "linewidth": 0.7},
    {"edgecolor": "#E69F00", "linewidth": 2.2, "linestyle": (0, (3, 1.5))},
    {"edgecolor": "#D55E00", "linewidth": 2.2},
)
_HALO = [withStroke(linewidth=2.4, foreground="white")]
_NAMED, _NAME = 9, 8.0


_TALL, _SIDE = 0.6 * WIDTH, 0.29 * WIDTH
"""Height of the map, and width of the column beside it, in inches."""
_LEFT = WIDTH - _SIDE - 0.1
_MAP: Box = (0.1, 0.1, WIDTH - _SIDE - 0.35, _TALL)
_SCALE: Box = (_LEFT + 0.05, _TALL - 0.28, _SIDE - 0.15, 0.15)
_LEGEND: Box = (_LEFT, _TALL - 2.6, _SIDE, 1.95)
_LOCATOR: Box = (_LEFT, 0.1, _SIDE, _TALL - 2.75)


def zones_now(run: Run, shade: str = DENSITY) -> Figure:
    """Draw the map at the run's moment: zones, people, moves, wind, storm and orders, if recorded.

    Zones with an order in force are outlined. `shade` is "density", or a recorded numeric attribute
    of people. The run has the table `zones`, with lat and lon.
    """
    now = PlaceNow.of(run)
    shown = shade_of(now, shade)
    storm = track_of(run)
    figure = blank(f"{shown.title}, {now.date}", now.counts, height=_TALL + 0.1)
    axes = panel(figure, _MAP)
    inches = _MAP[2:]
    per_inch = fill(axes, now.cells.corners, inches, margin=0.02)
    axes.set_facecolor("#F4F7F9")
    handles = _draw_zones(axes, now, shown)
    if now.on_land:
        land = draw_land(axes, (now.cells.lon, now.cells.lat), now.cells.km_per_degree)
        if not run.has("outlines", "ring"):
            for zones in axes.collections:
                zones.set_clip_path(land)
    if now.known:
        handles += [*arrows_of(axes, now), *dots_of(axes, now)]
    if storm is not None:
        lat, lon = (storm.table[name].to_numpy(np.float64) for name in ("lat", "lon"))
        _within(axes, storm, now.cells.plane(lat, lon), hours=run.hours)
        handles += _draw_locator(figure, storm, now)
    arrows = draw_wind(axes, now)
    _name(axes, now, per_inch, inches)
    _scale_bar(axes, per_inch)
    _draw_scale(figure, shown)
    _draw_legend(figure, handles, arrows)
    return figure


def place_map(run: Run) -> Figure:
    """Draw the map when the storm is nearest, or at the end of a run without a storm."""
    nearest = run.date_of("nearest")
    if nearest is None:
        return zones_now(run)
    step = int((nearest - run.start).total_seconds() / 3600 / run.hours)
    return zones_now(run.until(step)) if 0 < step < run.ticks else zones_now(run)


def zones_in_words(run: Run, *, shade: str = DENSITY) -> str:
    """Describe `zones_now` in words: date, people, storm and orders."""
    now = PlaceNow.of(run)
    shown = shade_of(now, shade)
    parts = [f"Map, {now.date}: {now.counts}"]
    if np.isfinite(shown.amounts).any():
        names = now.zones.get("label", now.zones["zone"]).astype(str).tolist()
        order = np.argsort(-np.nan_to_num(shown.amounts, nan=-np.inf), kind="stable")
        top = [i for i in order[:3] if np.isfinite(shown.amounts[i])]
        most = ", ".join(f"{names[i]} {shown.format(shown.amounts[i])}" for i in top)
        parts.append(f"{shown.title}: {lower_first(shown.label)}, highest: {most}")
    storm = track_of(run)
    if storm is not None:
        away = far_from(storm, now)
        parts.append(storm.description + (f", {away:,.0f} km away" if np.isfinite(away) else ""))
    speed = now.weather.get("wind_kt")
    if speed is not None and speed.notna().any():
        parts.append(f"wind in the zones up to {speed.max():.0f} kt")
    for number, words in enumerate(ORDERS_IN_WORDS):
        if words and (zones := int((now.orders == number).sum())):
            parts.append(f"{words} in {zones} of {len(now.zones)} zones")
    return ". ".join(parts) + "."


def _draw_zones(axes: Axes, now: PlaceNow, shown: Shade) -> list[Any]:
    colours = SHADES(_norm(shown)(np.ma.masked_invalid(shown.amounts)))
    handles: list[Any] = []
    for number, look in enumerate(_ORDERS):
        chosen = np.flatnonzero(now.orders == number)
        if not len(chosen):
            continue
        paths = [now.cells.paths[i] for i in chosen]
        axes.add_collection(
            _polygons(paths, facecolors=colours[chosen], zorder=1 + 0.1 * number, **look)
        )
        if ORDERS_IN_WORDS[number]:
            of = f"{ORDERS_IN_WORDS[number]}: {len(chosen)} zones"
            handles.append(Patch(facecolor="none", label=of, **look))
    unknown = [now.cells.paths[i] for i in np.flatnonzero(~np.isfinite(shown.amounts))]
    if unknown:
        some = len(unknown) < len(now.cells)
        drawn: dict[str, Any] = {"facecolors": "none", "edgecolors": "#B8C0C6", "linewidths": 0.7}
        axes.add_collection(_polygons(unknown, zorder=1.05, hatch="///" if some else "", **drawn))
        look = {"facecolor": "white", "edgecolor": "#B8C0C6", "hatch": "///" if some else ""}
        handles.append(Patch(label="unknown", **look))
    return handles


def _polygons(paths: Sequence[Path], **look: Any) -> PolyCollection:
    """Return outlines to draw, which may have holes and several parts."""
    polygons = PolyCollection([], **look)
    codes: list[Any] = [one.codes for one in paths]
    polygons.set_verts_and_codes([one.vertices for one in paths], codes)
    return polygons


def _norm(shown: Shade) -> Normalize:
    limits = (shown.low, shown.high)
    return PowerNorm(0.5, *limits) if shown.stretched else Normalize(*limits)


def _ticks(shown: Shade) -> NDArray[np.float64]:
    """Return tick values of the scale without overlap."""
    if shown.stretched:
        return shown.high * np.array([0, 0.1, 0.4, 1])
    return np.asarray(MaxNLocator(4).tick_values(shown.low, shown.high))


def _draw_scale(figure: Figure, shown: Shade) -> None:
    over = "max" if np.nanmax(shown.amounts, initial=shown.low) > shown.high else "neither"
    colours = ScalarMappable(_norm(shown), SHADES)
    bar = colour_bar(panel(figure, _SCALE), colours, shown.label, extend=over)
    bar.set_ticks(_ticks(shown).tolist())
    form = percent if shown.share else FuncFormatter(lambda x, _: f"{x:,.6g}")
    bar.ax.xaxis.set_major_formatter(form)
    bar.ax.minorticks_off()


def _draw_legend(figure: Figure, handles: Sequence[Any], arrows: Quiver | None) -> None:
    axes = panel(figure, _LEGEND)
    axes.set_axis_off()
    axes.legend(
        handles=list(handles), loc="upper left", frameon=False, fontsize=9, handlelength=1.8,
        handletextpad=0.6, labelspacing=0.45, borderaxespad=0.2, labelcolor=INK,
    )  # fmt: skip
    if arrows is not None:
        left, low, _, high = _LEGEND
        y = low + high - 0.22 - 0.19 * len(handles)
        key_of_wind(axes, arrows, (left + 0.32) / WIDTH, y / figure.get_size_inches()[1])


def _draw_locator(figure: Figure, storm: Track, now: PlaceNow) -> list[Any]:
    axes = panel(figure, _LOCATOR)
    locate(axes, storm, now, _LOCATOR[2:])
    axes.text(
        0.04, 1 - 0.08 / _LOCATOR[3], storm.description, transform=axes.transAxes, size=8.5,
        va="top", color=INK, path_effects=_HALO, zorder=9,
    )  # fmt: skip
    handles: list[Any] = axes.get_legend_handles_labels()[0]
    return handles


def _within(axes: Axes, storm: Track, places: NDArray[np.float64], *, hours: float) -> None:
    """Draw the track on the map without changing its limits."""
    (west, east), (south, north) = axes.get_xlim(), axes.get_ylim()
    draw_track(axes, storm, places, hours=hours)
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)


def _name(axes: Axes, now: PlaceNow, per_inch: float, inches: tuple[float, float]) -> None:
    """Label the zones with most people, without overlap."""
    names = now.names
    weight = now.here if now.known else now.zones.get("population", now.here)
    places = now.cells.centres / per_inch * 72
    west, east = (x / per_inch * 72 for x in axes.get_xlim())
    taken: list[Box] = []
    for i in np.argsort(-np.asarray(weight, np.float64), kind="stable"):
        name, (x, y) = names[i][:24], places[i]
        half = 0.3 * _NAME * len(name) + 1
        x = min(max(x, west + half + 3), east - half - 3)
        box = (x - half, y - _NAME, x + half, y + _NAME)
        if not overlaps(box, taken) and len(taken) < _NAMED * inches[0] / 6:
            taken.append(box)
            axes.text(
                x / 72 * per_inch, y / 72 * per_inch, name, size=_NAME, color=INK, ha="center",
                va="center", path_effects=_HALO, zorder=7, parse_math=False,
            )  # fmt: skip


def _scale_bar(axes: Axes, per_inch: float) -> None:
    """Draw a scale bar in the lower left corner."""
    power = 10.0 ** np.floor(np.log10(per_inch))
    length = max(step * power for step in (1, 2, 5) if step * power <= per_inch)
    (west, _), (south, _) = axes.get_xlim(), axes.get_ylim()
    x, y = west + 0.12 * per_inch, south + 0.12 * per_inch
    axes.plot([x, x + length], [y, y], color=INK, lw=2, solid_capstyle="butt", zorder=8)
    axes.text(
        x, y + 0.05 * per_inch, f"{length:g} km", size=8.5, color=INK, path_effects=_HALO, zorder=8
    )
