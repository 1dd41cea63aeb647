"""Control Python's garbage collection: agents live as long as their run and are never scanned."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_NEW_OBJECTS = 20_000
"""New objects that trigger a collection of the youngest generation; 700 by default."""


@cache
def freeze_permanently() -> None:
    """Exclude all current objects from garbage collection, once per process.

    For worker processes, between two runs: collecting the garbage of a run then takes a
    millisecond instead of the tenth of a second that scanning all imported modules takes. New
    objects are scanned less often, since the garbage of a run is collected at its end.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


@contextmanager
def freeze_agents(*, for_long: bool = False) -> Iterator[None]:
    """Exclude all current objects from garbage collection inside a `with` statement.

    After `freeze_permanently` and in `freeze_others`, this does nothing, since Python cannot thaw
    some objects only. With `for_long`, garbage is collected first, so that it does not occupy
    memory until the end.
    """
    # gc.get_freeze_count() would take 20 ms, since it counts one object at a time.
    if freeze_permanently.cache_info().currsize or _active_runs.small:
        yield
        return
    _active_runs.begin(for_long=for_long)
    try:
        yield
    finally:
        _active_runs.end()


@contextmanager
def freeze_others() -> Iterator[None]:
    """Exclude all current objects from garbage collection, and collect new garbage at the end.

    For a short run: scanning all that other packages have loaded takes longer than its steps.
    """
    if freeze_permanently.cache_info().currsize:
        yield
        gc.collect()
        return
    _active_runs.begin(small=True)
    try:
        yield
    finally:
        gc.collect()  # a model has reference cycles
        _active_runs.end(small=True)


class _ActiveRuns:
    """Count the active runs in this process, since Python freezes everything or nothing."""

    def __init__(self) -> None:
        self._count = 0
        self.small = 0  # active short runs
        self._lock = threading.RLock()  # collecting garbage may end a run

    def begin(self, *, for_long: bool = False, small: bool = False) -> None:
        """Freeze all current objects, including those of other runs."""
        with self._lock:
            self._count += 1
            self.small += small
            if for_long:
                gc.collect()
            gc.freeze()

    def end(self, *, small: bool = False) -> None:
        """Thaw all objects, then collect and freeze again if other runs are active."""
        with self._lock:
            self._count -= 1
            self.small -= small
            gc.unfreeze()
            if self._count:
                gc.collect()
                gc.freeze()


_active_runs = _ActiveRuns()
