"""Charts that compare arms: means over seeds, and below them the differences from the first arm."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from memopolis.analysis.compare.arm_folders import Arm
from memopolis.analysis.compare.over_time import (
    difference_over_time,
    mean_over_time,
    values_by_seed,
    values_of_same_agents,
)
from memopolis.analysis.figures.charts import ChartLines, titles
from memopolis.analysis.figures.lines import Panel
from memopolis.analysis.figures.over_time import date_axes, span, time_axis
from memopolis.analysis.figures.style import COLOURS, Look, canvas, look
from memopolis.analysis.labels import limits_of, scaled, short
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.charts.points import (
    describe_chart,
    event_marks,
    line_change,
    milliseconds,
)

MOST_ARMS = len(COLOURS)
"""Maximum number of arms in one chart: each has a colour of its own."""
_NAME = 40
_BAND = "Bands: 95% intervals of means over seeds"


@dataclass(frozen=True, eq=False)
class OverlayLine:
    """An arm, or its difference from the first arm, over time."""

    arm: str
    look: Look
    table: pd.DataFrame  # columns mean, low and high by the time at which a step began
    hours: float  # length of a step
    is_difference: bool

    def until(self, date: datetime) -> pd.DataFrame:
        """Return the rows of the steps that were complete at a date."""
        return self.table[: pd.Timestamp(date) - pd.Timedelta(hours=self.hours)]


@dataclass(frozen=True, eq=False)
class Overlay:
    """One measure of several arms, as a chart of the page."""

    spec: dict[str, Any]  # description for the browser, see `board.js`
    lines: tuple[OverlayLine, ...]  # the arms that have the measure, then their differences
    reach: tuple[datetime, datetime]  # start of the first run and end of the last

    @property
    def name(self) -> str:
        """Title of the declared chart, with the group or measure if it has several."""
        return ", ".join(filter(None, (self.spec["title"], self.spec["name"])))

    def in_words(self, date: datetime) -> str:
        """Describe the chart in words: the latest value of each line with its interval."""
        parts = [self.spec["notes"]] * bool(self.spec["notes"])
        for line in self.lines:
            known = line.until(date).dropna(subset="mean")
            subject = f"{line.arm} {self.spec['difference']}" if line.is_difference else line.arm
            parts.append(f"{subject}: {_value(known)}")
        return f"{self.name}: {'; '.join(parts)}."

    def table(self, date: datetime) -> pd.DataFrame:
        """Return the numbers until a date: arm, minus ("" for values), time, mean, low and high."""
        minus = self.spec["difference"].removeprefix("minus ")
        names = [(line.arm, minus if line.is_difference else "") for line in self.lines]
        tables = [line.until(date) for line in self.lines]
        return pd.concat(tables, keys=names, names=["arm", "minus", "time"]).reset_index()

    def draw(self, run: Run, date: datetime) -> Figure:
        """Draw the chart until a date; `run` has the events that are marked, at that date."""
        panels = []
        for is_difference in (False, True) if self.spec["difference"] else (False,):
            lines = [line for line in self.lines if line.is_difference == is_difference]
            tables = {line.arm: line.until(date) for line in lines}
            panels.append(
                Panel(
                    {arm: table["mean"] for arm, table in tables.items()},
                    label=self.spec["difference"] if is_difference else "",
                    unit=self.spec["unit"],
                    share=self.spec["share"],
                    zero=self.spec["zero"] and not is_difference,
                    looks={line.arm: line.look for line in lines},
                    reference=0.0 if is_difference else None,
                    bands=tables,
                )
            )
        has_bands = any(line.table["low"].notna().any() for line in self.lines)
        facts = (self.spec["subtitle"], _BAND if has_bands else "", self.spec["notes"])
        subtitle = ". ".join(fact.removesuffix(".") for fact in facts if fact)
        figure, every_axes = canvas(self.name, subtitle, rows=len(panels), height=3.0)
        for axes, drawn in zip(every_axes, panels, strict=True):
            drawn.draw(axes)
        date_axes(run, *every_axes)
        for axes in every_axes:
            time_axis(axes, self.reach[0], min(max(date, span(run)[1]), self.reach[1]))
        return figure


class OverlayPoints:
    """What a visitor was sent of a chart of arms."""

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self._sent = [0] * len(overlay.lines)

    def next(self, run: Run, date: datetime) -> dict[str, Any]:
        """Return the new points of the chart at a date; `run` has the events that are marked."""
        changes = []
        for number, line in enumerate(self.overlay.lines):
            rows = line.until(date)
            keep = min(self._sent[number], len(rows))
            self._sent[number] = len(rows)
            new = rows.iloc[keep:]
            times = [milliseconds(when) for when in pd.DatetimeIndex(new.index)]
            change = line_change(line.arm, keep, times, new.to_numpy(), line.look)
            changes.append(change | {"difference": line.is_difference})
        reach = [[milliseconds(when), None] for when in self.overlay.reach]
        return {"lines": changes, "marks": event_marks(run), "reach": reach}


class Overlays:
    """The charts that compare arms, of which the first is the reference.

    The measures of all runs are read when the charts are first needed, which takes a while.
    """

    def __init__(self, arms: Sequence[Arm]) -> None:
        self._arms, self._lock = tuple(arms), threading.Lock()

    def __bool__(self) -> bool:
        """Return whether there is anything to compare: more than one run."""
        return sum(len(arm.folders) for arm in self._arms[:MOST_ARMS]) > 1

    def charts(self) -> tuple[Overlay, ...]:
        """Return the charts. Raises RunFolderError if a run cannot be read."""
        with self._lock:
            return self._charts

    def explain(self) -> str:
        """Explain what the charts show."""
        return explain(self._arms)

    @cached_property
    def _charts(self) -> tuple[Overlay, ...]:
        return tuple(_overlays_of(self._arms[:MOST_ARMS]))


def _overlays_of(arms: Sequence[Arm]) -> "Iterator[Overlay]":
    names = _names(arms)
    runs = [run for arm in arms for run in arm.runs]
    reach = min(run.start for run in runs), max(span(run)[1] for run in runs)
    for number, title in enumerate(dict.fromkeys(t for run in runs for t in titles(run)), 1):
        declaring = [run for run in runs if title in titles(run)]
        sources: dict[str, tuple[dict[str, Any], str]] = {}
        for run in declaring:
            sources = {**ChartLines.of(run, title).sources, **sources}
        for place, (label, (measure, group)) in enumerate(sources.items(), 1):
            lines, notes = _lines(arms, names, measure, group)
            spec = describe_chart(declaring[0], title, number) | {
                "name": one_line(label, most=_NAME) if len(sources) > 1 else "",
                "run": place,
                "difference": f"minus {lines[0].arm}" if lines[-1].is_difference else "",
                "notes": ". ".join(notes),
            }
            yield Overlay(spec, tuple(lines), reach)


def explain(arms: Sequence[Arm]) -> str:
    """Explain what the charts of arms show."""
    shown, parts = arms[:MOST_ARMS], []
    seeds = max(len(arm.folders) for arm in shown)
    if seeds > 1:
        parts.append(f"Means over up to {seeds} seeds, with 95% intervals.")
    if len(shown) > 1:
        first = {run.seed for run in shown[0].runs}
        paired = all(first & {run.seed for run in arm.runs} for arm in shown[1:])
        how = ", paired by seed" if paired else "; seeds differ, so they are not paired"
        parts.append(f"Below each, differences from {shown[0].name}{how}.")
    if seeds == 1:
        parts.append("With one seed there is no interval: a difference may be chance.")
    if len(shown) < len(arms):
        parts.append(f"The first {len(shown)} of {len(arms)} arms.")
    return " ".join(parts)


def _lines(
    arms: Sequence[Arm], names: Sequence[str], measure: dict[str, Any], group: str
) -> tuple[list[OverlayLine], list[str]]:
    """Return the lines of arms, then the differences from the first, and notes on missing groups.

    An arm in which no agent is in the group has the line of the agents that are in it in another.
    """
    scale, limits = scaled(measure["unit"])[0], limits_of(measure)
    known = {
        number: scale * values
        for number, arm in enumerate(arms)
        for values in [values_by_seed(arm.runs, measure["name"], group)]
        if len(values)
    }
    notes, like = [], min(known)
    for number, arm in enumerate(arms):
        if number not in known:
            values = values_of_same_agents(arm.runs, arms[like].runs, measure, group)
            if len(values):
                known[number] = scale * values
                notes.append(f"In {names[number]}: the agents of this group in {names[like]}")
            else:
                notes.append(f"Not in {names[number]}")

    def line(number: int, table: pd.DataFrame, *, is_difference: bool) -> OverlayLine:
        hours = arms[number].runs[0].hours
        return OverlayLine(names[number], look(number), table, hours, is_difference)

    lines = [
        line(number, mean_over_time(values, limits=limits), is_difference=False)
        for number, values in sorted(known.items())
    ]
    for number in sorted(known) if 0 in known else ():
        if number:
            table = difference_over_time(known[number], known[0], limits=limits)
            lines.append(line(number, table, is_difference=True))
    return lines, notes


def _names(arms: Sequence[Arm]) -> list[str]:
    """Return short names of arms, numbered if they would be the same."""
    names = [one_line(arm.name, most=_NAME) for arm in arms]
    if len({*names}) < len(names):
        return [one_line(f"{n}: {arm.name}", most=_NAME) for n, arm in enumerate(arms, 1)]
    return names


def _value(known: pd.DataFrame) -> str:
    if known.empty:
        return "no data yet"
    last = known.iloc[-1]
    if np.isnan(last["low"]):
        return short(last["mean"])
    return f"{short(last['mean'])} ({short(last['low'])} to {short(last['high'])})"
