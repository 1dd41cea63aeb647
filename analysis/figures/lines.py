"""Lines over time by group: order, style, labels and the y axis."""

import re
from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.ticker import FuncFormatter

from memopolis.analysis.figures.style import (
    COLOURS,
    Look,
    is_narrow,
    label_below,
    label_ends,
    look,
    percent,
)
from memopolis.analysis.figures.times import days_of

ORDERS = {"mandatory": "#D55E00", "voluntary": "#E69F00", "none": "#0072B2", "": "#4D4D4D"}
"""Colours of orders to leave."""
PARTIES = {"Democrat": "#0072B2", "Independent": "#7F7F7F", "Republican": "#D55E00"}
"""Colours of parties."""
QUINTILES = ("lowest", "second", "middle", "fourth", "highest")
"""Names of quintiles of income, the poorest first."""

_KNOWN = (tuple(ORDERS), tuple(PARTIES), QUINTILES)
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def in_order(groups: Sequence[str]) -> list[str]:
    """Sort groups for a legend.

    Args:
        groups: Names; "" is left out.

    Returns:
        Quintiles from the poorest, numbers by size, other names by alphabet.
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

    Args:
        groups: Names in order.

    Returns:
        Those of orders and parties in every figure; from light to dark for groups that have an
        order, and where there are more than the palette has; else the palette's.
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
    """Return the style of each group: colour, dash, marker and hatch.

    Args:
        groups: Names in order.
        colours: By name, for some or all; else those of `colours_of`.

    Returns:
        By name; orders and parties keep their dash where others of them are missing.
    """
    chosen = {**colours_of(groups), **(colours or {})}
    known = next((tuple(k) for k in (ORDERS, PARTIES) if set(groups) <= set(k)), tuple(groups))
    return {group: look(known.index(group), chosen[group]) for group in groups}


def draw(axes: Axes, series: pd.Series, drawn: Look) -> None:
    """Draw one series over time; a single value is a dot."""
    dot = {"marker": drawn.marker or "o", "clip_on": False} if series.count() == 1 else {}
    look = drawn.line() | dot
    axes.plot(days_of(series.index), series.to_numpy(), **look)


def _party(name: str) -> str:
    """Return the party at the end of a name such as "support democrat", "" for none."""
    last = name.rsplit(" ", maxsplit=1)[-1].capitalize()
    return last if last in PARTIES else ""


def _by_party(names: Sequence[str]) -> dict[str, str]:
    """Return party colours for series of parties; others cycle through the remaining colours."""
    left = cycle([colour for colour in reversed(COLOURS) if colour not in PARTIES.values()])
    return {name: PARTIES[_party(name)] if _party(name) else next(left) for name in names}


def lines(
    axes: Axes,
    series: Mapping[str, pd.Series],
    colours: Mapping[str, str] | None = None,
    *,
    zero: bool = True,
    reach: tuple[float, float] | None = None,
) -> None:
    """Draw series over time, labelled at their ends if there are several.

    Args:
        axes: The axes.
        series: Values by time, by name.
        colours: By name; None for those of `colours_of`.
        zero: Whether the y axis may begin at 0, see `from_zero`.
        reach: Minimum and maximum that the y axis also includes.
    """
    chosen = looks_of(list(series), colours)
    ends = []
    for name, values in series.items():
        draw(axes, values, chosen[name])
        measured = values.dropna()
        if len(measured):
            ends.append((float(measured.iloc[-1]), name, chosen[name]))
    if reach is not None:
        axes.update_datalim([(axes.dataLim.x0, value) for value in reach])
    axes.margins(y=0.08)
    if zero:
        from_zero(axes)
    if len(ends) > 1:
        (label_below if is_narrow(axes) else label_ends)(axes, ends)


def band(axes: Axes, path: pd.DataFrame, drawn: Look) -> None:
    """Draw a mean over seeds with its interval.

    Args:
        axes: The axes.
        path: Columns mean, low and high by time.
        drawn: Of line and band.
    """
    x = days_of(path.index)
    axes.fill_between(x, path["low"], path["high"], color=drawn.colour, alpha=0.18, lw=0)
    axes.plot(x, path["mean"], **drawn.line())


def nothing_yet(axes: Axes) -> None:
    """Write "no data yet" into empty axes."""
    axes.set_yticks([])
    axes.text(
        0.5, 0.5, "no data yet", transform=axes.transAxes, ha="center", va="center",
        color="#555555",
    )  # fmt: skip


def from_zero(axes: Axes) -> None:
    """Start the y axis at 0 if values come close to 0; otherwise changes would be invisible."""
    low, high = axes.dataLim.intervaly
    if 0 <= low <= 0.5 * high:
        axes.set_ylim(bottom=0)


def value_axis(axes: Axes, *, label: str = "", unit: str = "", share: bool = False) -> None:
    """Format the y axis: percent, thousands separators, or millions.

    Args:
        axes: Axes with all data drawn.
        label: Label before the unit.
        unit: Unit of the values.
        share: Whether values are shares, shown in percent.
    """
    high = axes.dataLim.y1
    if share:
        axes.yaxis.set_major_formatter(percent)
    elif high >= 1e6:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y / 1e6:,g}"))
        unit = f"million {unit}".strip()
    elif high >= 1e3:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.10g}"))
    axes.set_ylabel(", ".join(filter(None, (label, unit))))
