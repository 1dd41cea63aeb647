"""The page: its header and tabs, and the panels of each tab."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from memopolis.dashboard.ask.panel import ask
from memopolis.dashboard.charts.panel import charts
from memopolis.dashboard.controls import Controls
from memopolis.dashboard.elements import error_line, set_properties, show_line
from memopolis.dashboard.feed.panel import feed
from memopolis.dashboard.life.citizen import citizen
from memopolis.dashboard.map.panel import network, place, unrecorded
from memopolis.dashboard.panels.citizens import citizens
from memopolis.dashboard.panels.saving import saving
from memopolis.dashboard.settings.form import settings_form
from memopolis.dashboard.shocks.panel import shocks
from memopolis.dashboard.tour import Tour
from memopolis.dashboard.viewer import CITIZEN, PanelPlace, Viewer, line_of

_REFRESH_INTERVAL = 0.02  # seconds between two checks for changes
type Panel = Callable[[Viewer], None]
"""Builds a panel for a visitor."""


@dataclass(frozen=True)
class Tab:
    """A tab of the page."""

    name: str  # name for `Viewer.show`
    label: str  # label of the tab
    # Its panels, from top to bottom; a tuple of them is shown side by side
    panels: tuple[Panel | tuple[Panel, ...], ...]


_MAP = Tab("map", "Map and charts", ((place, feed), charts, saving))
_CHARTS = Tab("map", "Charts", (unrecorded, (charts, feed), saving))
_STEERING = (Tab("shocks", "Shocks", (shocks,)), Tab("settings", "Settings", (settings_form,)))


def build_page(viewer: Viewer, tab: str = "", agent: int | None = None) -> None:
    """Build the page of one visitor."""
    viewer.agent = agent
    tabs = {tab.name: tab for tab in _tabs_of(viewer)}
    controls = Controls(viewer, Tour(viewer, tabs))
    first = tab if tab in tabs else next(iter(tabs))
    _build_tabs(viewer, tabs, first)
    viewer.show(first)
    _listen_to_history(viewer)

    client = ui.context.client
    client.on_exception(controls.show_error)

    def refresh() -> None:
        if client.has_socket_connection:
            viewer.look()
            controls.refresh()
            viewer.refresh()

    ui.timer(_REFRESH_INTERVAL, refresh)


def _build_tabs(viewer: Viewer, tabs: Mapping[str, Tab], first: str) -> None:
    """Build the bar of tabs; the panels of a tab are built when it is first shown."""

    def choose(event: ValueChangeEventArguments[Any]) -> None:
        if viewer.tab != event.value:
            viewer.show(str(event.value))

    with ui.tabs(on_change=choose).props("align=left no-caps outside-arrows") as bar:
        for tab in tabs.values():
            ui.tab(tab.name, label=tab.label).props(f"data-testid=tab-{tab.name}")
    with ui.tab_panels(bar, value=first, animated=False):
        places = {name: ui.tab_panel(name).props(f"data-testid=panel-{name}") for name in tabs}
    built: set[str] = set()

    def show(name: str) -> None:
        if name not in tabs:
            return
        if name not in built:
            built.add(name)
            with places[name]:
                for row in tabs[name].panels:
                    _build_row(viewer, name, row)
        bar.value = name
        _store_address(viewer)

    viewer.on_show = show


def _build_row(viewer: Viewer, tab: str, row: Panel | tuple[Panel, ...]) -> None:
    """Build a panel, or several side by side, which narrow screens show one below the other."""
    if not isinstance(row, tuple):
        build_panel(viewer, tab, row)
        return
    with ui.element("div").classes("beside"):
        for panel in row:
            build_panel(viewer, tab, panel)


def build_panel(viewer: Viewer, tab: str, panel: Panel) -> None:
    """Build a panel, or an error message in its place."""
    with ui.element("div").classes("panel-place") as frame:
        line = error_line()

        def show_error(message: str) -> None:
            show_line(line, f"This part cannot be shown: {message}" if message else "")

        def mark(turn: int) -> None:
            set_properties(frame, **{"data-turn": turn})

        try:
            with viewer.building(PanelPlace(tab, show_error, mark)):
                panel(viewer)
        except Exception as error:  # noqa: BLE001 - the other panels still work
            show_error(line_of(error))


def _listen_to_history(viewer: Viewer) -> None:
    """Make the browser's Back and Forward buttons switch between tabs and citizens."""

    def go_back(event: GenericEventArguments) -> None:
        query = parse_qs(str(event.args).removeprefix("?"))
        agent = query.get("agent", [""])[0]
        tab = query.get("tab", [viewer.tab])[0]
        viewer.agent = int(agent) if agent.isdecimal() else None
        viewer.address = _address_of(tab, viewer.agent)
        viewer.show(tab)

    ui.on("memopolis-went-back", go_back)  # sent by page.js


def _store_address(viewer: Viewer) -> None:
    """Put tab and citizen into the address, so that reloading and Back restore them."""
    address = _address_of(viewer.tab, viewer.agent)
    if not viewer.address:
        ui.navigate.history.replace(address)
    elif viewer.address != address:
        ui.navigate.history.push(address)
    viewer.address = address


def _address_of(tab: str, agent: int | None) -> str:
    return f"/?tab={tab}" + ("" if agent is None else f"&agent={agent}")


def _tabs_of(viewer: Viewer) -> list[Tab]:
    """Return the tabs for a watch."""
    runs = viewer.runs
    placed = any("zones" in run.tables for run in runs)
    tied = any("ties" in run.tables for run in runs)
    tabs = [_MAP if placed else _CHARTS]
    tabs += [Tab("network", "Network", (network,))] if tied else []
    tabs += [
        Tab("citizens", "Citizens", (citizens,)),
        Tab(CITIZEN, "Citizen", (citizen,)),
        Tab("ask", "Ask", (ask,)),
    ]
    return tabs if viewer.live is None else [*tabs, *_STEERING]
