"""Two runs on one clock: each charted measure of both, and the step at which they part."""

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memopolis.analysis.plots.lines import draw, from_zero, value_axis
from memopolis.analysis.plots.style import COLOURS, INK, Look, canvas
from memopolis.analysis.plots.times import days_of, time_axis
from memopolis.analysis.wording import a_step, is_score, is_share, scaled, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from memopolis.analysis.parting import Parting

LOOKS = (Look(COLOURS[-1]), Look(COLOURS[1], (0, (4, 1.6))))
"""How A and B are drawn: B over A, so that where they are one both are seen."""


def side_by_side(parting: "Parting", names: tuple[str, str] = ("A", "B")) -> Figure:
    """Charted measures of two runs over time, with a line where the runs part.

    Args:
        parting: Where they part.
        names: What they are called.
    """
    charted = _charted(parting)
    columns = min(2, max(len(charted), 1))
    rows = max(1, -(-len(charted) // columns))
    figure, panels = canvas(
        f"{names[0]} and {names[1]} on one clock",
        _marks(parting),
        rows=rows,
        columns=columns,
        height=2.0,
        shared=False,
    )
    for axes, measure in zip(panels, charted, strict=False):
        _panel(axes, parting, measure)
    for axes in panels[len(charted) :]:
        axes.set_visible(False)
    handles = [Line2D([], [], **look.line()) for look in LOOKS]
    figure.legend(handles, names, frameon=False, ncols=2, loc="outside lower center")
    return figure


def _marks(parting: "Parting") -> str:
    """What the vertical lines are."""
    if parting.time is None:
        return "nothing parts"
    told = f"dotted: the first step in which anything differs, {parting.time:%d %b %Y %H:%M}"
    if parting.decided in {None, parting.tick}:
        return told
    return f"{told}; dashed: the first decision that differs"


def _charted(parting: "Parting") -> list[dict[str, Any]]:
    """Measures with a chart that both runs recorded."""
    both = parting.runs[0].measured & parting.runs[1].measured
    declared = parting.runs[0].manifest["measures"]
    return [one for one in declared if one["chart"] and one["name"] in both]


def _panel(axes: "Axes", parting: "Parting", measure: "Mapping[str, Any]") -> None:
    scale, unit = scaled(measure["unit"])
    for run, look in zip(parting.runs, LOOKS, strict=True):
        draw(axes, run.measure(measure["name"]) * scale, look)
    axes.set_title(words(measure["name"]), size=9, loc="left")
    if not is_score(measure):
        from_zero(axes)
    flow = f"{unit} {a_step(parting.runs[0].hours)}" if measure["of"] == "sum" else unit
    value_axis(axes, unit="" if is_score(measure) else flow, share=is_share(measure))
    first = parting.runs[0].start
    time_axis(axes, first, max(run.end for run in parting.runs))
    axes.set_xticks(axes.get_xticks()[:: max(1, -(-len(axes.get_xticks()) // 4))])
    decided = None if parting.decided == parting.tick else parting.decided
    for tick, dash in ((parting.tick, (1, 1.5)), (decided, (5, 3))):
        if tick is not None:
            at = float(days_of([parting.time_of(tick)])[0])
            axes.axvline(at, color=INK, lw=1.2, ls=(0, dash))
