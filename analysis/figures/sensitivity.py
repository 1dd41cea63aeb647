"""Figures of sensitivity: Sobol indices and Morris elementary effects."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memopolis.analysis.figures.style import INK, PALE, Look, canvas, look
from memopolis.analysis.sweep.sensitivity import Sensitivity

_MOST_PAIRS = 10
_ROW = 0.34  # inches for each factor or pair
_FIRST, _TOTAL = look(0), look(1)


def sensitivity_figure(results: Sequence[Sensitivity]) -> Figure:
    """Draw indices with intervals, a row of panels per outcome; all analyses by the same method."""
    sobol = results[0].method == "sobol"
    tall = 0.9 + _ROW * max(_rows(one) for one in results)
    subtitle = (
        "Shares of the outcome's variance" if sobol else "Effects over the whole range of a factor"
    )
    more = (
        "first: the factor alone; total: with interactions"
        if sobol
        else "above the dashed line, sigma exceeds mu*"
    )
    figure, panels = canvas(
        "Sensitivity to each factor" if sobol else "Elementary effects of each factor",
        f"{subtitle}, with {results[0].confidence:.0%} intervals; {more}",
        rows=len(results),
        columns=2,
        height=max(tall, 2.4),
        shared=False,
    )
    for one, left, right in zip(results, panels[::2], panels[1::2], strict=True):
        left.set_title(one.outcome, size=10, loc="left")
        draw = (_indices, _pairs) if sobol else (_effects, _spread)
        draw[0](left, one)
        draw[1](right, one)
    return figure


def _rows(one: Sensitivity) -> int:
    pairs = (one.table["index"] == "second").sum()
    return max(len(one.factors), min(int(pairs), _MOST_PAIRS))


def _indices(axes: Axes, one: Sensitivity) -> None:
    """Draw the first and total index of each factor, the largest on top."""
    total = _of(one, "total").sort_values("value")
    names = list(total["factor"])
    first = _of(one, "first").set_index("factor").loc[names].reset_index()
    _bars(axes, first, _FIRST, "o", shift=0.14)
    _bars(axes, total, _TOTAL, "D", shift=-0.14)
    _name(axes, names)
    axes.axvline(0, color=PALE, lw=0.9)
    axes.set_xlabel("Share of variance")
    marks = [axes.lines[0], axes.lines[1]]
    axes.legend(marks, ["first", "total"], frameon=False, loc="lower right", handlelength=1)


def _pairs(axes: Axes, one: Sensitivity) -> None:
    second = _of(one, "second")
    if second.empty:
        axes.set_visible(False)
        return
    most = second.reindex(second["value"].abs().sort_values().index)[-_MOST_PAIRS:]
    _bars(axes, most, look(2), "s", shift=0.0)
    _name(axes, [f"{row.factor} x {row.other}" for row in most.itertuples()])
    axes.axvline(0, color=PALE, lw=0.9)
    axes.set_xlabel("Share of variance due to the interaction (second order)")


def _effects(axes: Axes, one: Sensitivity) -> None:
    effect = _of(one, "mu_star").sort_values("value")
    _bars(axes, effect, _FIRST, "o", shift=0.0)
    _name(axes, list(effect["factor"]))
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    axes.set_xlabel("Mean absolute effect, mu*")


def _spread(axes: Axes, one: Sensitivity) -> None:
    """Draw sigma against mu*, with the line on which they are equal."""
    effect = _of(one, "mu_star").set_index("factor")["value"]
    spread = _of(one, "sigma").set_index("factor")["value"].loc[effect.index]
    most = float(np.nanmax([effect.max(), spread.max(), 1e-12])) * 1.15
    axes.plot([0, most], [0, most], color=PALE, lw=0.9, ls=(0, (4, 3)))
    axes.scatter(effect, spread, s=28, color=_FIRST.colour, zorder=3)
    for name in effect.index:
        axes.annotate(
            str(name),
            (effect[name], spread[name]),
            xytext=(5, 4),
            textcoords="offset points",
            size=9,
        )
    axes.set_xlim(0, most)
    axes.set_ylim(-0.03 * most, most)
    axes.set_xlabel("Mean absolute effect, mu*")
    axes.set_ylabel("Standard deviation of the effect, sigma")


def _of(one: Sensitivity, index: str) -> pd.DataFrame:
    return one.table[one.table["index"] == index]


def _bars(axes: Axes, frame: pd.DataFrame, drawn: Look, marker: str, *, shift: float) -> None:
    """Draw a marker with an interval for each row, from the bottom."""
    at = np.arange(len(frame)) + shift
    value = frame["value"].to_numpy(np.float64)
    axes.plot(value, at, marker, color=drawn.colour, ms=5.5, mec="white", mew=0.6, zorder=3)
    axes.hlines(at, frame["low"], frame["high"], color=drawn.colour, lw=1.8, zorder=2)


def _name(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names, color=INK)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(visible=False, axis="y")
