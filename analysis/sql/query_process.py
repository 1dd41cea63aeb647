"""Questions in SQL answered by a process of its own, which can be ended whatever it does.

DuckDB keeps limits of its own, but not while it makes one long value: the memory of that is not
counted, and an interruption is not heard before it is there. The process may write no file, does
not know the environment's API key, and answers one question after another, each with a database
that only this question sees.

    parent                    worker
    (views, select, limits) -> standard input
                               standard output -> a frame, or an error that it raises
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

_OF_TABLES = 0.75
"""Share of the memory that DuckDB's tables may take, so that mostly it is DuckDB that refuses."""
_LENGTH = struct.Struct(">Q")
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Parts of names of the environment that the process does not get."""


@dataclass(frozen=True)
class QueryLimits:
    """What a question in SQL may take; one that takes more is ended and refused.

    Attributes:
        seconds: Time, > 0.
        memory: Gigabytes of memory, > 0. Only DuckDB's tables are counted where the system
            keeps no such limit (Windows, macOS).
        answer: Megabytes of the answer, > 0.
        lifted_by: How the user can lift the limits, such as "--no-limit"; "" if they cannot.
    """

    seconds: float = 60.0
    memory: float = 4.0
    answer: float = 1_000.0
    lifted_by: str = ""

    def refusal(self, what: str) -> ParameterError:
        """Say what was too much: "takes more than 4 GB of memory"."""
        lifted = f", or lift the limits by {self.lifted_by}" if self.lifted_by else ""
        return ParameterError(f"the question {what}; ask for less{lifted}")


class QueryWorker:
    """A process that answers questions within limits, started by the first of them.

    It stays for the next question, but for one that took too much. As a context manager it is
    ended at the end. Several threads may ask; one question is answered at a time.

    Args:
        limits: What each question may take.
    """

    def __init__(self, limits: QueryLimits) -> None:
        self.limits = limits
        self._asking = Lock()
        self._running: list[subprocess.Popen[bytes]] = []
        weakref.finalize(self, _end, self._running)

    @property
    def pid(self) -> int | None:
        """Number of the process; None while there is none."""
        return self._running[0].pid if self._running else None

    def answer(self, views: Views, select: Select) -> pd.DataFrame:
        """Answer a question.

        Args:
            views: What is asked.
            select: The question.

        Raises:
            ParameterError: If it takes more than it may.
            MemopolisError: As `views.answer` raises it.
        """
        with self._asking:
            process = self._started()
            late: list[bool] = []

            def end() -> None:
                late.append(True)
                process.kill()

            timer = Timer(self.limits.seconds, end)
            timer.start()
            try:
                _send(process.stdin, (views, select, self.limits))
                reply = _receive(process.stdout)
            except (EOFError, OSError):  # it is gone
                reply = None
            finally:
                timer.cancel()
            if reply is None or late:
                code = _end(self._running)
                if late:
                    raise self.limits.refusal(f"takes longer than {self.limits.seconds:g} s")
                if code < 0:
                    raise self.limits.refusal(
                        "made DuckDB break down, most likely for want of memory"
                    )
                raise RuntimeError(f"the process that answers questions ended with code {code}")
            if isinstance(reply, MemoryError):
                _end(self._running)  # what it took may not be given back
                raise self.limits.refusal(f"takes more than {self.limits.memory:g} GB of memory")
        if isinstance(reply, BaseException):
            raise reply
        return cast("pd.DataFrame", reply)

    def close(self) -> None:
        """End the process; the next question starts another one."""
        with self._asking:
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

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._running and self._running[0].poll() is not None:
            _end(self._running)
        if not self._running:
            started = subprocess.Popen(  # noqa: S603 - this very file
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={k: v for k, v in os.environ.items() if not _is_secret(k)},
            )
            self._running.append(started)
        return self._running[0]


def _end(running: "list[subprocess.Popen[bytes]]") -> int:
    """End a process, if there is one; its exit code, below 0 if a signal ended it."""
    if not running:
        return 0
    process = running.pop()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()  # without a question it ends by itself
    with suppress(subprocess.TimeoutExpired):
        return process.wait(1.0)
    process.kill()
    return process.wait()


def _is_secret(name: str) -> bool:
    return any(part in name.upper() for part in _SECRETS)


def _send(pipe: IO[bytes] | None, what: object) -> None:
    if pipe is None:
        raise OSError("the process has no pipe")
    packed = pickle.dumps(what)
    pipe.write(_LENGTH.pack(len(packed)) + packed)
    pipe.flush()


def _receive(pipe: IO[bytes] | None) -> object:
    """What the other process sent; both are this program, so it may be unpickled.

    Raises:
        EOFError: If the other process is gone.
    """
    head = b"" if pipe is None else pipe.read(_LENGTH.size)
    if pipe is None or len(head) < _LENGTH.size:
        raise EOFError
    (size,) = _LENGTH.unpack(head)
    packed = pipe.read(size)
    if len(packed) < size:
        raise EOFError
    return pickle.loads(packed)  # noqa: S301 - written by `_send`


def _serve() -> None:
    """Answer the questions of the parent until it closes the pipe or is gone."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no reply
    limited = False
    while True:
        try:
            asked = _receive(sys.stdin.buffer)
        except EOFError:
            return
        views, select, limits = cast("tuple[Views, Select, QueryLimits]", asked)
        if not limited:
            _limit(limits)
            limited = True
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, limits.seconds + 1)  # if the parent is gone
        reply = _answered(views, select, limits)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        _send(replies, reply)


def _answered(views: Views, select: Select, limits: QueryLimits) -> object:
    """The answer, or the error that the parent raises."""
    try:
        frame = answer(views, select, memory=_OF_TABLES * limits.memory)
        size = len(pickle.dumps(frame)) / 1e6
    except (MemopolisError, MemoryError) as error:
        return error
    except Exception:  # noqa: BLE001 - the parent shows it, and the process can go on
        return RuntimeError(traceback.format_exc())
    if size > limits.answer:
        return limits.refusal(f"has an answer of {size:,.0f} MB, more than {limits.answer:,.0f}")
    return frame


def _limit(limits: QueryLimits) -> None:
    """Let the system keep the limits, as far as it knows such."""
    if sys.platform == "win32":  # which knows none
        return
    with suppress(ImportError, ValueError, OSError):
        import resource

        most = int(limits.memory * 1e9)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _serve()
