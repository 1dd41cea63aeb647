"""Charts that a scenario declares: measures with the same title share a figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import QUINTILES, Panel, in_order
from memopolis.analysis.figures.over_time import date_axes
from memopolis.analysis.figures.style import WIDTH, canvas, fit
from memopolis.analysis.labels import (
    axis_unit,
    format_time,
    is_score,
    is_share,
    lower_first,
    plural,
    scaled,
    short,
    words,
)
from memopolis.sim.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.analysis.run.run import Run


def declared(run: "Run") -> dict[str, list[dict[str, Any]]]:
    """Return recorded measures by the title of their chart, in order of declaration."""
    charts: dict[str, list[dict[str, Any]]] = {}
    for measure in run.manifest["measures"]:
        if measure["chart"] and measure["name"] in run.measured:
            charts.setdefault(measure["chart"], []).append(measure)
    return charts


def titles(run: "Run") -> list[str]:
    """Return the titles of all charts that a run's measures declare."""
    return list(dict.fromkeys(m["chart"] for m in run.manifest["measures"] if m["chart"]))


def chart(run: "Run", title: str, *, width: float = WIDTH, beside: "Sequence[Run]" = ()) -> Figure:
    """Draw a declared chart over time; before the first step its axes are empty.

    Args:
        run: A run.
        title: Title of the chart, from the measures.
        width: Width in inches; narrow figures have a legend below.
        beside: Runs that are looked at beside it; the y axis is that of all, so that they can
            be compared.

    Raises:
        UnknownNameError: If no measure declares such a chart.
    """
    measures = _measures_of(run, title)
    figure, (axes,) = canvas(title, subtitle(run, measures), height=3.3, width=width)
    Panel(
        _series(run, measures),
        unit=axis_unit(measures, run.hours),
        share=all(is_share(measure) for measure in measures),
        zero=not all(is_score(measure) for measure in measures),
        include=_reach(title, beside),
    ).draw(axes)
    date_axes(run, axes)
    fit(figure, axes)
    return figure


def chart_in_words(run: "Run", title: str) -> str:
    """Describe a chart in words: its end, and the first and last value of each line."""
    measures = _measures_of(run, title)
    share = all(is_share(measure) for measure in measures)
    parts = []
    for name, values in _series(run, measures).items():
        known = values.dropna()
        if len(known):
            ends = [f"{y:.0%}" if share else short(y) for y in (known.iloc[0], known.iloc[-1])]
            parts.append(f"{name} {ends[0]} initially, now {ends[1]}")
    unit = axis_unit(measures, run.hours)
    head = f"{title}{f', {unit}' if unit else ''}, until {format_time(run.end)}"
    return f"{head}: {'; '.join(parts) or 'no data yet'}."


def _reach(title: str, runs: "Sequence[Run]") -> tuple[float, float] | None:
    """Return the minimum and maximum of a chart over some runs, None without data."""
    present = [run for run in runs if title in declared(run)]
    series = [one for run in present for one in _series(run, _measures_of(run, title)).values()]
    known = [one.dropna() for one in series if one.notna().any()]
    if not known:
        return None
    return min(float(one.min()) for one in known), max(float(one.max()) for one in known)


def _measures_of(run: "Run", title: str) -> list[dict[str, Any]]:
    measures = [m for m in run.manifest["measures"] if m["chart"] == title]
    if not measures:
        raise UnknownNameError(
            f"no chart {title!r}; the run's measures declare {', '.join(titles(run)) or 'none'}"
        )
    return [m for m in measures if m["name"] in run.measured] or measures


def subtitle(run: "Run", measures: Sequence[dict[str, Any]]) -> str:
    """Return the subtitle: the description of a single measure, else what all have in common."""
    first = measures[0]
    if len(measures) == 1:
        return lower_first(first["description"])
    people = {measure["population"] for measure in measures}
    scores = all(is_score(measure) for measure in measures)
    several = run.manifest["populations"].get(first["population"], 1) > 1
    mean = all(measure["of"] == "mean" for measure in measures) and several
    if len(people) > 1 or not (mean or scores):
        return ""
    limited = any(measure["where"] for measure in measures)
    whose = "" if limited else f" of all {plural(people.pop())}"
    return f"mean{whose}{', 0 to 10' if scores else ''}"


def _series(run: "Run", measures: Sequence[dict[str, Any]]) -> "dict[str, pd.Series]":
    if len(measures) > 1:
        present = [measure for measure in measures if measure["name"] in run.measured]
        return {words(m["name"]).lower(): _measure(run, m) for m in present}
    (only,) = measures
    if only["name"] not in run.measured:
        return {}
    groups = in_order(run.groups(only["name"]))
    if not groups:
        return {words(only["name"]).lower(): _measure(run, only)}
    return {_group(only, group): _measure(run, only, group) for group in groups}


def _group(measure: dict[str, Any], group: str) -> str:
    """Return the label of a group; quintiles are numbered from 1, the poorest."""
    numbers = [str(1 + i) for i in range(len(QUINTILES))]
    by_quintile = measure["group"] == "quintile" and group in numbers
    return QUINTILES[numbers.index(group)] if by_quintile else group


def _measure(run: "Run", measure: dict[str, Any], group: str = "") -> "pd.Series":
    return run.measure(measure["name"], group) * scaled(measure["unit"])[0]
