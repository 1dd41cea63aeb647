"""The page: its header and the panels of each tab."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from memopolis.dashboard.controls import Controls
from memopolis.dashboard.tabs import Tab, tabs_of
from memopolis.dashboard.viewer import Viewer, line_of

_EVERY = 0.1
"""Seconds between two checks for changes."""
_WENT_BACK = "memopolis-went-back"
_LISTEN = f"""
window.addEventListener('popstate', () => emitEvent('{_WENT_BACK}', location.search));
"""


@dataclass
class _Shelf:
    """The tabs of one visitor, each with the element that contains its panels."""

    tabs: dict[str, Tab]
    places: dict[str, ui.element] = field(default_factory=dict)
    built: set[str] = field(default_factory=set)


def build_page(viewer: Viewer, tab: str = "", agent: int | None = None) -> None:
    """Build the page of one visitor.

    Args:
        viewer: The visitor.
        tab: Name of the initial tab; "" for the first.
        agent: unique_id of the initially chosen citizen; None for no citizen.
    """
    viewer.agent = agent
    controls = Controls(viewer)
    shelf = _Shelf({one.name: one for one in tabs_of(viewer)})
    first = tab if tab in shelf.tabs else next(iter(shelf.tabs))
    with ui.element("main"):
        _tabs(viewer, shelf, first)
    viewer.show(first)
    _go_back(viewer)

    client = ui.context.client
    client.on_exception(controls.tell)

    def refresh() -> None:
        if client.has_socket_connection:
            controls.refresh()
            viewer.refresh()

    ui.timer(_EVERY, refresh)


def _tabs(viewer: Viewer, shelf: _Shelf, first: str) -> None:
    def turn(event: ValueChangeEventArguments[Any]) -> None:
        if viewer.tab != event.value:
            viewer.show(str(event.value))

    with ui.tabs(on_change=turn).props("align=left no-caps outside-arrows") as bar:
        for tab in shelf.tabs.values():
            ui.tab(tab.name, label=tab.label).props(f"data-testid=tab-{tab.name}")
    with ui.tab_panels(bar, value=first, animated=False):
        for name in shelf.tabs:
            with ui.tab_panel(name).props(f"data-testid=panel-{name}") as place:
                shelf.places[name] = place

    def show(name: str) -> None:
        if name not in shelf.tabs:
            return
        if name not in shelf.built:
            shelf.built.add(name)
            with shelf.places[name]:
                for panel in shelf.tabs[name].panels:
                    build_panel(viewer, name, panel)
        bar.value = name
        _keep_address(viewer)

    viewer.on_show = show


def build_panel(viewer: Viewer, tab: str, panel: Callable[[Viewer], None]) -> None:
    """Build a panel, or an error message in its place."""
    with ui.element("div").classes("panel-place"):
        line = ui.label().classes("failed").props("role=alert")
        line.set_visibility(False)

        def tell(message: str) -> None:
            line.text = f"This part cannot be shown: {message}" if message else ""
            line.set_visibility(bool(message))

        try:
            with viewer.building(tab, tell):
                panel(viewer)
        except Exception as error:  # noqa: BLE001 - one panel may not take the page with it
            tell(line_of(error))


def _go_back(viewer: Viewer) -> None:
    """Make the browser's Back and Forward buttons switch between tabs and citizens."""

    def went(event: GenericEventArguments) -> None:
        message = parse_qs(str(event.args).removeprefix("?"))
        agent = message.get("agent", [""])[0]
        viewer.agent = int(agent) if agent.isdecimal() else None
        viewer.address = _address_of(message.get("tab", [viewer.tab])[0], viewer.agent)
        viewer.show(message.get("tab", [viewer.tab])[0])

    ui.on(_WENT_BACK, went)
    ui.add_body_html(f"<script>{_LISTEN}</script>")


def _keep_address(viewer: Viewer) -> None:
    """Put tab and citizen into the address, so that reloading and Back restore them."""
    address = _address_of(viewer.tab, viewer.agent)
    if not viewer.address:
        ui.navigate.history.replace(address)
    elif viewer.address != address:
        ui.navigate.history.push(address)
    viewer.address = address


def _address_of(tab: str, agent: int | None) -> str:
    return f"/?tab={tab}" + ("" if agent is None else f"&agent={agent}")
