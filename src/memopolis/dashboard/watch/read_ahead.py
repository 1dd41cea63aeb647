"""A thread that restores an agent in advance, so that the first life opens quickly."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Self

from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.run.run import Run

_START_TIMEOUT = 5.0
"""Maximum seconds that the page waits at the start; the rest happens while serving."""


class ReadAhead:
    """Context manager that restores and searches an agent in a thread.

    This imports and compiles what all other agents need. `runs` returns the runs at the current
    moment.
    """

    def __init__(self, runs: Callable[[], Sequence[Run]]) -> None:
        self._runs = runs
        self._thread = threading.Thread(target=self._read, name="read ahead", daemon=True)

    def wait(self) -> None:
        """Wait until the agent is restored, up to a time limit."""
        self._thread.join(_START_TIMEOUT)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _read(self) -> None:
        # Opening a life does not need this thread and reports the error itself.
        with suppress(Exception):
            run = self._runs()[0]
            for agent in run.present(run.first_population)[:1].tolist():
                restore_agent(run, agent).search("-")
