"""The charts that a scenario's measures declare."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from memopolis.analysis.figures.charts import chart_in_words, titles
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.charts.board import ChartBoard
from memopolis.dashboard.charts.points import ChartPoints
from memopolis.dashboard.elements import panel, select

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run
    from memopolis.dashboard.viewer import Viewer

_ALL = "0"  # option for all charts


def charts(viewer: "Viewer") -> None:
    """Show the charts of each run, in two columns on wide screens."""
    declared = _declared(viewer.runs)
    if not declared:
        ui.label("The measures of this scenario declare no charts.").classes("quiet")
        return
    with panel("charts", "Charts"):
        _Board(viewer, declared)


class _Board:
    """The charts of one visitor."""

    def __init__(self, viewer: "Viewer", declared: Sequence[str]) -> None:
        self._viewer, self._titles = viewer, declared
        self._points: list[tuple[int, ChartPoints]] = []
        self._society: object = None
        self._number = 0
        if len(declared) > 1:
            shown = {_ALL: "All charts"} | {str(i): title for i, title in enumerate(declared, 1)}
            with ui.element("div").classes("controls"):
                select("Show", shown, _ALL, self._choose, test_id="chart-choice")
        self._board = ChartBoard(self._restart)
        viewer.on_change(self._show)

    def _choose(self, number: str) -> None:
        self._number = int(number)
        self._board.choose(self._number)

    def _restart(self) -> None:
        self._society = None
        self._show()

    def _show(self) -> None:
        """Send the new points of all charts."""
        moment = self._viewer.moment
        if not self._board.is_ready:
            return
        if self._society != moment.society:
            self._society = moment.society
            self._build()
        changes = []
        for number, points in self._points:
            run = moment.runs[number]
            change = points.next(run, moment.runs)
            if moment.state != "playing":
                change["words"] = harmless(chart_in_words(run, points.title))
            changes.append(change)
        self._board.show(self._viewer.turn, moment.step, changes)

    def _build(self) -> None:
        """Describe the charts: those of one title side by side."""
        runs, names = self._viewer.runs, self._viewer.watch.names
        specs, self._points = [], []
        for number, title in enumerate(self._titles, 1):
            for place, run in enumerate(runs):
                if title not in titles(run):
                    continue
                name = harmless(names[place]) if len(runs) > 1 else ""
                points = ChartPoints(title)
                specs.append(points.describe(run, number, place + 1, name))
                self._points.append((place, points))
        self._board.set_charts(specs)
        self._board.choose(self._number)


def _declared(runs: "Sequence[Run]") -> list[str]:
    """Return the titles of the charts of all runs, without duplicates."""
    return list(dict.fromkeys(title for run in runs for title in titles(run)))
