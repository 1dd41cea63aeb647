"""The server of the page."""

from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import urlsplit

import nicegui
from nicegui import app, ui
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memopolis.dashboard import controls
from memopolis.dashboard.address import LOCAL, Listener
from memopolis.dashboard.page import build_page
from memopolis.dashboard.viewer import Viewer
from memopolis.dashboard.watch.replay import ReplayWatch
from memopolis.dashboard.watch.watch import Watch
from memopolis.sim.recording.garbage import freeze_agents

# Access control: reject requests from the pages of other sites.

POLICY = {
    "default-src": "'self'",
    # NiceGUI sends the elements as a script, and Vue compiles templates in the browser.
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
"""Content security policy: load nothing from other hosts, allow no frames."""

HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Middleware that rejects requests from other sites' pages and sends the headers above.

    A browser names the site whose page makes a request in `Origin`: with every web socket and every
    request that could change something. It must be the host and port of `Host`. Other requests,
    such as those for pictures, are recognised by `Sec-Fetch-Site`; a link to the page is followed.
    A program that is not a browser sends neither and is let in, since it could send any. `hosts`
    are the allowed names in the `Host` header; None for any.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str] | None) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or reject it with status 403."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope))

        async def protected(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if not refusal:
            await self._app(scope, receive, protected)
        elif scope["type"] == "http":
            await PlainTextResponse(refusal, 403)(scope, receive, protected)
        else:
            await send({"type": "websocket.close", "code": 1008})  # sent as status 403

    def _refusal(self, headers: Headers) -> str:
        """Return the reason to reject a request, or ""."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or (self._hosts is not None and _name(hosts[0]) not in self._hosts):
            return "This page is served to this machine only: open it at the printed address."
        foreign = any(not _is_at(origin, hosts[0]) for origin in headers.getlist("origin"))
        if foreign or _is_fetched_by_another_site(headers):
            return "This page cannot be used from the pages of other sites."
        return ""


def _is_at(origin: str, host: str) -> bool:
    """Return whether an origin has this host and port; the scheme may be that of a proxy."""
    scheme, mark, rest = origin.lower().partition("://")
    return scheme in {"http", "https"} and bool(mark) and rest == host.lower()


def _is_fetched_by_another_site(headers: Headers) -> bool:
    if headers.get("sec-fetch-site", "none") in {"none", "same-origin"}:
        return False
    return bool(headers.get("sec-fetch-dest") != "document")


def _name(host: str) -> str:
    """Return the name in a `Host` header without the port; "" if it is invalid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


_FOLDER = Path(__file__).parent
_STYLES = (_FOLDER / "colours.css", _FOLDER / "page.css")
_SCRIPTS = (_FOLDER / "page.js",)
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
    ui.add_head_html(f"<script>{controls.MODE_SCRIPT}</script>", shared=True)
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
