"""Run SQL queries in another process, which can be ended at any time.

DuckDB's own limits do not cover the construction of one long value: its memory is not counted,
and it cannot be interrupted. The process may not write files, does not receive API keys from the
environment, and runs one query after another, each with its own database.

    parent                     worker
    (views, select, limits) -> standard input
                               standard output -> a frame, or an error to raise
"""

import os
import pickle
import signal
import struct
import subprocess
import sys
import traceback
import weakref
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Timer
from types import TracebackType
from typing import IO, Self, cast

import pandas as pd

from memopolis.analysis.sql.views import Select, Views, answer
from memopolis.sim.errors import MemopolisError, ParameterError

_DUCKDB_SHARE = 0.75
"""Share of the memory limit that DuckDB may use, so that it usually refuses a query itself."""
_LENGTH = struct.Struct(">Q")
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Parts of the names of environment variables that are withheld from the process."""


@dataclass(frozen=True)
class QueryLimits:
    """Limits of an SQL query; a query that exceeds one is ended and refused."""

    seconds: float = 60.0  # time, > 0
    # Gigabytes, > 0. On systems without such a limit (Windows, macOS), only DuckDB's tables count.
    memory: float = 4.0
    answer: float = 1_000.0  # megabytes of the result, > 0
    lifted_by: str = ""  # option that lifts the limits, such as "--no-limit"; "" if there is none

    def refusal(self, what: str) -> ParameterError:
        """Return the error of a query, from a predicate such as "needs more than 4 GB"."""
        lifted = f", or lift the limits with {self.lifted_by}" if self.lifted_by else ""
        return ParameterError(f"the query {what}; select fewer rows or columns{lifted}")


class QueryWorker:
    """Run queries within limits, in a process that is started by the first query.

    The process is reused until a query exceeds a limit. Leaving the context ends it. Thread-safe:
    queries run one at a time.
    """

    def __init__(self, limits: QueryLimits) -> None:
        self.limits = limits
        self._lock = Lock()
        self._running: list[subprocess.Popen[bytes]] = []
        weakref.finalize(self, _end, self._running)

    @property
    def pid(self) -> int | None:
        """Process id; None while no process is running."""
        return self._running[0].pid if self._running else None

    def answer(self, views: Views, select: Select) -> pd.DataFrame:
        """Run a query, see `views.answer`; ParameterError if it exceeds a limit."""
        with self._lock:
            process = self._process()
            late: list[bool] = []

            def end() -> None:
                late.append(True)
                process.kill()

            timer = Timer(self.limits.seconds, end)
            timer.start()
            try:
                _send(process.stdin, (views, select, self.limits))
                reply = _receive(process.stdout)
            except (EOFError, OSError):  # the process has ended
                reply = None
            finally:
                timer.cancel()
            if reply is None or late:
                code = _end(self._running)
                if late:
                    raise self.limits.refusal(f"takes longer than {self.limits.seconds:g} s")
                if code < 0:
                    raise self.limits.refusal("made DuckDB crash, probably for lack of memory")
                raise RuntimeError(f"the query process ended with exit code {code}")
            if isinstance(reply, MemoryError):
                _end(self._running)  # it may not release its memory
                raise self.limits.refusal(f"needs more than {self.limits.memory:g} GB of memory")
        if isinstance(reply, BaseException):
            raise reply
        return cast("pd.DataFrame", reply)

    def close(self) -> None:
        """End the process; the next query starts another one."""
        with self._lock:
            _end(self._running)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _process(self) -> "subprocess.Popen[bytes]":
        if self._running and self._running[0].poll() is not None:
            _end(self._running)
        if not self._running:
            started = subprocess.Popen(  # noqa: S603 - this file
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={k: v for k, v in os.environ.items() if not _is_secret(k)},
            )
            self._running.append(started)
        return self._running[0]


def _end(running: "list[subprocess.Popen[bytes]]") -> int:
    """End the process, if any, and return its exit code, negative if a signal ended it."""
    if not running:
        return 0
    process = running.pop()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()  # at the end of its input, the process exits
    with suppress(subprocess.TimeoutExpired):
        return process.wait(1.0)
    process.kill()
    return process.wait()


def _is_secret(name: str) -> bool:
    return any(part in name.upper() for part in _SECRETS)


def _send(pipe: IO[bytes] | None, message: object) -> None:
    if pipe is None:
        raise OSError("the process has no pipe")
    packed = pickle.dumps(message)
    pipe.write(_LENGTH.pack(len(packed)) + packed)
    pipe.flush()


def _receive(pipe: IO[bytes] | None) -> object:
    """Return what the other process sent; raise an EOFError if it has ended."""
    head = b"" if pipe is None else pipe.read(_LENGTH.size)
    if pipe is None or len(head) < _LENGTH.size:
        raise EOFError
    (size,) = _LENGTH.unpack(head)
    packed = pipe.read(size)
    if len(packed) < size:
        raise EOFError
    return pickle.loads(packed)  # noqa: S301 - written by `_send`


def _serve() -> None:
    """Run the queries of the parent until it closes the pipe or ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library may print, which is no reply
    limited = False
    while True:
        try:
            request = _receive(sys.stdin.buffer)
        except EOFError:
            return
        views, select, limits = cast("tuple[Views, Select, QueryLimits]", request)
        if not limited:
            _set_system_limits(limits)
            limited = True
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, limits.seconds + 1)  # in case the parent has ended
        reply = _answer_or_error(views, select, limits)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        _send(replies, reply)


def _answer_or_error(views: Views, select: Select, limits: QueryLimits) -> object:
    """Return the result of a query, or the error that the parent raises."""
    try:
        frame = answer(views, select, memory=_DUCKDB_SHARE * limits.memory)
        size = len(pickle.dumps(frame)) / 1e6
    except (MemopolisError, MemoryError) as error:
        return error
    except Exception:  # noqa: BLE001 - the parent raises it, and the process continues
        return RuntimeError(traceback.format_exc())
    if size > limits.answer:
        return limits.refusal(f"has a result of {size:,.0f} MB, more than {limits.answer:,.0f} MB")
    return frame


def _set_system_limits(limits: QueryLimits) -> None:
    """Set limits of the operating system, where it has them."""
    if sys.platform == "win32":
        return
    with suppress(ImportError, ValueError, OSError):
        import resource

        most = int(limits.memory * 1e9)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _serve()
