"""Access control: reject requests from the pages of other sites."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
