"""Compilation of kernels: numba compiles a function at its first call and caches it on disk.

The first run after an installation compiles for about `FIRST_RUN.seconds`; later runs load the
cached code. Progress is shown by the display that `shown_by` sets. Without one, a line is logged,
which Python prints on standard error, also in notebooks.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, override


@dataclass(frozen=True)
class Kernels:
    """Functions that are compiled at first use, and the processor time that this takes in seconds.

    `benchmarks/first_run.py` prints both.
    """

    functions: int
    seconds: int

    @property
    def notice(self) -> str:
        """What a user reads while they are compiled."""
        return f"Compiling, once, about {self.seconds} seconds"


FIRST_RUN = Kernels(functions=307, seconds=36)
"""Those of a run of the hurricane."""
ALL = Kernels(functions=299, seconds=38)
"""Those of `memopolis compile`."""

type Display = Callable[[int], object]
"""Called with the number of functions compiled so far, when each starts and ends."""

_LOGGED_AFTER = 2.0
"""Seconds of compilation before it is logged: a single rare kernel is not worth a line."""


class Compilation:
    """The functions that this process compiled.

    Numba compiles one function at a time, with those that it calls, and holds a lock meanwhile.

    Attributes:
        functions: Number of functions compiled.
    """

    def __init__(self) -> None:
        self.functions = 0
        self.display: Display | None = None
        self._depth = 0
        self._started = self._seconds = 0.0
        self._is_logged = False

    @property
    def is_active(self) -> bool:
        """Whether a function is being compiled now."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """Elapsed time of all compilation so far, in seconds."""
        current = time.perf_counter() - self._started if self.is_active else 0.0
        return self._seconds + current

    def begin(self) -> None:
        """Note that a function is being compiled, perhaps for another one."""
        if not self._depth:
            self._started = time.perf_counter()
        self._depth += 1
        self._show()

    def end(self) -> None:
        """Note that the function is compiled."""
        self._depth -= 1
        self.functions += 1
        if not self._depth:
            self._seconds += time.perf_counter() - self._started
        self._show()

    def _show(self) -> None:
        if self.display is not None:
            self.display(self.functions)
        elif not self._is_logged and self.seconds > _LOGGED_AFTER:
            self._is_logged = True
            logging.getLogger(__name__).warning(FIRST_RUN.notice)


compilation = Compilation()


@cache
def watch_compilation() -> None:
    """Measure compilation in this process from now on, which imports numba."""
    from memopolis.sim.numba_internals import event

    class Listener(event.Listener):
        @override
        def on_start(self, event: Any) -> None:
            compilation.begin()

        @override
        def on_end(self, event: Any) -> None:
            compilation.end()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def computing_seconds() -> float:
    """Return the time of a clock that stands still while a function is compiled, in seconds."""
    return time.perf_counter() - compilation.seconds


@contextmanager
def shown_by(display: Display) -> Iterator[None]:
    """Show compilation by a display instead of the log."""
    previous, compilation.display = compilation.display, display
    try:
        yield
    finally:
        compilation.display = previous
