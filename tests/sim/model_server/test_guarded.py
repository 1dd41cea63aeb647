"""Hostile servers: huge and compressed bodies, redirects, floods of headers, echoes of the key."""

import asyncio
import gzip
import json
import tracemalloc
import zlib
from typing import Any

import pytest
from tests.chat_server import ChatServer, Play

from memopolis.sim.errors import ServerError
from memopolis.sim.mind.call import Call, Message, Reply
from memopolis.sim.mind.chat_request import LARGEST
from memopolis.sim.mind.openai_client import OpenAIClient
from memopolis.sim.model_server.connection import Connection
from memopolis.sim.model_server.key import KEY, MASK

pytest.importorskip("openai")
pytestmark = [pytest.mark.extras, pytest.mark.llm]

SECRET = "sk-secret-0123456789"  # noqa: S105 - servers of the test alone see it
MEGABYTE = 2**20
BOMB = gzip.compress(bytes(64 * MEGABYTE))
CALL = Call(1, "think", 1, 0, 0, (Message("user", "Go?"),), {"type": "object"}, 60, model="m")

type Servers = tuple[ChatServer, ChatServer]


def ask(server: ChatServer) -> Reply:
    client = OpenAIClient("m", base_url=server.url, retries=0)
    try:
        return client.complete([CALL])[0]
    finally:
        client.close()


def answer(text: str) -> bytes:
    return json.dumps({"choices": [{"message": {"content": text}}]}).encode()


BODIES: dict[str, tuple[bytes, str]] = {
    "plain": (bytes(8 * MEGABYTE), "identity"),
    "gzip": (BOMB, "gzip"),
    "many empty blocks": (BOMB[:10] + b"\x00\x00\x00\xff\xff" * MEGABYTE, "gzip"),
    "deflate": (zlib.compress(bytes(64 * MEGABYTE)), "deflate"),
    "twice": (gzip.compress(BOMB), "gzip, gzip"),
    "brotli": (BOMB, "br"),
    "zstd": (BOMB, "zstd"),
    "no gzip": (b"x" * 1_000, "gzip"),
}


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("kind", BODIES)
def test_a_large_body_of_any_status_needs_little_memory(
    servers: Servers, kind: str, status: int
) -> None:
    from memopolis.sim.model_server.guarded import is_too_long

    server, _ = servers
    body, encoding = BODIES[kind]
    server.script = lambda *_: Play(
        body=body, status=status, headers={"Content-Encoding": encoding}
    )
    connection = Connection(server.url, largest=LARGEST)
    try:
        asking = fetch(connection)
        connection.loop.run(asyncio.sleep(0))
        tracemalloc.start()
        response = connection.loop.run(asking)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        connection.close()
    assert response.status_code == status
    assert response.content == b""
    assert is_too_long(response) == (kind in {"plain", "gzip", "many empty blocks"})
    # The server sends a copy of its body from this process.
    assert peak < 4 * MEGABYTE + 2 * len(body)


async def fetch(connection: Connection) -> Any:
    """Send a request by the HTTP client that the package openai is given."""
    http = connection.clients[0]._client
    return await http.send(http.build_request("POST", f"{connection.clients[0].base_url}x", json={
        "model": "m", "messages": [],
    }))  # fmt: skip


def test_a_too_long_answer_is_distinguished_from_a_refusal(servers: Servers) -> None:
    server, _ = servers
    server.script = lambda *_: Play(body=BOMB, headers={"Content-Encoding": "gzip"})
    assert ask(server).outcome == "too_long"
    server.script = lambda *_: Play(body=BOMB, status=400, headers={"Content-Encoding": "gzip"})
    assert ask(server).outcome == "refused"


def test_a_compressed_answer_is_read(servers: Servers) -> None:
    server, _ = servers
    server.script = lambda *_: Play(
        body=gzip.compress(answer("Yes. " * 1_000)), headers={"Content-Encoding": "gzip"}
    )
    assert ask(server).text == "Yes. " * 1_000


def test_too_many_headers_end_the_connection(servers: Servers) -> None:
    server, _ = servers
    server.script = lambda *_: Play("x", headers={f"X-{n}": "y" * 1_000 for n in range(500)})
    assert ask(server).outcome == "connection"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(
    servers: Servers, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    server, other = servers
    server.script = lambda *_: Play(
        status=status, headers={"Location": f"{other.url}/chat/completions?{SECRET}"}
    )
    with pytest.raises(
        ServerError, match=rf"redirects to another address \(HTTP {status}"
    ) as error:
        ask(server)
    assert other.asked == []
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    "body",
    [
        answer(f"Your key is {SECRET}."),
        answer(f"Your key is {SECRET}.").replace(b"sk-", b"\\u0073k\\u002D"),
        answer(f"Your key is {SECRET}.").decode().encode("utf-8-sig")[3:],
    ],
)
def test_an_answer_that_quotes_the_key_is_masked(
    servers: Servers, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    server, _ = servers
    server.script = lambda *_: Play(body=body)
    assert ask(server).text == f"Your key is {MASK}."
    assert server.keys == {f"bearer {SECRET}"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_other_encodings_do_not_bypass_the_mask(
    servers: Servers, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    server, _ = servers
    body = answer(SECRET).decode().encode(encoding)
    server.script = lambda *_: Play(
        body=body, headers={"Content-Type": f"application/json; charset={encoding}"}
    )
    assert ask(server).outcome == "server"


def test_an_invalid_header_with_the_key_is_masked_in_the_error(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    server, _ = servers
    server.script = lambda *_: Play(headers={f"Bad header {SECRET}": "x"})
    connection = Connection(server.url, largest=LARGEST)
    with pytest.raises(Exception, match=r"\[OPENAI_API_KEY\]") as error:
        connection.loop.run(fetch(connection))
    connection.close()
    assert SECRET not in repr(error.value)
