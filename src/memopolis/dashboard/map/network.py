"""The social network of each run: a connected sample, coloured by an attribute."""

from typing import TYPE_CHECKING

from nicegui import ui

from memopolis.analysis.figures.network_now import NetworkNow, has_network, network_in_words
from memopolis.analysis.figures.shades import number_choices
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import panel, select, set_properties
from memopolis.dashboard.map.element import drawing
from memopolis.dashboard.map.network_frames import describe_colours, describe_ties

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer


def network(viewer: "Viewer") -> None:
    """Show the network of each run."""
    chosen = [""]
    with panel("network-panel", "Network"):
        row = ui.element("div").classes("controls").props("data-testid=network-choices")
        with ui.element("div").classes("figures"):
            drawn = [_Network(viewer, number, chosen) for number in range(len(viewer.watch.names))]

    def show() -> None:
        for one in drawn:
            one.show()

    def choose(column: str) -> None:
        chosen[0] = column
        show()

    async def offer() -> None:
        run = next((run for run in viewer.runs if has_network(run)), None)
        if row.default_slot.children or run is None:
            return
        # None before people were recorded.
        columns = await viewer.work(lambda: number_choices(run))
        if columns and not row.default_slot.children:
            first = chosen[0] or next(iter(columns))
            with row:
                select("Colour by", columns, first, choose, test_id="network-colour")

    viewer.on_change(show)
    viewer.on_change(offer)


class _Network:
    """The network of one run."""

    def __init__(self, viewer: "Viewer", number: int, chosen: list[str]) -> None:
        self._viewer, self._number, self._chosen = viewer, number, chosen
        self._society: object = None
        self._drawing = drawing(viewer, number, "network", self.restart)

    def restart(self) -> None:
        """Send everything again."""
        self._society = None
        self.show()

    def show(self) -> None:
        """Send the ties once, and the colours of the moment."""
        run, moment = self._viewer.runs[self._number], self._viewer.moment
        if not self._drawing.is_ready or not has_network(run):
            return
        now = NetworkNow.of(run, self._chosen[0])
        if self._society != moment.society:
            self._society = moment.society
            self._drawing.run_method("setTies", describe_ties(now))
        self._drawing.show(self._viewer.turn, {"step": moment.step, **describe_colours(now)})
        if moment.state != "playing":
            text = harmless(network_in_words(run, self._chosen[0]))
            set_properties(self._drawing, **{"aria-label": text})
