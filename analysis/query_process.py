"""A question in SQL in a process of its own, which can be ended whatever it does.

DuckDB keeps limits of its own, but not while it makes one long value: the memory of that is not
counted, and an interruption is not heard before it is there.
"""

import math
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

import pandas as pd

from memopolis.analysis.views import Select, Views, answer
from memopolis.sim.errors import MemopolisError, ParameterError

_OF_TABLES = 0.75
"""Share of the memory that DuckDB's tables may take, so that mostly it is DuckDB that refuses."""


@dataclass(frozen=True)
class QueryLimits:
    """What a question in SQL may take; one that takes more is ended and refused.

    Attributes:
        seconds: Time, > 0.
        memory: Gigabytes of memory, > 0. Only DuckDB's tables are counted where the system
            keeps no such limit (Windows, macOS).
        answer: Megabytes of the answer, > 0.
        lifted_by: How whoever asks can lift the limits, such as "--no-limit"; "" if they cannot.
    """

    seconds: float = 60.0
    memory: float = 4.0
    answer: float = 1_000.0
    lifted_by: str = ""

    def refusal(self, what: str) -> ParameterError:
        """Say what was too much: "takes more than 4 GB of memory"."""
        lifted = f", or lift the limits by {self.lifted_by}" if self.lifted_by else ""
        return ParameterError(f"the question {what}; ask for less{lifted}")


def answer_within(views: Views, select: Select, limits: QueryLimits) -> pd.DataFrame:
    """Answer a question in a process that ends when it takes more than it may.

    Args:
        views: What is asked.
        select: The question.
        limits: What it may take; its seconds begin with the process.

    Raises:
        ParameterError: If it takes more.
        MemopolisError: As `answer` raises it.
    """
    try:
        done = subprocess.run(  # noqa: S603 - this very file
            [sys.executable, "-P", "-m", __name__],
            input=pickle.dumps((views, select, limits)),
            capture_output=True,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise limits.refusal(f"takes longer than {limits.seconds:g} s") from None
    if done.returncode < 0:
        raise limits.refusal("made DuckDB break down, most likely for want of memory")
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    told: pd.DataFrame | MemopolisError = pickle.loads(done.stdout)  # noqa: S301 - written below
    if isinstance(told, MemopolisError):
        raise told
    return told


def _answer_parent() -> None:
    """Read a question from standard input, and write the answer, or an error, to the output."""
    views, select, limits = pickle.load(sys.stdin.buffer)  # noqa: S301 - written above
    _keep(limits)
    try:
        told = _packed(answer(views, select, memory=_OF_TABLES * limits.memory), limits)
    except MemoryError:
        told = pickle.dumps(limits.refusal(f"takes more than {limits.memory:g} GB of memory"))
    except MemopolisError as error:
        told = pickle.dumps(error)
    sys.stdout.buffer.write(told)


def _keep(limits: QueryLimits) -> None:
    """Let the system keep the limits, as far as it knows such."""
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(limits.seconds) + 1)  # when whoever asked is gone
    with suppress(ImportError, ValueError, OSError):
        import resource

        most = int(limits.memory * 1e9)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _packed(found: pd.DataFrame, limits: QueryLimits) -> bytes:
    packed = pickle.dumps(found)
    size = len(packed) / 1e6
    if size > limits.answer:
        raise limits.refusal(f"has an answer of {size:,.0f} MB, more than {limits.answer:,.0f}")
    return packed


if __name__ == "__main__":
    _answer_parent()
