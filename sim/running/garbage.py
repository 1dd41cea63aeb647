"""When Python looks for garbage: never among agents, who live as long as their run."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_NEW_OBJECTS = 20_000
"""Objects made before the newest are looked at; 700 by default."""


@cache
def freeze_for_good() -> None:
    """Never look again for garbage in what this process holds now; done once a process.

    For worker processes, between two runs: after that, collecting what a run leaves takes a
    millisecond, not the tenth of a second that all imported modules take. What is new is looked
    at less often, since a run's own garbage is collected at its end.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


@contextmanager
def agents_kept(*, for_long: bool = False) -> Iterator[None]:
    """Look for no garbage in what there is now: that would cost time for nothing.

    What was frozen for good stays so, and nothing is added to it, since it could not be told
    apart afterwards.

    Args:
        for_long: Whether to collect first, so that no garbage of now, such as the society of a
            run before, is kept as long.
    """
    # Asked in this way because gc.get_freeze_count() counts one by one, for 20 ms.
    if freeze_for_good.cache_info().currsize:
        yield
        return
    _under_way.begin(for_long=for_long)
    try:
        yield
    finally:
        _under_way.end()


class _UnderWay:
    """Runs under way in this process: Python freezes everything or nothing."""

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.RLock()  # the garbage itself may end a run

    def begin(self, *, for_long: bool) -> None:
        """Freeze what there is, also what other runs have made since they began."""
        with self._lock:
            self._count += 1
            if for_long:
                gc.collect()
            gc.freeze()

    def end(self) -> None:
        """Thaw, and freeze again for the runs that still go on, without what this one left."""
        with self._lock:
            self._count -= 1
            gc.unfreeze()
            if self._count:
                gc.collect()
                gc.freeze()


_under_way = _UnderWay()
