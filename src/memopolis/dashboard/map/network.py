"""The social network of each run: a connected sample, coloured by an attribute."""

from functools import partial
from typing import Any, NamedTuple

from nicegui import ui

from memopolis.analysis.figures.network_now import (
    NetworkNow,
    first_colour,
    has_network,
    network_in_words,
)
from memopolis.analysis.figures.shades import number_choices
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import button, panel, select, set_properties
from memopolis.dashboard.map.element import drawing
from memopolis.dashboard.map.network_frames import describe_colours, describe_ties
from memopolis.dashboard.network_file import NETWORKS, network_file
from memopolis.dashboard.panels.saving import download
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.watch import Moment


def network(viewer: Viewer) -> None:
    """Show the network of each run."""
    chosen = [""]
    with panel("network-panel", "Network"):
        row = ui.element("div").classes("controls").props("data-testid=network-choices")
        with ui.element("div").classes("figures"):
            drawn = [_Network(viewer, number, chosen) for number in range(len(viewer.watch.names))]

    async def show() -> None:
        """Show the moment in all networks together."""
        turn, moment = viewer.turn, viewer.moment
        ready = [one for one in drawn if one.is_ready]
        frames = [(one, await viewer.work(partial(one.read, moment))) for one in ready]
        for one, frame in frames:
            one.show(turn, len(frames), frame)

    async def choose(column: str) -> None:
        chosen[0] = column
        await show()

    async def offer() -> None:
        run = next((run for run in viewer.runs if has_network(run)), None)
        if row.default_slot.children or run is None:
            return
        # None before people were recorded.
        columns = await viewer.work(lambda: number_choices(run))
        if columns and not row.default_slot.children:
            first = chosen[0] = chosen[0] or await viewer.work(partial(first_colour, run))
            with row:
                select("Colour by", columns, first, choose, test_id="network-colour")
                for kind, name in NETWORKS.items():
                    click, mark = (
                        partial(_save, viewer, kind),
                        f"network-save{kind.replace('.', '-')}",
                    )
                    button(f"Save as {name}", click, test_id=mark, look="outline")

    viewer.on_change(show)
    viewer.on_change(offer)


async def _save(viewer: Viewer, kind: str) -> None:
    """Save the network of each run at the moment."""
    moment, names = viewer.moment, viewer.watch.names
    for run, name in zip(moment.runs, names, strict=True):
        if has_network(run):
            contents = await viewer.work(partial(network_file, run, kind))
            title = f"Network, {name}" if len(names) > 1 else "Network"
            download(contents, title, moment.step, kind[1:])


class _Network:
    """The network of one run."""

    def __init__(self, viewer: Viewer, number: int, chosen: list[str]) -> None:
        self._viewer, self._number, self._chosen = viewer, number, chosen
        self._society: object = None
        self._drawing = drawing(viewer, number, "network", self.restart)

    @property
    def is_ready(self) -> bool:
        """Whether the browser can draw it, and the run has ties."""
        return self._drawing.is_ready and has_network(self._viewer.runs[self._number])

    async def restart(self) -> None:
        """Send everything again."""
        self._society = None
        if self.is_ready:
            turn, moment = self._viewer.turn, self._viewer.moment
            self.show(turn, 1, await self._viewer.work(partial(self.read, moment)))

    def read(self, moment: Moment) -> "_Frame":
        """Read ties and colours of a moment; does not change the page."""
        run = moment.runs[self._number]
        now = NetworkNow.of(run, self._chosen[0])
        words = network_in_words(run, self._chosen[0]) if moment.state != "playing" else ""
        colours = {"step": moment.step, **describe_colours(now)}
        return _Frame(moment.society, describe_ties(now), colours, words)

    def show(self, turn: int, size: int, frame: "_Frame") -> None:
        """Send the ties once, and the colours of a moment; `size` networks change together."""
        if self._society != frame.society:
            self._society = frame.society
            self._drawing.run_method("setTies", frame.ties)
        self._drawing.show(turn, size, frame.colours)
        if frame.words:
            set_properties(self._drawing, **{"aria-label": harmless(frame.words)})


class _Frame(NamedTuple):
    """What a network shows at a moment."""

    society: object
    ties: dict[str, Any]
    colours: dict[str, Any]
    words: str
