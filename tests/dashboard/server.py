"""`memopolis dashboard` as its user starts it: a process, a port, a folder for its runs."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.dashboard.preloaded import Preloaded

HOST = "127.0.0.1"
STARTED_IN = 300
"""Seconds until a page must answer; kernels are compiled, but two cores may be busy."""
ENDED_IN = 120
"""Seconds that SIGTERM may take."""
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def started(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], output: Path
) -> subprocess.Popen[bytes]:
    """Start a command as its user does."""
    with output.open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


type Start = Callable[..., subprocess.Popen[bytes] | Preloaded]
"""Starts a command with its folder, its environment and a file for its output."""

preloaded: Start = Preloaded if sys.platform == "linux" else started
"""Starts a command without the seconds that its imports take; elsewhere, forking is not safe."""


class Server:
    """A page that is served, in a folder of its own.

    Attributes:
        folder: In which the command was given; its output goes to a log there.
        port: At which the page answers.
    """

    def __init__(
        self,
        arguments: Sequence[str | Path],
        folder: Path,
        port: int = 0,
        *,
        start: Start = started,
    ) -> None:
        self.folder, self.port = folder, port or free_port()
        self._log = folder / f"log-{self.port}.txt"
        self.command = [*memopolis("dashboard", *arguments), "--port", str(self.port), "--no-open"]
        self.process = start(self.command, cwd=folder, env=environment(), output=self._log)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/"

    @property
    def output(self) -> str:
        """What it printed so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def wait(self) -> "Server":
        """Wait until the page answers."""
        self._wait(self._answers)
        return self

    def until(self, line: str) -> str:
        """Wait until it has printed something; give all that it has printed."""
        self._wait(lambda: line in self.output)
        return self.output

    def _wait(self, holds: Callable[[], bool]) -> None:
        until = time.monotonic() + STARTED_IN
        while not holds():
            ended = self.process.poll()
            assert ended is None, f"{self.command} ended with {ended}:\n{self.output}"
            assert time.monotonic() < until, f"{self.url} does not answer:\n{self.output}"
            time.sleep(0.1)

    def _answers(self) -> bool:
        asked = http.client.HTTPConnection(HOST, self.port, timeout=10)
        try:
            asked.request("GET", "/")
            return asked.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            asked.close()

    def stop(self) -> int:
        """Stop it as a terminal or a service does; give its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(ENDED_IN)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.wait()

    def resident(self) -> float:
        """Resident bytes of the server now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("utf-8").split()[1])
        return float(pages * os.sysconf("SC_PAGE_SIZE"))


@contextmanager
def serving(*arguments: str | Path, folder: Path) -> Iterator[Server]:
    """Serve `memopolis dashboard ARGUMENTS` from a folder for as long as the block lasts."""
    server = Server(arguments, folder, start=preloaded)
    try:
        yield server.wait()
    finally:
        server.stop()
    assert "Traceback" not in server.output, server.output


def environment() -> dict[str, str]:
    """That of a user: NiceGUI serves its own tests where it finds pytest's."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return own | ONE_THREAD


def memopolis(*arguments: str | Path) -> list[str]:
    """The command of the environment that runs the tests."""
    return [str(Path(sys.executable).parent / "memopolis"), *map(str, arguments)]


def run(*arguments: str | Path, folder: Path) -> str:
    """Run a command of ours to its end; give what it printed."""
    log = folder / f"log-{arguments[0]}.txt"
    code = preloaded(memopolis(*arguments), cwd=folder, env=environment(), output=log).wait()
    output = log.read_text(encoding="utf-8", errors="replace")
    assert code == 0, f"{arguments}: {code}\n{output}"
    return output
