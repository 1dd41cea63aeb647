"""The page: pages of other origins and other names of this machine must not reach it."""

import base64
from collections.abc import Callable
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path

from tests.attack.case import Case, Outcome, judge
from tests.attack.served_page import ServedPage, header_of, status_of
from tests.attack.workshop import Workshop

_SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
_POLLING = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
_SWITCHED = 101


def _handshake(origin: str | None, host: str | None = None) -> dict[str, str]:
    """Return the headers that open a WebSocket."""
    return {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
        **({} if origin is None else {"Origin": origin}),
        **({} if host is None else {"Host": host}),
    }


type Check = Callable[[ServedPage], tuple[list[str], str]]


def _own_socket(page: ServedPage) -> tuple[list[str], str]:
    status = status_of(page.head(_SOCKET, _handshake(f"http://127.0.0.1:{page.port}")))
    return ([] if status == _SWITCHED else [f"status {status}"]), f"status {status}"


def _foreign_sockets(page: ServedPage) -> tuple[list[str], str]:
    origins = (
        "http://evil.example", "null", f"http://127.0.0.1:{page.port + 1}", "https://127.0.0.1",
        f"http://127.0.0.1.evil.example:{page.port}", f"http://evil.example:{page.port}", "file://",
    )  # fmt: skip
    faults = []
    for origin in origins:
        status = status_of(page.head(_SOCKET, _handshake(origin)))
        faults += [f"Origin {origin}: opened"] if status == _SWITCHED else []
    return faults, f"{len(origins)} origins, 0 opened"


def _foreign_polling(page: ServedPage) -> tuple[list[str], str]:
    head = page.head(_POLLING, {"Origin": "http://evil.example"})
    allowed = header_of(head, "Access-Control-Allow-Origin")
    faults = [f"Access-Control-Allow-Origin: {allowed}"] if allowed else []
    faults += ["status 200"] if status_of(head) == 200 else []
    return faults, f"status {status_of(head)}"


def _rebound(page: ServedPage) -> tuple[list[str], str]:
    faults = []
    hosts = ("evil.example", f"evil.example:{page.port}", f"127.0.0.1.evil.example:{page.port}")
    for host in hosts:
        status = status_of(page.head("/", {"Host": host}))
        faults += [f"Host {host}: status {status}"] if status < 400 else []
        status = status_of(page.head(_SOCKET, _handshake(f"http://{host}", host)))
        faults += [f"Host {host}: WebSocket opened"] if status == _SWITCHED else []
    return faults, f"{len(hosts)} hosts, page and WebSocket, 0 answered"


def _headers(page: ServedPage) -> tuple[list[str], str]:
    head = page.head("/")
    policy = header_of(head, "Content-Security-Policy")
    faults = [] if status_of(head) == 200 else [f"status {status_of(head)}"]
    faults += [
        f"no {wanted} in the policy {policy!r}"
        for wanted in ("default-src", "frame-ancestors 'none'")
        if wanted not in policy
    ]
    return faults, policy


_CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("a WebSocket of the page itself", "opened, status 101", _own_socket),
    ("WebSockets with the Origin of other pages", "none opened", _foreign_sockets),
    ("long polling with the Origin of another page", "refused, nothing allowed", _foreign_polling),
    ("names of other hosts that lead to this machine", "refused", _rebound),
    ("headers of the page", "a content security policy, frame-ancestors 'none'", _headers),
)


@cache
def _served(run: Path) -> ServedPage:
    """Serve a run until this worker process ends, so that all cases share one page."""
    page = ServedPage(run, cwd=run.parent)
    page.__enter__()
    Finalize(None, page.__exit__, args=(None, None, None), exitpriority=1)
    return page


def _checked(workshop: Workshop, *, check: Check) -> Outcome:
    """Try one thing with the page of a finished run."""
    page = _served(workshop.shared("opinions"))
    if not page.port:
        return Outcome(passed=False, got=f"not served: {page.output[-150:]}")
    return judge(*check(page))


CASES = [
    Case(tried, expected, partial(_checked, check=check)) for tried, expected, check in _CHECKS
]
