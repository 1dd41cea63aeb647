"""Draw lines over time by group: order, style, labels and the y axis."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import cycle
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnnotationBbox, DrawingArea
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from memopolis.analysis.figures.style import COLOURS, GREY, Look, look, percent

ORDERS = {"mandatory": "#D55E00", "voluntary": "#E69F00", "none": "#0072B2", "": "#4D4D4D"}
"""Colours of orders to leave."""
PARTIES = {"Democrat": "#0072B2", "Independent": "#7F7F7F", "Republican": "#D55E00"}
"""Colours of parties."""
QUINTILES = ("lowest", "second", "middle", "fourth", "highest")
"""Names of quintiles of income, the poorest first."""

_KNOWN = (tuple(ORDERS), tuple(PARTIES), QUINTILES)
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_GAP = 0.2  # minimum distance of two labels in inches, unless there are too many
_SAMPLE = 20.0  # length in points of the line sample before a label


def days_of(times: pd.Index | Sequence[datetime]) -> NDArray[np.float64]:
    """Convert times to matplotlib's days since 1970, shape of `times`."""
    since = pd.DatetimeIndex(list(times)) - pd.Timestamp(0)
    return np.asarray(since / pd.Timedelta(days=1), np.float64)


def in_order(groups: Sequence[str]) -> list[str]:
    """Sort groups for a legend: quintiles from the poorest, numbers by size, others by alphabet.

    "" is left out.
    """
    named = [group for group in groups if group]
    for known in _KNOWN:
        if set(named) <= set(known):
            return [group for group in known if group in named]
    if all(_NUMBER.fullmatch(group) for group in named):
        return sorted(named, key=float)
    return sorted(named)


def colours_of(groups: Sequence[str]) -> dict[str, str]:
    """Return a colour for each group.

    Orders and parties have fixed colours; ranked groups, and more groups than the palette has,
    shades from light to dark; others those of the palette.
    """
    if set(groups) <= set(ORDERS):
        return {group: ORDERS[group] for group in groups}
    if any(_party(group) for group in groups):
        return _by_party(groups)
    ranked = set(groups) <= set(QUINTILES) or all(_NUMBER.fullmatch(g) for g in groups)
    if len(groups) > len(COLOURS) or (ranked and len(groups) > 2):
        # The lightest colours would be invisible on white.
        shades = colormaps["viridis_r"](np.linspace(0.12, 1, len(groups)))
        return {group: to_hex(shade) for group, shade in zip(groups, shades, strict=True)}
    return {group: COLOURS[i] for i, group in enumerate(groups)}


def looks_of(groups: Sequence[str], colours: Mapping[str, str] | None = None) -> dict[str, Look]:
    """Return the style of each group by name: colour, dash, marker and hatch.

    Colours that are not given are those of `colours_of`. Orders and parties always have the same
    dash.
    """
    chosen = {**colours_of(groups), **(colours or {})}
    known = next((tuple(k) for k in (ORDERS, PARTIES) if set(groups) <= set(k)), tuple(groups))
    return {group: look(known.index(group), chosen[group]) for group in groups}


def _party(name: str) -> str:
    """Return the party at the end of a name such as "support democrat", "" for none."""
    last = name.rsplit(" ", maxsplit=1)[-1].capitalize()
    return last if last in PARTIES else ""


def _by_party(names: Sequence[str]) -> dict[str, str]:
    """Return party colours for series of parties; others cycle through the remaining colours."""
    left = cycle([colour for colour in reversed(COLOURS) if colour not in PARTIES.values()])
    return {name: PARTIES[_party(name)] if _party(name) else next(left) for name in names}


@dataclass(frozen=True)
class Panel:
    """Lines over time in one panel of a figure, labelled at their ends if there are several."""

    series: Mapping[str, pd.Series]  # values by time, by the name of the line
    label: str = ""  # label of the y axis before the unit
    unit: str = ""  # unit of the values
    share: bool = False  # whether values are shares, shown in percent
    zero: bool = True  # whether the y axis may begin at 0, see `from_zero`
    looks: Mapping[str, Look] | None = None  # styles by name; those of `looks_of` if omitted
    reference: float | None = None  # value of a dotted horizontal line; None for no line
    limits: tuple[float, float] | None = None  # limits of the y axis; None to fit the values
    # Columns low and high by time, by the name of the line, drawn as areas
    bands: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def draw(self, axes: Axes) -> None:
        """Draw the lines, their bands, their labels and the y axis."""
        looks = self.looks or looks_of(list(self.series))
        for name, limits in self.bands.items():
            x, colour = days_of(limits.index), looks[name].colour
            axes.fill_between(x, limits["low"], limits["high"], color=colour, alpha=0.18, lw=0)
        known = {name: values.dropna() for name, values in self.series.items()}
        ends = [(float(own.iloc[-1]), name, looks[name]) for name, own in known.items() if len(own)]
        for _, name, style in ends:
            draw(axes, self.series[name], style)
        axes.margins(y=0.08)
        if self.limits is not None:
            axes.set_ylim(*self.limits)
        elif self.zero:
            from_zero(axes)
        if self.share and self.limits is None and axes.dataLim.y1 <= 1:
            axes.set_ylim(top=min(axes.get_ylim()[1], 1.0))
        if len(ends) > 1:
            label_ends(axes, ends)
        if self.reference is not None:
            dotted_line(axes, self.reference)
        value_axis(axes, label=self.label, unit=self.unit, share=self.share)
        if not ends:
            axes.set_yticks([])
            middle = {"ha": "center", "va": "center", "color": GREY}
            axes.text(0.5, 0.5, "no data yet", middle, transform=axes.transAxes)


