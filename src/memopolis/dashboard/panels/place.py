"""The map: people, storm and orders, with display options."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from memopolis.analysis.figures.place_now import has_place
from memopolis.analysis.figures.shades import DENSITY, shade_choices
from memopolis.analysis.figures.storm_now import has_track, has_wind
from memopolis.analysis.figures.style import WIDTH
from memopolis.analysis.figures.zones_now import zones_in_words, zones_now
from memopolis.dashboard.elements import checkbox, panel, select
from memopolis.dashboard.panels.pictures import SIDE_BY_SIDE, Picture, PictureRequest, Pictures
from memopolis.dashboard.viewer import Viewer


@dataclass
class _Chosen:
    """The display options of one visitor."""

    shade: str = DENSITY
    wind: bool = True
    track: bool = True
    people: bool = True


def place(viewer: Viewer) -> None:
    """Show the map of each run."""
    chosen = _Chosen()
    with panel("map-panel", "Map"):
        row = ui.element("div").classes("controls").props("data-testid=map-choices")
        picture = Picture(viewer, "map")
    pictures = Pictures(viewer, lambda: [(picture, _request(chosen, len(viewer.runs)))])

    offered: list[dict[str, Any]] = []

    async def offer() -> None:
        run = next((run for run in viewer.runs if has_place(run)), None)
        if run is None:
            return
        parts = {"wind": has_wind(run), "track": has_track(run)}
        # More options exist once people were recorded.
        if offered and offered[0] == parts and len(offered[1]) > 1:
            return
        shades = await viewer.work(lambda: shade_choices(run))
        if offered != [parts, shades]:
            offered[:] = [parts, shades]
            row.clear()
            with row:
                _choices(chosen, shades, pictures.choose, **parts)

    viewer.on_change(offer)


def _request(chosen: _Chosen, runs: int) -> PictureRequest:
    shade, wind, track, people = chosen.shade, chosen.wind, chosen.track, chosen.people
    return PictureRequest(
        f"map-{shade}-{wind:d}{track:d}{people:d}",
        lambda run, width: zones_now(
            run, shade=shade, wind=wind, track=track, people=people, width=width
        ),
        lambda run: zones_in_words(run, shade=shade),
        WIDTH if runs == 1 else SIDE_BY_SIDE,
    )


def _choices(
    chosen: _Chosen, shades: dict[str, str], changed: Callable[[], None], *, wind: bool, track: bool
) -> None:
    """Build the options: a shade, and the layers that the run has."""

    def choose(name: str, value: object) -> None:
        setattr(chosen, name, value)
        changed()

    select("Shade zones by", shades, chosen.shade, partial(choose, "shade"), test_id="map-shade")
    parts = {"wind": ("Wind", wind), "track": ("Storm track", track), "people": ("People", True)}
    for name, (label, is_available) in parts.items():
        if is_available:
            checkbox(label, partial(choose, name), checked=True, test_id=f"map-{name}")
