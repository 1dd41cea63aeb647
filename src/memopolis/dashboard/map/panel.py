"""The map of each run: people, storm and orders, with display options."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.figures.shades import DENSITY, number_choices
from memopolis.analysis.figures.storm_now import has_track, has_wind
from memopolis.analysis.figures.zones_now import zones_in_words
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import checkbox, panel, select, set_properties
from memopolis.dashboard.map.element import drawing
from memopolis.dashboard.map.frames import ACTIVITY, PLAIN, MapFrames, MapOptions
from memopolis.dashboard.map.place_shape import describe_place

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run
    from memopolis.dashboard.viewer import Viewer


def place(viewer: "Viewer") -> None:
    """Show the map of each run."""
    options = MapOptions()
    with panel("map-panel", "Map"):
        row = ui.element("div").classes("controls").props("data-testid=map-choices")
        with ui.element("div").classes("figures"):
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

    def show() -> None:
        for one in maps:
            one.show()

    viewer.on_change(show)
    viewer.on_change(offer)


class _Map:
    """The map of one run."""

    def __init__(self, viewer: "Viewer", number: int, options: MapOptions) -> None:
        self._viewer, self._number, self._options = viewer, number, options
        self._frames = MapFrames()
        self._society: object = None
        self._described = ""
        self.drawing = drawing(viewer, number, "map", self.restart)

    @property
    def _run(self) -> "Run | None":
        run = self._viewer.runs[self._number]
        return run if has_place(run) else None

    def restart(self) -> None:
        """Send everything again."""
        self._society = None
        self.show()

    def show(self) -> None:
        """Send what has changed."""
        run = self._run
        if not self.drawing.is_ready or run is None:
            return
        if self._society != self._viewer.moment.society:
            self._society, self._frames = self._viewer.moment.society, MapFrames()
            self.drawing.run_method("setPlace", describe_place(run))
        frame = self._frames.next(run, self._options, self._viewer.moment.step)
        self.drawing.show(self._viewer.turn, frame)
        self._describe(run)

    def _describe(self, run: "Run") -> None:
        """Describe the map in words for screen readers, while time stands still."""
        if self._viewer.moment.state != "playing" or not self._described:
            shade = DENSITY if self._options.shade == PLAIN else self._options.shade
            self._described = harmless(zones_in_words(run, shade=shade))
            set_properties(self.drawing, **{"aria-label": self._described})


def _choices(
    options: MapOptions,
    columns: Mapping[str, str],
    layers: Mapping[str, bool],
    maps: "list[_Map]",
) -> None:
    """Build the options: colours, a shade, and the layers that the run has."""

    def choose(name: str, value: str) -> None:
        setattr(options, name, value)
        for one in maps:
            one.show()

    def switch(name: str, value: bool) -> None:  # noqa: FBT001 - a handler
        for one in maps:
            one.drawing.run_method("setOptions", {name: value})

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
