"""Other sites' pages can neither frame the page nor speak to its server."""

import base64
import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dashboard.server import HOST, Server, serving

pytestmark = pytest.mark.extras

SAVERS = f"{Path(__file__).parents[1].resolve()}/analysis/savers.py:Savers"
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport="
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(),
}
OWN = "http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(SAVERS, folder=tmp_path_factory.mktemp("page")) as started:
        yield started


def answer(
    server: Server, method: str, path: str, headers: dict[str, str]
) -> tuple[int, http.client.HTTPMessage]:
    """Status and headers of an answer, as a program without a browser gets it."""
    filled = {name: value.format(port=server.port) for name, value in headers.items()}
    asked = http.client.HTTPConnection(HOST, server.port, timeout=20)
    try:
        asked.request(method, path, headers=filled)
        response = asked.getresponse()
        return response.status, response.headers
    finally:
        asked.close()


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({}, False),
        ({"Origin": OWN}, False),
        ({"Host": "localhost:{port}", "Origin": "http://localhost:{port}"}, False),
        ({"Host": "[::1]:9000", "Origin": "http://[::1]:9000"}, False),
        ({"Origin": "http://evil.example"}, True),
        ({"Origin": "http://127.0.0.1:1"}, True),
        ({"Origin": "http://localhost:{port}"}, True),
        ({"Origin": "http://127.0.0.1:{port}.evil.example"}, True),
        ({"Origin": "http://["}, True),
        ({"Origin": "null"}, True),
        ({"Origin": ""}, True),
        ({"Host": "evil.example:{port}"}, True),
        ({"Host": "evil.example:{port}", "Origin": "http://evil.example:{port}"}, True),
        ({"Host": "["}, True),
    ],
)
@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        (("GET", "/", {}), 200),
        (("POST", "/", {}), 405),
        (("GET", f"{SOCKET}polling", {}), 200),
        (("GET", f"{SOCKET}websocket", UPGRADE), 101),
    ],
    ids=["page", "change", "polling", "socket"],
)
def test_another_site_is_refused(
    server: Server,
    asked: tuple[str, str, dict[str, str]],
    taken: int,
    headers: dict[str, str],
    *,
    refused: bool,
) -> None:
    method, path, more = asked
    status, _ = answer(server, method, path, headers | more)
    assert status == (403 if refused else taken)


@pytest.mark.parametrize(
    ("site", "dest", "status"),
    [
        ("cross-site", "document", 200),
        ("none", "document", 200),
        ("same-origin", "empty", 200),
        ("cross-site", "iframe", 403),
        ("same-site", "empty", 403),
        ("cross-site", "script", 403),
    ],
)
def test_links_to_the_page_work_but_embedding_is_refused(
    server: Server, site: str, dest: str, status: int
) -> None:
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest}
    assert answer(server, "GET", "/", headers)[0] == status


def test_every_answer_forbids_frames_and_content_from_elsewhere(server: Server) -> None:
    for path, headers in (("/", {}), ("/nothing", {}), ("/", {"Origin": "http://evil.example"})):
        _, result = answer(server, "GET", path, headers)
        policy = dict(part.split(" ", 1) for part in result["Content-Security-Policy"].split("; "))
        assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
        assert policy["default-src"] == policy["connect-src"] == policy["form-action"] == "'self'"
        assert not any("http" in sources or "*" in sources for sources in policy.values())
        assert result["X-Frame-Options"] == "DENY"
        assert result["X-Content-Type-Options"] == "nosniff"
        assert result["Referrer-Policy"] == "no-referrer"
