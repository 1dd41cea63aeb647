"""Elements of the page with a map or a network, drawn in the browser."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from nicegui import ui
from nicegui.events import GenericEventArguments

from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.viewer import Viewer

_NAME = 60


class Drawing(ui.element, component="map.js", esm={"memopolis-map": "js"}):  # type: ignore[call-arg]
    """The map or the network of a run, by its number from 0; a click on an agent opens its life.

    `ready` is called when the browser can draw, and again after it has rebuilt the element.
    """

    def __init__(
        self,
        viewer: Viewer,
        number: int,
        kind: Literal["map", "network"],
        ready: Callable[[], object],
    ) -> None:
        super().__init__()
        self.props(f"kind={kind} role=group data-testid={kind}-{number + 1} data-turn=0")
        self.classes("map-canvas")
        self.is_ready = False

        def start() -> object:
            self.is_ready = True
            return ready()

        def answer(event: GenericEventArguments) -> None:
            agent = int(event.args)
            name = viewer.runs[number].name_of(agent)
            self.run_method("setName", agent, one_line(name, most=_NAME))

        self.on("ready", start, [])
        self.on("open", lambda event: viewer.choose(int(event.args)))
        self.on("hover", answer)

    def show(self, turn: int, size: int, frame: dict[str, Any]) -> None:
        """Show a frame as soon as the clock of the page shows its turn.

        `size` is the number of drawings that show their frame of this turn together.
        """
        self.run_method("show", turn, size, frame)


class Swipe(ui.element, component="swipe.js"):  # type: ignore[call-arg]
    """Two maps, side by side, or one over the other with a border that the visitor moves."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.props["names"] = [one_line(name, most=_NAME) for name in names]
        self.props["over"] = False


def drawing(
    viewer: Viewer, number: int, kind: Literal["map", "network"], ready: Callable[[], object]
) -> Drawing:
    """Build the map or network of one run, below its name if there are two runs."""
    names = viewer.watch.names
    with ui.element("figure").classes("figure").props(f"data-testid=figure-{kind}-{number + 1}"):
        if len(names) > 1:
            with ui.element("figcaption").classes("run-name"):
                ui.label(harmless(names[number]))
        return Drawing(viewer, number, kind, ready)
