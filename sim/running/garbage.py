"""When Python looks for garbage: never among agents, who live as long as their run."""

import gc
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
def agents_kept() -> Iterator[None]:
    """Look for no garbage in what there is now: that would cost time for nothing.

    What was frozen for good stays so, and nothing is added to it, since it could not be told
    apart afterwards.
    """
    # Asked in this way because gc.get_freeze_count() counts one by one, for 20 ms.
    ours = not freeze_for_good.cache_info().currsize
    if ours:
        gc.freeze()
    try:
        yield
    finally:
        if ours:
            gc.unfreeze()
