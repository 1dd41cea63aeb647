"""The charts that a scenario's measures declare; of several arms, one chart compares all."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.elements import echart  # noqa: F401 - registers ECharts for the browser

from memopolis.analysis.figures.charts import chart_in_words, titles
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.charts.overlays import Overlay, OverlayPoints
from memopolis.dashboard.charts.points import ChartPoints, describe_chart
from memopolis.dashboard.elements import panel, select
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.watch import Moment


class ChartBoard(ui.element, component="board.js"):  # type: ignore[call-arg]
    """All charts; `ready` is called when the browser can draw them, and after it rebuilt them."""

    def __init__(self, ready: Callable[[], object]) -> None:
        super().__init__()
        self.is_ready = False

        def start() -> object:
            self.is_ready = True
            return ready()

        self.on("ready", start, [])

    def set_charts(self, specs: Sequence[dict[str, Any]]) -> None:
        """Replace all charts."""
        self.run_method("setCharts", list(specs))

    def choose(self, number: int) -> None:
        """Show only one chart, by its number from 1; 0 for all."""
        self.run_method("choose", number)

    def show(self, turn: int, step: int, changes: Sequence[dict[str, Any]]) -> None:
        """Add points to each chart, as soon as the clock of the page shows the turn."""
        self.run_method("show", turn, step, list(changes))


_ALL = "0"  # option for all charts


def charts(viewer: Viewer) -> None:
    """Show the charts of the run, or of all arms, in two columns on wide screens."""
    declared = _declared(viewer.runs)
    if not declared:
        ui.label("The measures of this scenario declare no charts.").classes("quiet")
        return
    with panel("charts", "Charts"):
        _Board(viewer, declared)


class _Board:
    """The charts of one visitor."""

    def __init__(self, viewer: Viewer, declared: Sequence[str]) -> None:
        self._viewer, self._titles = viewer, declared
        self._overlays = viewer.watch.overlays
        self._points: list[ChartPoints | OverlayPoints] = []
        self._society: object = None
        self._number = 0
        if len(declared) > 1:
            shown = {_ALL: "All charts"} | {str(i): title for i, title in enumerate(declared, 1)}
            with ui.element("div").classes("controls"):
                select("Show", shown, _ALL, self._choose, test_id="chart-choice")
        self._note = ui.label().classes("quiet any-text")
        self._note.text = "Reading the measures of all runs ..." if self._overlays else ""
        self._board = ChartBoard(self._restart)
        viewer.on_change(self._show)

    def _choose(self, number: str) -> None:
        self._number = int(number)
        self._board.choose(self._number)

    async def _restart(self) -> None:
        self._society = None
        await self._show()

    async def _show(self) -> None:
        """Send the new points of all charts."""
        if not self._board.is_ready:
            return
        overlays: Sequence[Overlay] = ()
        if self._overlays:
            overlays = await self._viewer.work(self._overlays.charts)
            self._note.text = harmless(self._overlays.explain())
        moment = self._viewer.moment
        if self._society != moment.society:
            self._society = moment.society
            self._build(overlays)
        changes = [self._change(points, moment) for points in self._points]
        self._board.show(self._viewer.turn, moment.step, changes)

    def _build(self, overlays: Sequence[Overlay]) -> None:
        """Describe all charts."""
        run = self._viewer.runs[0]
        if overlays:
            specs = [overlay.spec for overlay in overlays]
            self._points = [OverlayPoints(overlay) for overlay in overlays]
        else:
            specs = [describe_chart(run, title, n) for n, title in enumerate(self._titles, 1)]
            self._points = [ChartPoints(title) for title in self._titles]
        self._board.set_charts(specs)
        self._board.choose(self._number)

    def _change(self, points: ChartPoints | OverlayPoints, moment: Moment) -> dict[str, Any]:
        """Return the new points of a chart, and the chart in words while time stands still."""
        run = moment.runs[0]
        if isinstance(points, OverlayPoints):
            change, words = points.next(run, moment.date), points.overlay.in_words(moment.date)
        else:
            change, words = points.next(run), chart_in_words(run, points.title)
        return change if moment.state == "playing" else change | {"words": harmless(words)}


def _declared(runs: Sequence[Run]) -> list[str]:
    """Return the titles of the charts of all runs, without duplicates."""
    return list(dict.fromkeys(title for run in runs for title in titles(run)))
