"""The map of each run, with people, storm and orders, and its social network."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from memopolis.analysis.figures.network_now import (
    NetworkNow,
    first_colour,
    has_network,
    network_in_words,
)
from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.figures.shades import DENSITY, number_choices
from memopolis.analysis.figures.storm_now import has_track, has_wind
from memopolis.analysis.figures.zones_now import zones_in_words
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.elements import button, checkbox, note, panel, select, set_properties
from memopolis.dashboard.export import NETWORKS, network_file
from memopolis.dashboard.life.opened import recorded_tables
from memopolis.dashboard.map.frames import (
    ACTIVITY,
    PLAIN,
    MapFrames,
    MapOptions,
    describe_colours,
    describe_ties,
)
from memopolis.dashboard.map.place_shape import describe_place
from memopolis.dashboard.panels.saving import download
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.watch import Moment

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


_RECORDING = "To record them, run with --set record.tables=measures,ledger,agents,moves,world."
_STILL = 0.4  # seconds without a new moment after which the maps are described
_LAYOUTS = {str(False): "Side by side", str(True): "One over the other"}


def unrecorded(viewer: Viewer) -> None:
    """Explain how to record what a map needs, if the runs did not record it."""
    recorded = {*recorded_tables(viewer.runs[0])}
    if "world" not in recorded:
        note(f"No places and ties were recorded, so there is no map and no network. {_RECORDING}")
    elif any(map(has_place, viewer.runs)) and not recorded & {"agents", "moves"}:
        note(f"No positions were recorded, so the map shows no people. {_RECORDING}")


def place(viewer: Viewer) -> None:
    """Show the map of each run."""
    options = MapOptions()
    with panel("map-panel", "Map"):
        unrecorded(viewer)
        row = ui.element("div").classes("controls").props("data-testid=map-choices")
        both = Swipe(viewer.watch.names) if _are_alike(viewer.runs) else None
        with both or ui.element("div").classes("figures"):
            maps = [_Map(viewer, number, options) for number in range(len(viewer.watch.names))]

    offered: list[tuple[Mapping[str, bool], Mapping[str, str]]] = []

    async def offer() -> None:
        run = next((run for run in viewer.runs if has_place(run)), None)
        if run is None:
            return
        layers = {"wind": has_wind(run), "track": has_track(run), "people": True}
        # More attributes are known once people were recorded.
        if offered and offered[0][0] == layers and len(offered[0][1]) > 0:
            return
        columns = await viewer.work(lambda: number_choices(run))
        if offered != [(layers, columns)]:
            offered[:] = [(layers, columns)]
            row.clear()
            with row:
                _choices(options, columns, layers, maps)
                if both is not None:
                    show = partial(_swipe, both)
                    select("Maps", _LAYOUTS, str(both.props["over"]), show, test_id="map-layout")

    viewer.on_change(lambda: _show(maps))
    viewer.on_change(offer)

    def describe() -> None:  # in the background, since the map is complete without it
        background_tasks.create(_describe(viewer, maps, options))

    viewer.on_change(describe)


def _are_alike(runs: Sequence[Run]) -> bool:
    """Return whether there are maps of two runs, and both have the same zones."""
    if len(runs) != 2 or not all(map(has_place, runs)):
        return False
    one, other = (run.zones[["lat", "lon"]] for run in runs)
    return bool(one.equals(other))


def _swipe(both: Swipe, over: str) -> None:
    set_properties(both, over=over == str(True))


def _show(maps: "Sequence[_Map]") -> None:
    """Show the moment on all maps together."""
    ready = [drawn_map for drawn_map in maps if drawn_map.is_ready]
    for drawn_map in ready:
        drawn_map.show(len(ready))


async def _describe(viewer: Viewer, maps: "Sequence[_Map]", options: MapOptions) -> None:
    """Describe the maps in words for screen readers, once time stands still."""
    moment = viewer.moment
    await asyncio.sleep(_STILL)
    if viewer.moment is not moment:
        return
    shade = DENSITY if options.shade == PLAIN else options.shade
    for one, run in zip(maps, viewer.runs, strict=True):
        if viewer.moment.state != "playing" and has_place(run):
            words = await viewer.work(partial(zones_in_words, run, shade=shade))
            set_properties(one.drawing, **{"aria-label": harmless(words)})


class _Map:
    """The map of one run."""

    def __init__(self, viewer: Viewer, number: int, options: MapOptions) -> None:
        self._viewer, self._number, self._options = viewer, number, options
        self._frames = MapFrames()
        self._society: object = None
        self.drawing = drawing(viewer, number, "map", self.restart)

    @property
    def is_ready(self) -> bool:
        """Whether the browser can draw it, and the run has a place."""
        return self.drawing.is_ready and has_place(self._viewer.runs[self._number])

    def restart(self) -> None:
        """Send everything again."""
        self._society = None
        if self.is_ready:
            self.show(1)

    def show(self, size: int) -> None:
        """Send what has changed; `size` maps are shown together."""
        moment = self._viewer.moment
        run = moment.runs[self._number]
        if self._society != moment.society:
            self._society, self._frames = moment.society, MapFrames()
            self.drawing.run_method("setPlace", describe_place(run))
        frame = self._frames.next(run, self._options, moment.step)
        self.drawing.show(self._viewer.turn, size, frame)


def _choices(
    options: MapOptions, columns: Mapping[str, str], layers: Mapping[str, bool], maps: "list[_Map]"
) -> None:
    """Build the options: colours, a shade, and the layers that the run has."""

    def choose(name: str, value: str) -> None:
        setattr(options, name, value)
        _show(maps)

    def switch(name: str, value: bool) -> None:  # noqa: FBT001 - a handler
        for drawn_map in maps:
            drawn_map.drawing.run_method("setOptions", {name: value})

    colours = {ACTIVITY: "Activity", **columns}
    select(
        "Colour people by", colours, options.colour, partial(choose, "colour"), test_id="map-colour"
    )
    shades = {PLAIN: "None", DENSITY: "Current population", **columns}
    select("Shade zones by", shades, options.shade, partial(choose, "shade"), test_id="map-shade")
    labels = {"wind": "Wind", "track": "Storm track", "people": "People"}
    for name, label in labels.items():
        if layers[name]:
            checkbox(label, partial(switch, name), checked=True, test_id=f"map-{name}")
    checkbox("Roads", partial(switch, "roads"), checked=True, test_id="map-roads")


# The social network of each run: a connected sample, coloured by an attribute.


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
        ready = [network for network in drawn if network.is_ready]
        frames = [(network, await viewer.work(partial(network.read, moment))) for network in ready]
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
