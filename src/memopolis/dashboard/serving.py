"""The server of the page."""

from collections.abc import Callable
from pathlib import Path

import nicegui
from nicegui import app, ui

from memopolis.dashboard import modes
from memopolis.dashboard.address import LOCAL, Listener
from memopolis.dashboard.guard import Guard
from memopolis.dashboard.page import build_page
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.replay import ReplayWatch
from memopolis.dashboard.watch.watch import Watch
from memopolis.sim.recording.garbage import freeze_agents

_FOLDER = Path(__file__).parent
_STYLES = (_FOLDER / "colours.css", _FOLDER / "page.css")
_SCRIPTS = (_FOLDER / "page.js", _FOLDER / "tour" / "tour.js")
_QUASAR_COLOURS = {
    "primary": "blue",
    "positive": "green",
    "negative": "red",
    "dark": "panel",
    "dark_page": "page",
}
"""Colours of Quasar by their names in `colours.css`."""
_MOST_DIGITS = 19
_RECONNECT_TIMEOUT = 15.0
"""Seconds to wait for a visitor whose connection broke, such as during a long step."""
_ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
    "<circle cx='5' cy='6' r='3.4' fill='#0072B2'/><circle cx='11' cy='10' r='3.4' fill='#D55E00'/>"
    "</svg>"
)


def serve(
    new_watch: Callable[[], Watch],
    listener: Listener,
    on_start: Callable[[], None],
    *,
    title: str,
    opened: bool,
) -> None:
    """Serve the page until the process is stopped; call `on_start` when the page can be opened."""
    nicegui.run.process_pool_start_method = "spawn"
    for style in _STYLES:
        ui.add_css(style.read_text(encoding="utf-8"), shared=True)
    ui.add_head_html(f"<script>{modes.SCRIPT}</script>", shared=True)
    for script in _SCRIPTS:
        ui.add_body_html(f"<script>{script.read_text(encoding='utf-8')}</script>", shared=True)
    # Quasar's bar for requests has no name for screen readers, and the page makes no requests.
    app.config.quasar_config["loadingBar"]["skipHijack"] = True
    app.on_startup(on_start)
    app.colors(**{name: f"var(--{colour})" for name, colour in _QUASAR_COLOURS.items()})
    # A foreign site may resolve its name to this machine, so a local server accepts only local
    # names.
    app.add_middleware(Guard, hosts=LOCAL if listener.address.host in LOCAL else None)

    @ui.page("/")
    def _page(tab: str = "", agent: str = "", step: str = "") -> None:
        watch = new_watch()
        moment = _number(step)
        if isinstance(watch, ReplayWatch) and moment is not None:
            watch.go_to(moment)
        viewer = Viewer(watch)
        ui.context.client.on_delete(viewer.close)
        build_page(viewer, tab, _number(agent))

    # Collect garbage once now, while no visitor waits.
    with freeze_agents(for_long=True):
        ui.run(
            host=listener.address.host,
            port=listener.address.port,
            fd=listener.socket.fileno(),
            title=title,
            favicon=_ICON,
            language="en-US",
            dark=None,
            show=opened,
            reload=False,
            reconnect_timeout=_RECONNECT_TIMEOUT,
            tailwind=False,
            show_welcome_message=False,
            uvicorn_logging_level="critical",
            timeout_graceful_shutdown=1,
        )


def _number(text: str) -> int | None:
    """Return a number from the address of the page, None if it is none."""
    return int(text) if text.isdecimal() and len(text) < _MOST_DIGITS else None
