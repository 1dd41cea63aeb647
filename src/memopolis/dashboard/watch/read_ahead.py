"""A thread that reads the data of lives in advance, so that the first one opens quickly."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Self

import pyarrow as pa

from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.run.run import Run

_START_TIMEOUT = 5.0
"""Maximum seconds that the page waits at the start; the rest is read while serving."""
_READ_INTERVAL = 0.5  # seconds between two checks for more data


class ReadAhead:
    """Context manager that reads data of lives in advance.

    Tables are indexed by agent, part by part as a run records them. One agent is restored and
    searched, which imports and compiles what other agents need. `runs` returns the runs at the
    current moment; the same objects until the moment changes.
    """

    def __init__(self, runs: Callable[[], Sequence[Run]]) -> None:
        self._runs = runs
        self._closing, self._ready = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._read, name="read ahead", daemon=True)

    def wait(self) -> None:
        """Wait until the initial data is read, up to a time limit."""
        self._ready.wait(_START_TIMEOUT)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()

    def _read(self) -> None:
        seen: Sequence[Run] = ()
        while not self._closing.is_set():
            runs = self._runs()
            fresh = [run for run in runs if run not in seen]
            # Opening a life does not need this thread and reports the error itself.
            with suppress(Exception):
                for run in fresh:
                    self._index(run)
            if not seen:
                with suppress(Exception):
                    _restore_one(fresh[0])
            seen = runs
            self._ready.set()
            self._closing.wait(_READ_INTERVAL)

    def _index(self, run: Run) -> None:
        for _ in run.reader.index_by_agent():
            pa.default_memory_pool().release_unused()  # the next part may be an hour away
            if self._closing.is_set():
                return


def _restore_one(run: Run) -> None:
    for agent in run.present(run.first_population)[:1].tolist():
        restore_agent(run, agent).search("-")
