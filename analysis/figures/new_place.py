"""Draw a place that was built: a map of its zones, and how well a population fits."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.path import Path as Outline
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter
from shapely.geometry import shape

from memopolis.analysis.figures.cells import draw_outline
from memopolis.analysis.figures.land import draw_land
from memopolis.analysis.figures.style import COLOURS, GREY, INK, canvas
from memopolis.analysis.labels import words

BANDS = {"A": "#B2182B", "B": "#EF8A62", "C": "#FDDBC7", "none": "#EDEBE4"}
"""Colours of surge bands; those nearer to the sea are darker."""
MARGIN = 0.06  # margin around the zones, as a share of the map
APART = (0.24, 0.05)  # least distance of names across and up, as a share of the map


def draw_place(folder: Path) -> Figure:
    """Draw maps of density, and of surge bands or, where there are none, incomes."""
    table = pd.read_csv(folder / "zones.csv", dtype={"zone": str}, keep_default_na=False)
    zones = json.loads((folder / "zones.geojson").read_text(encoding="utf-8"))["features"]
    outlines = {zone["id"]: draw_outline(shape(zone["geometry"])) for zone in zones}
    shapes = [outlines[zone] for zone in table["zone"]]
    people = f"{len(table)} zones, {table['population'].sum():,.0f} people"
    figure, (left, right) = canvas(
        f"Zones of {folder_title(folder)}", people, columns=2, height=4.6, shared=False
    )
    density = table["population"].to_numpy(float) / table["land_km2"].to_numpy(float)
    scale = LogNorm(max(density.min(), 1.0), max(density.max(), 10.0))
    _draw_map(left, shapes, density.clip(1.0), scale, "viridis_r")
    _add_scale(figure, left, scale, "viridis_r", "People per km²")
    _name_largest(left, table)
    if (table["band"] != "none").any():
        _draw_map(right, shapes, [BANDS[band] for band in table["band"]])
        keys = [
            Patch(facecolor=colour, edgecolor=GREY, label=band)
            for band, colour in BANDS.items()
            if (table["band"] == band).any()
        ]
        right.legend(handles=keys, title="Surge band", loc="lower left", fontsize=8)
    else:
        income = table["median_income"].to_numpy(float) / 1_000
        linear = Normalize(income.min(), max(income.max(), income.min() + 1))
        _draw_map(right, shapes, income, linear, "cividis")
        _add_scale(figure, right, linear, "cividis", "Median income, thousand dollars")
    return figure


def folder_title(folder: Path) -> str:
    """Return the title of a place from its place.toml."""
    import tomllib

    return str(tomllib.loads((folder / "place.toml").read_text(encoding="utf-8"))["title"])


def _draw_map(
    axes: Axes,
    shapes: Sequence[Outline],
    values: Sequence[str] | np.ndarray,
    scale: Normalize | None = None,
    colours: str = "viridis",
) -> None:
    """Draw zones over land and water."""
    points = np.concatenate([shape.vertices for shape in shapes])
    low, high = points.min(axis=0), points.max(axis=0)
    # Degrees of longitude are shorter than those of latitude.
    narrow = float(np.cos(np.radians((low[1] + high[1]) / 2)))
    span = max((high[0] - low[0]) * narrow, high[1] - low[1], 0.02) * (1 + 2 * MARGIN)
    middle = (low + high) / 2
    axes.set_xlim(middle[0] - span / narrow / 2, middle[0] + span / narrow / 2)
    axes.set_ylim(middle[1] - span / 2, middle[1] + span / 2)
    axes.set_aspect(1 / narrow)
    draw_land(axes, (0.0, 0.0), (1.0, 1.0))
    zones = PathCollection(shapes, edgecolors=INK, linewidths=0.5, zorder=2)
    if scale is None:
        zones.set_facecolor(list(values))
    else:
        zones.set_array(np.asarray(values, float))
        zones.set_norm(scale)
        zones.set_cmap(colours)
    axes.add_collection(zones, autolim=False)
    axes.grid(visible=False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4))
    axes.set(xlabel="Longitude, degrees", ylabel="Latitude, degrees")


def _add_scale(figure: Figure, axes: Axes, scale: Normalize, colours: str, label: str) -> None:
    bar = figure.colorbar(
        ScalarMappable(scale, colours), ax=axes, location="bottom", shrink=0.8, pad=0.02
    )
    bar.set_label(label)
    if isinstance(scale, LogNorm):
        bar.ax.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        bar.ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        bar.ax.xaxis.set_minor_formatter(NullFormatter())


def _name_largest(axes: Axes, table: pd.DataFrame) -> None:
    """Write the names of the largest zones, each name once, unless they would overlap."""
    largest = table.sort_values("population", ascending=False).drop_duplicates("name")
    limits = np.abs([np.diff(axes.get_xlim())[0], np.diff(axes.get_ylim())[0]])
    at = largest[["lon", "lat"]].to_numpy(float)
    written = np.zeros((0, 2))
    for (x, y), name in zip(at, largest["name"].astype(str), strict=True):
        if not (np.abs(written - (x, y)) / limits < APART).all(axis=1).any():
            written = np.vstack([written, [x, y]])
            axes.text(
                x, y, name, fontsize=6.5, ha="center", va="center", zorder=3, color=INK,
                bbox={"facecolor": "white", "alpha": 0.65, "pad": 0.8, "linewidth": 0},
            )  # fmt: skip


def draw_fit(folder: Path) -> Figure:
    """Draw how far a population deviates from the marginals of its place, from its report."""
    whole = pd.read_csv(folder / "report" / "whole.csv")
    zones = pd.read_csv(folder / "report" / "zones.csv", dtype={"zone": str})
    people = zones[zones["marginal"] == "population"]
    figure, (left, right) = canvas(
        f"Fit of the population of {folder_title(folder)}",
        "drawn people compared with the marginals",
        columns=2,
        height=4.6,
        shared=False,
    )
    at = np.arange(len(whole))[::-1]
    limit = 100 * float(whole["limit"].iloc[0])
    left.axvspan(-limit, limit, color=COLOURS[2], alpha=0.15, label=f"within {limit:g}%")
    fits = whole["fits"].to_numpy(bool)
    colours = np.where(fits, COLOURS[0], COLOURS[1])
    left.barh(at, 100 * whole["deviation"], color=colours.tolist(), height=0.7)
    left.set_yticks(at, [words(str(name)) for name in whole["marginal"]], fontsize=8)
    left.set(xlabel="Deviation of the whole place, %")
    left.legend(loc="upper right", fontsize=8)
    right.plot(people["target"], people["drawn"], "o", color=COLOURS[0], ms=4)
    ends = [people["target"].min(), people["target"].max()]
    right.plot(ends, ends, color=GREY, lw=1, zorder=1, label="equal")
    right.set(xscale="log", yscale="log", xlabel="People of a zone", ylabel="Drawn, in real people")
    right.legend(loc="lower right", fontsize=8)
    return figure
