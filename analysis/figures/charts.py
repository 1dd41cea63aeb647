"""Charts that a scenario declares: measures with the same title share a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from memopolis.analysis.figures.lines import QUINTILES, Panel, in_order
from memopolis.analysis.figures.over_time import date_axes
from memopolis.analysis.figures.small_groups import drop_small
from memopolis.analysis.figures.style import canvas, fit
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
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import UnknownNameError


def declared(run: Run) -> dict[str, list[dict[str, Any]]]:
    """Return recorded measures by the title of their chart, in order of declaration."""
    charts: dict[str, list[dict[str, Any]]] = {}
    for measure in run.manifest["measures"]:
        if measure["chart"] and measure["name"] in run.measured:
            charts.setdefault(measure["chart"], []).append(measure)
    return charts


def titles(run: Run) -> list[str]:
    """Return the titles of all charts that a run's measures declare."""
    return list(dict.fromkeys(m["chart"] for m in run.manifest["measures"] if m["chart"]))


@dataclass(frozen=True, eq=False)
class ChartLines:
    """The lines of a declared chart at a run's moment."""

    run: Run
    measures: list[dict[str, Any]]  # the measures of the chart
    sources: dict[str, tuple[dict[str, Any], str]]  # measure and group of each line, by its label

    @classmethod
    def of(cls, run: Run, title: str) -> "ChartLines":
        """Find the lines of a chart.

        Raises UnknownNameError if no measure declares such a chart.
        """
        measures = _measures_of(run, title)
        return cls(run, measures, _sources(run, measures))

    @property
    def subtitle(self) -> str:
        """Subtitle of the chart."""
        return subtitle(self.run, self.measures)

    @property
    def unit(self) -> str:
        """Unit of the y axis, "" for none."""
        return axis_unit(self.measures, self.run.hours)

    @property
    def is_share(self) -> bool:
        """Whether all values are shares, shown in percent."""
        return all(is_share(measure) for measure in self.measures)

    @property
    def from_zero(self) -> bool:
        """Whether the y axis may begin at 0."""
        return not all(is_score(measure) for measure in self.measures)

    def points(self, label: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the ticks and the values of a line, oldest first."""
        measure, group = self.sources[label]
        ticks, values = self.run.reader.measure(measure["name"], group)
        return ticks, values * scaled(measure["unit"])[0]

    @cached_property
    def series(self) -> dict[str, pd.Series]:
        """Values of all lines by time, by their labels."""
        return {
            label: self.run.measure(measure["name"], group) * scaled(measure["unit"])[0]
            for label, (measure, group) in self.sources.items()
        }


def chart(run: Run, title: str) -> Figure:
    """Draw a declared chart, named by its title; before the first step its axes are empty.

    Raises UnknownNameError if no measure declares such a chart.
    """
    lines = ChartLines.of(run, title)
    figure, (axes,) = canvas(title, lines.subtitle, height=3.3)
    panel = Panel(lines.series, unit=lines.unit, share=lines.is_share, zero=lines.from_zero)
    panel.draw(axes)
    date_axes(run, axes)
    fit(figure, axes)
    return figure


def chart_in_words(run: Run, title: str) -> str:
    """Describe a chart in words: its end, and the first and last value of each line."""
    lines = ChartLines.of(run, title)
    parts = []
    for name, values in lines.series.items():
        known = values.dropna()
        if len(known):
            ends = (known.iloc[0], known.iloc[-1])
            first, last = (f"{y:.0%}" if lines.is_share else short(y) for y in ends)
            parts.append(f"{name} {first} initially, now {last}")
    head = f"{title}{f', {lines.unit}' if lines.unit else ''}, until {format_time(run.end)}"
    return f"{head}: {'; '.join(parts) or 'no data yet'}."


def _measures_of(run: Run, title: str) -> list[dict[str, Any]]:
    measures = [m for m in run.manifest["measures"] if m["chart"] == title]
    if not measures:
        raise UnknownNameError(
            f"no chart {title!r}; the run's measures declare {', '.join(titles(run)) or 'none'}"
        )
    return [m for m in measures if m["name"] in run.measured] or measures


def subtitle(run: Run, measures: Sequence[dict[str, Any]]) -> str:
    """Return the subtitle: the description of a single measure, else what all have in common."""
    first = measures[0]
    if len(measures) == 1:
        return str(first["description"])
    people = {measure["population"] for measure in measures}
    scores = all(is_score(measure) for measure in measures)
    several = run.manifest["populations"].get(first["population"], 1) > 1
    mean = all(measure["of"] == "mean" for measure in measures) and several
    if len(people) > 1 or not (mean or scores):
        return ""
    limited = any(measure["where"] for measure in measures)
    whose = "" if limited else f" of all {plural(people.pop())}"
    return f"Mean{whose}{', 0 to 10' if scores else ''}"


def _sources(run: Run, measures: Sequence[dict[str, Any]]) -> dict[str, tuple[dict[str, Any], str]]:
    """Return measure and group of each line that has values, by its label."""
    present = [measure for measure in measures if measure["name"] in run.measured]
    if len(measures) == 1 and present:
        (only,) = measures
        groups = in_order(run.groups(only["name"]))
        if only["unit"] == "share":
            groups = drop_small(run, only["population"], only["group"], groups)
        if groups:
            return {_group(only, group): (only, group) for group in groups}
    return {lower_first(words(one["name"])): (one, "") for one in present}


def _group(measure: dict[str, Any], group: str) -> str:
    """Return the label of a group; quintiles are numbered from 1, the poorest."""
    numbers = [str(1 + i) for i in range(len(QUINTILES))]
    by_quintile = measure["group"] == "quintile" and group in numbers
    return QUINTILES[numbers.index(group)] if by_quintile else group
