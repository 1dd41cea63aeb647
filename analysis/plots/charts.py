"""Every chart that a scenario declares: measures of one title share a figure."""

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from memopolis.analysis.plots.style import ORDERS, canvas, lines, mark_dates, span, time_axis
from memopolis.analysis.summary import is_share, words

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.analysis.load import Run


def declared(run: "Run") -> dict[str, list[dict[str, Any]]]:
    """Recorded measures by the title of the chart they are drawn in, in the order declared."""
    charts: dict[str, list[dict[str, Any]]] = {}
    for measure in run.manifest["measures"]:
        if measure["chart"] and measure["name"] in run.measured:
            charts.setdefault(measure["chart"], []).append(measure)
    return charts


def chart(run: "Run", title: str) -> Figure:
    """Draw a declared chart over time.

    Args:
        run: A run.
        title: Of the chart, as the measures declare it.
    """
    measures = declared(run)[title]
    first = measures[0]
    subtitle = first["description"] if len(measures) == 1 else "mean of all citizens, 0 to 10"
    if len(measures) > 1 and first["unit"] != "0-10":
        subtitle = first["unit"]
    figure, (axes,) = canvas(title, subtitle[:1].lower() + subtitle[1:], height=3.3)
    # Orders have the colours here that they have in every figure.
    by_order = len(measures) == 1 and first["group"] == "order_zone"
    lines(axes, _series(run, measures), ORDERS if by_order else None)
    if all(is_share(measure) for measure in measures):
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    elif first["of"] == "sum":
        axes.set_ylabel(f"{first['unit']} in {run.hours:g} h")
    if first["unit"] != "0-10":
        axes.set_ylim(bottom=0)
    time_axis(axes, *span(run))
    mark_dates(axes, run)
    return figure


def _series(run: "Run", measures: list[dict[str, Any]]) -> "dict[str, pd.Series]":
    if len(measures) > 1:
        return {words(m["name"]).lower(): run.measure(m["name"]) for m in measures}
    name = measures[0]["name"]
    groups = [group for group in run.groups(name) if group]
    if not groups:
        return {words(name).lower(): run.measure(name)}
    return {group: run.measure(name, group) for group in groups}
