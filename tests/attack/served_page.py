"""The page of `memopolis dashboard`, and requests to it byte by byte."""

import re
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from tests.attack.commands import environment, executable

_STARTS_WITHIN = 90.0
_ENDS_WITHIN = 20
_HEAD_WITHIN = 20.0


class ServedPage:
    """A page that is served until the context ends.

    Args:
        arguments: What follows `memopolis dashboard`.
        cwd: Working directory.
        env: Environment variables to add.
    """

    def __init__(
        self, *arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self._folder = TemporaryDirectory()
        self._said = Path(self._folder.name, "said.txt")
        with self._said.open("wb") as log:
            self._process = subprocess.Popen(
                [executable(), "dashboard", *map(str, arguments), "--port", "0", "--no-open"],
                cwd=cwd,
                env=environment(env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.port = 0

    def __enter__(self) -> Self:
        deadline = time.monotonic() + _STARTS_WITHIN
        while not (self.port or self._process.poll() is not None or time.monotonic() > deadline):
            time.sleep(0.1)
            named = re.search(r"http://127\.0\.0\.1:(\d+)", self.output)
            self.port = int(named[1]) if named and _listens(int(named[1])) else 0
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    @property
    def output(self) -> str:
        """What the command printed so far."""
        return self._said.read_text(encoding="utf-8", errors="replace")

    def head(self, path: str, headers: Mapping[str, str] | None = None) -> str:
        """Request a path and return the status line and the headers of the response.

        Args:
            path: Path of the URL with its query.
            headers: Headers to send; `Host` is the page's own address if it is left out.
        """
        sent = {"Host": f"127.0.0.1:{self.port}", "Connection": "close"} | dict(headers or {})
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
        with socket.create_connection(("127.0.0.1", self.port), timeout=_HEAD_WITHIN) as asked:
            asked.sendall("\r\n".join((*lines, "", "")).encode())
            received = b""
            while b"\r\n\r\n" not in received:
                piece = asked.recv(1 << 16)
                if not piece:
                    break
                received += piece
        return received.partition(b"\r\n\r\n")[0].decode("latin-1")


def status_of(head: str) -> int:
    """Return the status of a response; 0 if the connection was closed without one."""
    words = head.split(maxsplit=2)
    return int(words[1]) if len(words) > 1 else 0


def header_of(head: str, name: str) -> str:
    """Return a header of a response; "" if it is missing."""
    for line in head.splitlines()[1:]:
        key, _, value = line.partition(":")
        if key.strip().lower() == name.lower():
            return value.strip()
    return ""


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