def draw(axes: Axes, series: pd.Series, look: Look) -> None:
    """Draw one series over time; a single value is a dot."""
    dot = {"marker": look.marker or "o", "clip_on": False} if series.count() == 1 else {}
    axes.plot(days_of(series.index), series.to_numpy(), **(look.line() | dot))


def stack(
    axes: Axes,
    parts: Mapping[str, pd.Series],
    *,
    high: float,
    step: Literal["pre", "post", "mid"] | None = None,
) -> None:
    """Draw series by name on top of each other as bands, from the bottom, labelled at their ends.

    The y axis goes from 0 to `high`; `step` is as for `fill_between` of matplotlib.
    """
    ends, bottom = [], np.zeros(max((len(values) for values in parts.values()), default=0))
    for number, (name, values) in enumerate(parts.items()):
        x, style, top = days_of(values.index), look(number), bottom + values.to_numpy()
        axes.fill_between(x, bottom, top, step=step, **style.area())
        steps = "default" if step is None else f"steps-{step}"
        axes.plot(x, top, color="white", lw=1, drawstyle=steps)
        known = np.flatnonzero(~np.isnan(top))
        if len(known):
            ends.append((float(bottom[known[-1]] + top[known[-1]]) / 2, name, style))
        bottom = top
    axes.set_ylim(0, high)
    label_ends(axes, ends, bands=True)


def dotted_line(axes: Axes, value: float) -> None:
    """Draw a dotted horizontal line for reference."""
    axes.axhline(value, color=GREY, lw=1, ls=":")


def from_zero(axes: Axes) -> None:
    """Start the y axis at 0 if values come close to 0; otherwise changes would be invisible."""
    low, high = axes.dataLim.intervaly
    if 0 <= low <= 0.5 * high:
        axes.set_ylim(bottom=0)


def value_axis(axes: Axes, *, label: str = "", unit: str = "", share: bool = False) -> None:
    """Format the y axis, with all data drawn: percent for shares, thousands, millions."""
    high = axes.dataLim.y1
    if share:
        axes.yaxis.set_major_formatter(percent)
    elif high >= 1e6:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y / 1e6:,g}"))
        unit = f"million {unit}".strip()
    elif high >= 1e3:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))
    axes.set_ylabel(", ".join(filter(None, (label, unit))))


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, Look]], *, bands: bool = False) -> None:
    """Label lines, or bands, at their right ends, without overlap, instead of a legend.

    Each label has a sample of its line, so that it can be matched in greyscale. `ends` are height,
    name and style of each; the y limits of the axes are final.
    """
    figure = axes.get_figure(root=True)
    inches = axes.get_position().height * (figure.get_size_inches()[1] if figure else 1.0)
    gap = min(_GAP / inches, 1 / max(len(ends), 1))
    low, high = axes.get_ylim()
    ordered = sorted(
        (((y - low) / (high - low), name, look) for y, name, look in ends), key=lambda end: end[:2]
    )
    places = np.array([y for y, _, _ in ordered])
    for _ in range(200):
        near = np.flatnonzero(np.diff(places) < gap - 1e-9)
        if not len(near):
            break
        for i in near:
            middle = (places[i] + places[i + 1]) / 2
            places[i], places[i + 1] = middle - gap / 2, middle + gap / 2
    places += max(0.0, -places.min(initial=0.0))
    for y, (_, name, style) in zip(low + places * (high - low), ordered, strict=True):
        _sample(axes, y, style, band=bands)
        axes.annotate(
            name, (1, y), xycoords=("axes fraction", "data"), xytext=(10 + _SAMPLE, 0),
            textcoords="offset points", va="center", color=style.colour, size=9.5, weight="bold",
            annotation_clip=False,
        )  # fmt: skip


def _sample(axes: Axes, y: float, look: Look, *, band: bool) -> None:
    """Draw a sample of a line or band beside the right end of the axes."""
    box = DrawingArea(_SAMPLE, 8)
    if band:
        box.add_artist(Rectangle((0, 0), _SAMPLE, 8, **look.area()))
    else:
        drawn = look.line() | ({"markevery": [1]} if look.marker else {})
        box.add_artist(Line2D([0, _SAMPLE / 2, _SAMPLE], [4, 4, 4], **drawn))
    beside = AnnotationBbox(
        box, (1, y), xybox=(6, 0), xycoords=("axes fraction", "data"), boxcoords="offset points",
        box_alignment=(0, 0.5), frameon=False, pad=0, annotation_clip=False,
    )  # fmt: skip
    axes.add_artist(beside)
