"""Start `memopolis` commands by forking a process that has already imported everything.

An ordinary start spends seconds on imports, on loading compiled kernels and on reading the tables
of the hurricane. A forked one begins after all that, in a process of its own that can be killed,
with its own folder, environment and output. Run as a script, this file is that first process; it
reads one request a line, and has a single thread, so that forking it is safe.
"""

import atexit
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_POLL_SECONDS = 0.02


class Preloaded:
    """A command in a forked process, with the methods of `subprocess.Popen` that tests use.

    Attributes:
        pid: Id of the process.
        returncode: Exit code, negative where a signal ended it; None while it runs.
    """

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], output: Path
    ) -> None:
        forking, base = _forking_process()
        self._folder = Path(tempfile.mkdtemp(dir=base))
        request = {
            "command": [*command],
            "cwd": str(cwd),
            "env": dict(env),
            "output": str(output),
            "folder": str(self._folder),
        }
        assert forking.stdin is not None
        forking.stdin.write(f"{json.dumps(request)}\n")
        forking.stdin.flush()
        self.returncode: int | None = None
        while (pid := self._read("pid")) is None:
            assert forking.poll() is None, "the process that forks has ended"
            time.sleep(_POLL_SECONDS)
        self.pid = pid

    def poll(self) -> int | None:
        """Return the exit code, or None while the command runs."""
        if self.returncode is None:
            self.returncode = self._read("exit")
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code.

        Raises:
            subprocess.TimeoutExpired: If the command runs for longer than `timeout` seconds.
        """
        started = time.monotonic()
        while (code := self.poll()) is None:
            if timeout is not None and time.monotonic() - started > timeout:
                raise subprocess.TimeoutExpired("memopolis", timeout)
            time.sleep(_POLL_SECONDS)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the command has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the command at once."""
        self.send_signal(signal.SIGKILL)

    def _read(self, name: str) -> int | None:
        file = self._folder / name
        return int(file.read_text("utf-8")) if file.exists() else None


@cache
def _forking_process() -> "tuple[subprocess.Popen[str], Path]":
    """Start the process that forks, once for all tests, and give it a folder for its reports."""
    base = Path(tempfile.mkdtemp(prefix="memopolis-preloaded-"))
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    one_thread = {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
    }
    forking = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, text=True, cwd=base, env=own | one_thread
    )

    def end() -> None:
        assert forking.stdin is not None
        forking.stdin.close()
        forking.wait(10)
        shutil.rmtree(base, ignore_errors=True)

    atexit.register(end)
    return forking, base


def _preload() -> None:
    """Import what the commands need, and use kernels and tables once."""
    import memopolis.dashboard.command
    import memopolis.dashboard.serving
    import memopolis.dashboard.watch.live
    import memopolis.dashboard.watch.read_ahead
    import memopolis.dashboard.watch.replay  # noqa: F401
    from memopolis import BasicIncome, Hurricane, Polarization

    for scenario in (Hurricane, Polarization, BasicIncome):
        society = scenario(agents=20, rng=1)
        society.step()
    # A collection in a forked process would copy every page of what is imported.
    gc.collect()
    gc.freeze()


def _serve_requests() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if not os.fork():
            _keep(request)
            return


def _keep(request: dict[str, Any]) -> None:
    """Fork the command; report its process and, when it has ended, its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if not pid:
        _become(request)
    else:
        _report(request, "pid", pid)
        _report(request, "exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        os._exit(0)


def _become(request: dict[str, Any]) -> None:
    """Run the command as its script would."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    sys.argv = request["command"]
    os._exit(_exit_code())


def _exit_code() -> int:
    """Run the command and what it registered for its end; return its exit code.

    Taking down the interpreter would copy, and free one by one, all that was imported before
    the fork: two seconds of processor time for each command.
    """
    from memopolis.cli import app

    code: object = 0
    try:
        app()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001 - printed as the interpreter does
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 1


def _report(request: dict[str, Any], name: str, number: int) -> None:
    file = Path(request["folder"], f"{name}.writing")
    file.write_text(str(number), "utf-8")
    file.rename(file.with_suffix(""))


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for those that keep a command
    _preload()
    _serve_requests()
