"""Plot the charted measures of two runs, and the step at which they diverge."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memopolis.analysis.compare.divergence import Divergence
from memopolis.analysis.figures.lines import days_of, draw, from_zero, value_axis
from memopolis.analysis.figures.over_time import time_axis
from memopolis.analysis.figures.style import COLOURS, INK, Look, grid
from memopolis.analysis.labels import axis_unit, format_time, is_score, is_share, scaled, words

LOOKS = (Look(COLOURS[-1]), Look(COLOURS[1], (0, (4, 1.6))))
"""Styles of A and B: B is dashed over A, so that both are visible where they are equal."""


def measures_of_both(divergence: Divergence, names: tuple[str, str] = ("A", "B")) -> Figure:
    """Draw the charted measures of two runs over time, with a line where they diverge."""
    both = divergence.runs[0].measured & divergence.runs[1].measured
    declared = divergence.runs[0].manifest["measures"]
    charted = [one for one in declared if one["chart"] and one["name"] in both]
    figure, panels = grid(
        f"{names[0]} and {names[1]} on one clock",
        _marks(divergence),
        panels=len(charted),
        columns=2,
        height=2.0,
        shared=False,
    )
    for axes, measure in zip(panels, charted, strict=False):
        _panel(axes, divergence, measure)
    handles = [Line2D([], [], **look.line()) for look in LOOKS]
    figure.legend(handles, names, frameon=False, ncols=2, loc="outside lower center")
    return figure


def _marks(divergence: Divergence) -> str:
    """Explain the vertical lines."""
    if divergence.time is None:
        return "The runs do not diverge"
    dotted = f"Dotted: the first step in which anything differs, {format_time(divergence.time)}"
    if divergence.decision_tick in {None, divergence.tick}:
        return dotted
    return f"{dotted}; dashed: the first decision that differs"


def _panel(axes: Axes, divergence: Divergence, measure: Mapping[str, Any]) -> None:
    first = divergence.runs[0]
    for run, look in zip(divergence.runs, LOOKS, strict=True):
        draw(axes, run.measure(measure["name"]) * scaled(measure["unit"])[0], look)
    axes.set_title(words(measure["name"]), size=9, loc="left")
    if not is_score(measure):
        from_zero(axes)
    value_axis(axes, unit=axis_unit([measure], first.hours), share=is_share(measure))
    time_axis(axes, first.start, max(run.end for run in divergence.runs), most=4)
    decided = None if divergence.decision_tick == divergence.tick else divergence.decision_tick
    for tick, dash in ((divergence.tick, (1, 1.5)), (decided, (5, 3))):
        if tick is not None:
            at = float(days_of([divergence.time_of(tick)])[0])
            axes.axvline(at, color=INK, lw=1.2, ls=(0, dash))
