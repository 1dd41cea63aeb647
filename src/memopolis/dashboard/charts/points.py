"""The points of a chart that the browser does not have yet."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.analysis.figures.charts import ChartLines
from memopolis.analysis.figures.lines import looks_of
from memopolis.analysis.figures.over_time import MARKS, STRONG, span
from memopolis.analysis.figures.style import Look
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.map.packing import numbers_or_none

_DAY, _MONTH = 24.0, 24.0 * 28
_NAME = 40
_DIGITS = 8


class ChartPoints:
    """What was sent of a chart of one run."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._sent: dict[str, int] = {}

    def next(self, run: Run) -> dict[str, Any]:
        """Return the new points of the chart at a moment of the run."""
        lines = ChartLines.of(run, self.title)
        looks = looks_of([*lines.sources])
        sent, self._sent = self._sent, {}
        changes = []
        for label in lines.sources:
            ticks, values = lines.points(label)
            keep = min(sent.get(label, 0), len(ticks))
            self._sent[label] = len(ticks)
            times = milliseconds(run.start) + np.round(ticks[keep:] * run.hours * 3.6e6)
            changes.append(line_change(label, keep, times, values[keep:], looks[label]))
        reach = [[milliseconds(when), None] for when in span(run)]
        return {"lines": changes, "marks": event_marks(run), "reach": reach}


def describe_chart(run: Run, title: str, number: int) -> dict[str, Any]:
    """Describe a chart of a run before its points; `number` is from 1."""
    lines = ChartLines.of(run, title)
    return {
        "title": title,
        "subtitle": lines.subtitle,
        "unit": lines.unit,
        "share": lines.is_share,
        "zero": lines.from_zero,
        "grain": grain_of(run),
        "name": "",
        "number": number,
        "run": 1,
        "difference": "",
        "notes": "",
    }


def grain_of(run: Run) -> str:
    """Return how exactly the browser shows dates: by month, day or hour."""
    return "month" if run.hours >= _MONTH else "day" if run.hours >= _DAY else "hour"


def line_change(
    name: str, keep: int, times: ArrayLike, values: NDArray[np.float64], look: Look
) -> dict[str, Any]:
    """Return the new points of a line, of which the browser has `keep`.

    `times` are milliseconds since 1970, shape (points,); `values` have the same shape, or (points,
    3) for mean, low and high.
    """
    columns = np.atleast_2d(values.T)
    new = np.empty((len(columns) + 1, columns.shape[1]), object)
    new[0] = np.asarray(times, np.float64).tolist()
    for row, column in zip(new[1:], columns, strict=True):
        row[:] = numbers_or_none(column, _DIGITS)
    return {
        "name": one_line(name, most=_NAME),
        "keep": keep,
        "points": new.T.ravel().tolist(),
        "columns": len(new),
        "colour": look.colour,
        "dash": "solid" if look.dash == "-" else [3 * x for x in look.dash[1]],
        "difference": False,
    }


def event_marks(run: Run) -> list[dict[str, Any]]:
    """Return the events that have happened, as marks."""
    first, last = span(run)
    dates = {fact: run.date_of(fact) for fact in MARKS}
    return [
        {"at": milliseconds(when), "label": MARKS[fact], "strong": fact in STRONG}
        for fact, when in dates.items()
        if when is not None and first <= when <= last
    ]


def milliseconds(when: datetime) -> float:
    """Return a local time as milliseconds since 1970; the browser shows it as it is."""
    return round(when.replace(tzinfo=UTC).timestamp() * 1000)
