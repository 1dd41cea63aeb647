"""Run work in a forked process, so that a crash or a hang of it is seen and harms nothing.

forked(lambda: Memory.load(folder).stream.counts, seconds=20)  # a `Verdict`
"""

import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from memopolis.sim.errors import MemopolisError

_LOOK_EVERY = 0.002
"""Seconds between two looks at a process."""


@dataclass(frozen=True)
class Verdict:
    """What a forked process did.

    Attributes:
        fault: A crash, a hang or a traceback in a few words; "" for none.
        refusal: Message of an error of the project; "" for none.
        result: What the work returned, which is pickled; None after an error.
    """

    fault: str = ""
    refusal: str = ""
    result: Any = None


def forked(work: Callable[[], Any], *, seconds: float = 30.0) -> Verdict:
    """Run work in a forked process of at most some seconds, and return what it did."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "wb") as out:
            pickle.dump(_attempt(work), out)
        os._exit(0)
    os.close(writer)
    return _await(child, reader, time.monotonic() + seconds, seconds)


def _attempt(work: Callable[[], Any]) -> Verdict:
    try:
        return Verdict(result=work())
    except MemopolisError as error:
        message = str(error)
        fault = f"a message of several lines: {message!r}" if "\n" in message else ""
        return Verdict(fault, message)
    except BaseException as error:  # noqa: BLE001 - whatever is raised is the finding
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"  # noqa: PTH119 - no path
        return Verdict(f"{type(error).__name__} in {where}: {str(error)[:80]}")


def _await(child: int, reader: int, deadline: float, seconds: float) -> Verdict:
    """Return the verdict of a child, which is killed at the deadline."""
    received = b""
    os.set_blocking(reader, False)
    with os.fdopen(reader, "rb") as pipe:
        while True:
            received += pipe.read() or b""
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                received += pipe.read() or b""
                break
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return Verdict(f"it did not end within {seconds:.0f} s")
            time.sleep(_LOOK_EVERY)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return Verdict(f"{signal.Signals(-code).name}")
    with suppress(EOFError, pickle.UnpicklingError):
        verdict: Verdict = pickle.loads(received)  # noqa: S301 - written by this module
        return verdict
    return Verdict(f"no result, exit code {code}")
