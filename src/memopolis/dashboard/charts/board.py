"""The element with all charts of the page; the browser draws them."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.elements import echart  # noqa: F401 - registers ECharts for the browser


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
