"""Charts that compare arms: means over seeds, and below them the differences from the first arm."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.analysis.compare.intervals import interval_rows
from memopolis.analysis.compare.over_time import difference_over_time, values_by_seed
from memopolis.analysis.figures.charts import ChartLines, titles
from memopolis.analysis.figures.over_time import span
from memopolis.analysis.figures.style import COLOURS, Look, look
from memopolis.analysis.labels import scaled, short
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.charts.points import (
    describe_chart,
    event_marks,
    line_change,
    milliseconds,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memopolis.analysis.compare.arm_folders import Arm
    from memopolis.analysis.run.run import Run

MOST_ARMS = len(COLOURS)
"""Maximum number of arms in one chart: each has a colour of its own."""
_NAME = 40


@dataclass(frozen=True, eq=False)
class OverlayLine:
    """An arm, or its difference from the first arm, over time.

    Attributes:
        name: Name of the arm.
        look: Style of the line.
        table: Columns mean, low and high by the time at which a step began.
        hours: Length of a step.
        is_difference: Whether it is a difference from the first arm.
    """

    name: str
    look: Look
    table: pd.DataFrame
    hours: float
    is_difference: bool

    def until(self, date: datetime) -> pd.DataFrame:
        """Return the rows of the steps that were complete at a date."""
        last = pd.Timestamp(date) - pd.Timedelta(hours=self.hours)
        return self.table[
            : int(pd.DatetimeIndex(self.table.index).searchsorted(last, side="right"))
        ]


@dataclass(frozen=True, eq=False)
class Overlay:
    """One measure of several arms, as a chart of the page.

    Attributes:
        title: Title of the declared chart.
        spec: Description for the browser, see `board.js`.
        lines: The arms that have the measure, then their differences from the first.
        reach: Start of the first run and end of the last.
    """

    title: str
    spec: dict[str, Any]
    lines: tuple[OverlayLine, ...]
    reach: tuple[datetime, datetime]

    def in_words(self, date: datetime) -> str:
        """Describe the chart in words: the latest value of each line with its interval."""
        parts = []
        for line in self.lines:
            known = line.until(date).dropna(subset="mean")
            subject = f"{line.name} {self.spec['difference']}" if line.is_difference else line.name
            parts.append(f"{subject}: {_value(known)}")
        name = ", ".join(filter(None, (self.title, self.spec["name"])))
        return f"{name}: {'; '.join(parts)}."


@dataclass(eq=False)
class OverlayPoints:
    """What a visitor was sent of a chart of arms.

    Attributes:
        overlay: The chart.
    """

    overlay: Overlay
    _sent: dict[tuple[str, bool], int] = field(default_factory=dict)

    def next(self, run: "Run", date: datetime) -> dict[str, Any]:
        """Return the new points of the chart at a date.

        Args:
            run: The run whose events are marked, at that date.
            date: Local time of the page.
        """
        changes = []
        for line in self.overlay.lines:
            key, rows = (line.name, line.is_difference), line.until(date)
            keep = min(self._sent.get(key, 0), len(rows))
            self._sent[key] = len(rows)
            new = rows.iloc[keep:]
            times = [milliseconds(when) for when in pd.DatetimeIndex(new.index)]
            change = line_change(line.name, keep, times, new.to_numpy(), line.look)
            changes.append(change | {"difference": line.is_difference})
        first, last = map(milliseconds, self.overlay.reach)
        reach = [[first, None], [last, None]]
        return {"lines": changes, "marks": event_marks(run), "reach": reach}


def overlays_of(arms: "Sequence[Arm]") -> tuple[Overlay, ...]:
    """Return the charts that compare arms, the first being the reference; none for a single run.

    Raises:
        RunFolderError: If a run cannot be read.
    """
    shown = arms[:MOST_ARMS]
    runs = [run for arm in shown for run in arm.runs]
    if len(runs) < 2:
        return ()
    reach = min(run.start for run in runs), max(span(run)[1] for run in runs)
    overlays = []
    for number, title in enumerate(dict.fromkeys(t for run in runs for t in titles(run)), 1):
        declaring = [run for run in runs if title in titles(run)]
        sources: dict[str, tuple[dict[str, Any], str]] = {}
        for run in declaring:
            sources = {**ChartLines.of(run, title).sources, **sources}
        for place, (label, (measure, group)) in enumerate(sources.items(), 1):
            lines = _lines(shown, measure, group)
            spec = describe_chart(declaring[0], title, number) | {
                "name": one_line(label, most=_NAME) if len(sources) > 1 else "",
                "run": place,
                "difference": f"minus {lines[0].name}" if lines[-1].is_difference else "",
            }
            overlays.append(Overlay(title, spec, tuple(lines), reach))
    return tuple(overlays)


def explain(arms: "Sequence[Arm]") -> str:
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


def _lines(arms: "Sequence[Arm]", measure: dict[str, Any], group: str) -> list[OverlayLine]:
    """Return the lines of the arms that have a measure, then the differences from the first."""
    scale = scaled(measure["unit"])[0]
    known = {
        number: scale * values
        for number, arm in enumerate(arms)
        for values in [values_by_seed(arm.runs, measure["name"], group)]
        if len(values)
    }

    def line(number: int, table: pd.DataFrame, *, is_difference: bool) -> OverlayLine:
        arm = arms[number]
        name = one_line(arm.name, most=_NAME)
        return OverlayLine(name, look(number), table, arm.runs[0].hours, is_difference)

    lines = [
        line(number, interval_rows(values.to_numpy(), values.index), is_difference=False)
        for number, values in known.items()
    ]
    if 0 in known:
        differences = {n: difference_over_time(known[n], known[0]) for n in known if n}
        lines += [line(n, table, is_difference=True) for n, table in differences.items()]
    return lines


def _value(known: pd.DataFrame) -> str:
    if known.empty:
        return "no data yet"
    last = known.iloc[-1]
    if np.isnan(last["low"]):
        return short(last["mean"])
    return f"{short(last['mean'])} ({short(last['low'])} to {short(last['high'])})"
