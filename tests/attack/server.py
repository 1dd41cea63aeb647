"""A local model server that records every request and sends prepared answers."""

import gzip
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """What the server sends for one request.

    Attributes:
        body: The body.
        status: Status of HTTP.
        headers: Headers to add.
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """What the server was sent.

    Attributes:
        path: Path of the URL.
        key: Header `Authorization`, "" if there is none.
        schema: Properties that the answer should have; empty if the request names none.
    """

    path: str
    key: str
    schema: dict[str, Any]


type Script = Callable[[Request], Answer]


class ModelServer:
    """A server in threads of its own; a context manager.

    Args:
        script: Returns the answer to a request; good answers if left out.

    Attributes:
        requests: Everything that was asked, in order of arrival.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.requests: list[Request] = []
        answer = script or good_answer
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                key = self.headers.get("Authorization", "")
                requests.append(Request(self.path, key, _schema(body)))
                sent = answer(requests[-1])
                self.send_response(sent.status)
                length = {"Content-Length": str(len(sent.body))}
                for name, value in (length | sent.headers).items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(sent.body)
                except OSError:
                    self.close_connection = True  # the client has read enough

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        """Port at which it listens."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Where it is, as `--base-url` takes it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def faults(self) -> list[str]:
        """What leaked to this server, if it should never have been asked."""
        keys = sum(bool(one.key) for one in self.requests)
        asked = len(self.requests)
        return [f"{asked} requests reached the server, {keys} with a key"] if asked else []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _schema(body: bytes) -> dict[str, Any]:
    try:
        schema = json.loads(body)["response_format"]["json_schema"]["schema"]["properties"]
    except (ValueError, LookupError, TypeError):
        return {}
    return dict(schema)


def good_answer(request: Request, words: str = "because") -> Answer:
    """Return an answer that fits the schema of a request, with these words as its text."""
    if request.path.endswith("/embeddings"):
        return Answer(b"{}", 400)  # which no client asks for again
    values: dict[str, object] = {}
    for name, schema in request.schema.items():
        if "enum" in schema:
            values[name] = schema["enum"][0]
        elif schema.get("type") == "number":
            values[name] = schema.get("minimum", 0)
        elif schema.get("type") == "object":
            values[name] = dict.fromkeys(schema["properties"], 1)
        else:
            values[name] = words
    return Answer(chat_body(json.dumps(values)), headers={"Content-Type": "application/json"})


def chat_body(text: str) -> bytes:
    """Return the body of a chat answer."""
    message = {"role": "assistant", "content": text}
    answer = {
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 9},
    }  # fmt: skip
    return json.dumps(answer).encode()


@cache
def compressed(megabytes: int) -> bytes:
    """Return so many megabytes of spaces, compressed by gzip."""
    return gzip.compress(b" " * (megabytes * 1_000_000), compresslevel=1)
