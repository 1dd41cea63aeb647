"""A citizen's needs, emotions and attitudes over time, as charts."""

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from nicegui import ui

from memopolis.analysis.figures.lines import looks_of
from memopolis.analysis.figures.over_time import span
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.charts.panel import ChartBoard
from memopolis.dashboard.charts.points import event_marks, grain_of, line_change, milliseconds
from memopolis.dashboard.life.components import section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run
    from memopolis.dashboard.viewer import Viewer

_SUBTITLES = {
    "needs": "Satisfaction, from 0% (not at all) to 100% (fully)",
    "emotions": "Intensity, from 0 to 10",
    "attitudes": "Rating, from 0 (oppose) to 10 (support)",
}
_PREFIXES = {"emotions": "emotion.", "attitudes": "attitude."}


def labels_of(run: "Run", population: str, kind: str) -> dict[str, str]:
    """Return the recorded needs, emotions or attitudes of a population: labels by attribute."""
    declared, prefix = run.attributes(population), _PREFIXES.get(kind, "")
    names = [
        name
        for name, facts in declared.items()
        if (name.startswith(prefix) if prefix else facts.get("role") == "need")
    ]
    return {name: name.removeprefix(prefix).replace("_", " ") for name in names}


class Curves:
    """Needs, emotions and attitudes over time, in each run."""

    def __init__(self, viewer: "Viewer") -> None:
        with section("Needs, emotions and attitudes over time", "over-time"):
            self._none = ui.label("None of these were recorded for this citizen.").classes("quiet")
            self._sides = side_by_side(viewer, lambda number: _Side(viewer, number))

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Show the lives until their moment."""
        shown = [side.show(one) for side, one in zip(self._sides, opened, strict=True)]
        self._none.set_visibility(not any(shown))


class _Side:
    """The charts of one citizen in one run; the browser is sent new points only."""

    def __init__(self, viewer: "Viewer", number: int) -> None:
        self._viewer, self._number = viewer, number
        self._opened: OpenedAgent | None = None
        self._built: object = None
        self._ticks: list[int] = []
        self._board = ChartBoard(self._restart)

    def show(self, one: OpenedAgent) -> bool:
        """Show a life; return whether it has anything to show."""
        self._opened = one
        if one.life is None:
            return False
        rows = one.run.agent_rows(one.agent)
        labels = {kind: labels_of(one.run, one.life.population, kind) for kind in _SUBTITLES}
        labels = {
            kind: {name: label for name, label in of.items() if name in rows}
            for kind, of in labels.items()
        }
        kinds = [kind for kind in _SUBTITLES if labels[kind]]
        if self._board.is_ready:
            self._build(one, kinds)
            ticks = rows["tick"].tolist()
            same = takewhile(lambda pair: pair[0] == pair[1], zip(self._ticks, ticks, strict=False))
            keep = len([*same])
            self._ticks = ticks
            changes = [change_of(one, kind, rows, labels[kind], keep) for kind in kinds]
            self._board.show(self._viewer.turn, one.run.ticks, changes)
        return bool(kinds)

    def _restart(self) -> None:
        self._built = None
        if self._opened is not None:
            self.show(self._opened)

    def _build(self, one: OpenedAgent, kinds: Sequence[str]) -> None:
        """Build the charts of another citizen."""
        if self._built == (one.agent, kinds):
            return
        self._built, self._ticks = (one.agent, kinds), []
        specs = [
            {
                "title": kind.capitalize(),
                "subtitle": _SUBTITLES[kind],
                "grain": grain_of(one.run),
                "share": kind == "needs",
                "limits": [0, 1 if kind == "needs" else 10],
                "number": kind,
                "run": self._number,
            }
            for kind in kinds
        ]
        self._board.set_charts(specs)


def change_of(
    one: OpenedAgent, kind: str, rows: pd.DataFrame, labels: dict[str, str], keep: int
) -> dict[str, Any]:
    """Return the points of a chart after the first `keep`, and the chart in words."""
    run, looks = one.run, looks_of([*labels.values()])
    times = [milliseconds(when) for when in rows["time"][keep:]]
    lines = [
        line_change(label, keep, times, rows[name][keep:].to_numpy(np.float64), looks[label])
        for name, label in labels.items()
    ]
    now = rows[[*labels]].tail(1).rename(columns=labels).to_dict("records")
    form = ".0%" if kind == "needs" else ".2g"
    values = ", ".join(f"{name} {value:{form}}" for each in now for name, value in each.items())
    name = harmless(one.required_life.name)
    return {
        "lines": lines,
        "marks": event_marks(run),
        "reach": [[milliseconds(when), None] for when in span(run)],
        "words": f"{kind.capitalize()} of {name} over time; now {values or 'nothing recorded'}",
    }
