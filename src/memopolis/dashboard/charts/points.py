"""The points of a chart that the browser does not have yet."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.analysis.figures.charts import ChartLines
from memopolis.analysis.figures.lines import looks_of
from memopolis.analysis.figures.over_time import MARKS, STRONG, span
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.map.packing import numbers_or_none

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

_DAY, _MONTH = 24.0, 24.0 * 28
_NAME = 40
_DIGITS = 8


class ChartPoints:
    """What was sent of a chart of one run.

    Attributes:
        title: Title of the chart.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._sent: dict[str, int] = {}

    def describe(self, run: "Run", number: int, place: int, name: str) -> dict[str, Any]:
        """Describe the chart before its points.

        `number` counts charts and `place` runs, both from 1; `name` is "" if the run is the only
        one.
        """
        self._sent = {}
        lines = ChartLines.of(run, self.title)
        grain = "month" if run.hours >= _MONTH else "day" if run.hours >= _DAY else "hour"
        return {
            "title": self.title,
            "subtitle": lines.subtitle,
            "unit": lines.unit,
            "share": lines.is_share,
            "zero": lines.from_zero,
            "grain": grain,
            "name": name,
            "number": number,
            "run": place,
        }

    def next(self, run: "Run", beside: Sequence["Run"]) -> dict[str, Any]:
        """Return the new points of the chart at a moment.

        The charts of all runs shown side by side, `beside`, have the same range.
        """
        lines = ChartLines.of(run, self.title)
        looks = looks_of([*lines.sources])
        sent, self._sent = self._sent, {}
        changes = []
        for label in lines.sources:
            ticks, values = lines.points(label)
            keep = min(sent.get(label, 0), len(ticks))
            self._sent[label] = len(ticks)
            times = _milliseconds(run.start) + np.round(ticks[keep:] * run.hours * 3.6e6)
            new = np.empty(2 * len(times), object)
            new[0::2], new[1::2] = times.tolist(), numbers_or_none(values[keep:], _DIGITS)
            look = looks[label]
            changes.append(
                {
                    "name": one_line(label, most=_NAME),
                    "keep": keep,
                    "points": new.tolist(),
                    "colour": look.colour,
                    "dash": "solid" if look.dash == "-" else [3 * x for x in look.dash[1]],
                }
            )
        return {"lines": changes, "marks": _marks(run), "reach": self._reach(run, beside)}

    def _reach(self, run: "Run", beside: Sequence["Run"]) -> list[list[float | None]]:
        """Return the start and end of the time axis, with the lowest and highest value."""
        first, last = (_milliseconds(when) for when in span(run))
        if len(beside) < 2:
            return [[first, None], [last, None]]
        values = [
            points
            for one in beside
            for lines in [ChartLines.of(one, self.title)]
            for points in (lines.points(label)[1] for label in lines.sources)
        ]
        known = np.concatenate([np.zeros(0), *values])
        known = known[np.isfinite(known)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (None, None)
        return [[first, low], [last, high]]


def _marks(run: "Run") -> list[dict[str, Any]]:
    """Return the events that have happened, as marks."""
    first, last = span(run)
    dates = {fact: run.date_of(fact) for fact in MARKS}
    return [
        {"at": _milliseconds(when), "label": MARKS[fact], "strong": fact in STRONG}
        for fact, when in dates.items()
        if when is not None and first <= when <= last
    ]


def _milliseconds(when: datetime) -> float:
    """Return a local time as milliseconds since 1970; the browser shows it as it is."""
    return round(when.replace(tzinfo=UTC).timestamp() * 1000)
