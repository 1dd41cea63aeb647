r"""Reject requests that cannot be decoded; the official package would not answer them.

A client may send a lone surrogate as an escape, "\ud800". That is valid JSON but not valid text;
the package drops such a request, and its sender would wait indefinitely.
"""

import json
from types import TracebackType
from typing import Any, Self

from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from memopolis.mcp_server.paging import is_text


class Readable:
    """A stream of the readable messages of a client; unreadable requests are rejected."""

    def __init__(self, read: Any, write: Any) -> None:
        self._read, self._write = read, write

    @property
    def last_context(self) -> Any:
        """The context of the latest message, from the package's own streams."""
        return self._read.last_context

    async def receive(self) -> Any:
        """Return the next readable message."""
        while (refusal := refusal_of(body := await self._read.receive())) is not None:
            await self._write.send(SessionMessage(refusal))
        return body

    async def aclose(self) -> None:
        """Close the stream."""
        await self._read.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        from anyio import EndOfStream

        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def refusal_of(body: object) -> JSONRPCError | None:
    """Return the answer to an unreadable line; None for others, or if no client waits."""
    if not isinstance(body, ValidationError):
        return None
    wrong = body.errors(include_url=False)[0]
    try:
        request = json.loads(wrong["input"]) if wrong["type"] == "json_invalid" else None
    except (ValueError, RecursionError):
        return None
    number = request.get("id") if isinstance(request, dict) else None
    if not isinstance(number, str | int) or not is_text(number):
        return None
    why = wrong["msg"] if is_text(request) else "a text in it contains a lone surrogate"
    text = f"the request cannot be read: {why}"
    error = ErrorData(code=PARSE_ERROR, message=text)
    return JSONRPCError(jsonrpc="2.0", id=number, error=error)
