"""A client of `memopolis mcp`: JSON-RPC over standard input and output."""

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import Any, Self

from tests.attack.commands import environment, executable

_VERSION = "2025-06-18"
_CLIENT = {"name": "attack", "version": "1"}
_ENDS_WITHIN = 20
_TICKS = os.sysconf("SC_CLK_TCK")


class AssistantClient:
    """A server of runs and a client that talks to it; a context manager.

    Args:
        arguments: What follows `memopolis mcp`.
        cwd: Working directory of the server.
        env: Environment variables to add.
        timeout: Seconds after which the server is killed.
    """

    def __init__(
        self,
        *arguments: str | Path,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        timeout: float = 120.0,
    ) -> None:
        self._errors = TemporaryFile()  # noqa: SIM115 - closed with the server
        self._numbers = count(1)
        self._process = subprocess.Popen(
            [executable(), "mcp", *map(str, arguments)],
            cwd=cwd,
            env=environment(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._deadline = Timer(timeout, self._process.kill)

    def __enter__(self) -> Self:
        self._deadline.start()
        self.ask("initialize", protocolVersion=_VERSION, capabilities={}, clientInfo=_CLIENT)
        with suppress(BrokenPipeError):
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        self._deadline.cancel()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def tool(self, name: str, **arguments: object) -> dict[str, Any]:
        """Call a tool; return the whole response."""
        return self.ask("tools/call", name=name, arguments=arguments)

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Send a request and return its response, or an error if the server ended."""
        number = next(self._numbers)
        with suppress(BrokenPipeError):  # the server has ended, which the answer says
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            response: dict[str, Any] = json.loads(line)
            if response.get("id") == number:
                return response
        return {"error": {"message": f"the server ended: {self.stderr[-300:]}"}}

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    @property
    def stderr(self) -> str:
        """What the server printed on standard error so far."""
        descriptor = self._errors.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")

    @property
    def children(self) -> set[int]:
        """Processes that the server has started and that still run."""
        threads = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        return {int(pid) for thread in threads for pid in thread.read_text().split()}

    @property
    def ended_children_seconds(self) -> float:
        """Processor time of the processes that the server started and that have ended."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[13]) + int(stat[14])) / _TICKS


def is_error(response: Mapping[str, Any]) -> bool:
    """Return whether a response is an error, of the protocol or of a tool."""
    return "error" in response or bool(response["result"].get("isError"))


def words_of(response: Mapping[str, Any]) -> str:
    """Return the text of a response."""
    if "error" in response:
        return str(response["error"]["message"])
    return " ".join(str(part.get("text", "")) for part in response["result"].get("content", ()))
