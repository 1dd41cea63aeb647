"""Run contiguous parts of a cohort on several threads, with the same result as on one.

Compiled kernels and numpy on large arrays release the interpreter lock, so two threads compute at
the same time. The rows of each part are its own. What parts share is ordered:

- changes that wait for the next flush are queued by part, and joined in the order of parts;
- new texts, topics and labels of a part wait until all earlier parts have finished;
- caches are read and extended by one thread at a time, which holds `CACHES`.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from itertools import pairwise
from typing import Any, Protocol, Self

CACHES = threading.RLock()  # held while a cache that all agents share is read or extended


class Queue(Protocol):
    """Changes that wait, in order."""

    def extend(self, other: Self) -> None:
        """Add the changes of another queue after those of this one."""


class Part:
    """A part of a cohort that is run by one thread, after `earlier` parts of smaller rows.

    `ended` is set when the part has finished or failed. `queues` has the queue of the whole cohort
    and the part's own, by id of the former.
    """

    def __init__(self, earlier: "Sequence[Part]") -> None:
        self.earlier = earlier
        self.ended = threading.Event()
        self.queues: dict[int, tuple[Any, Any]] = {}

    def run(self, work: Callable[[], None]) -> None:
        """Run work as this part."""
        THREAD.part = self
        try:
            work()
        finally:
            THREAD.part = None
            self.ended.set()

    def queue_of[Q: Queue](self, whole: Q) -> Q:
        """Return the part's own queue, for changes to the queue of the whole cohort."""
        pair = self.queues.get(id(whole))
        if pair is None:
            pair = self.queues[id(whole)] = whole, type(whole)()
        own: Q = pair[1]
        return own


class _Thread(threading.local):
    part: Part | None = None


THREAD = _Thread()  # the part that the present thread runs; None outside of parts
RUNNING: list[Part] = []  # parts that any thread runs: without one, `THREAD` need not be read

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def is_part() -> bool:
    """Return whether this thread runs a part of a cohort."""
    return THREAD.part is not None


def await_earlier_parts() -> None:
    """Wait until all earlier parts have finished, so that new numbers follow the order of rows."""
    if THREAD.part is not None:
        for part in THREAD.part.earlier:
            part.ended.wait()


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def split(count: int, threads: int, *, least: int) -> list[tuple[int, int]]:
    """Return first index and index after the last of contiguous parts of nearly equal size.

    There are at most `threads` parts, of at least `least` rows, for which a thread pays; inside a
    part there is one.
    """
    parts = 1 if is_part() else max(1, min(threads, count // least))
    edges = [count * part // parts for part in range(parts + 1)]
    return list(pairwise(edges))


def run_all(works: Sequence[Callable[[], None]]) -> None:
    """Run independent work, the first in this thread; raise the first error after all ended."""
    if len(works) == 1:
        works[0]()
        return
    jobs = [_pool(len(works) - 1).submit(work) for work in works[1:]]
    try:
        works[0]()
    finally:
        # Also if the run is stopped while it waits: no thread may change a society that is left.
        try:
            wait(jobs)
        except BaseException:
            wait(jobs)
            raise
    for job in jobs:
        job.result()


def run_parts(works: Sequence[Callable[[], None]]) -> None:
    """Run the parts of a cohort in the order of rows, and join what they queued if none failed."""
    parts: list[Part] = []
    for _ in works:
        parts.append(Part(tuple(parts)))
    RUNNING.extend(parts)
    try:
        run_all([partial(part.run, work) for part, work in zip(parts, works, strict=True)])
    finally:
        for part in parts:
            RUNNING.remove(part)
    for part in parts:
        for whole, own in part.queues.values():
            whole.extend(own)


def _pool(threads: int) -> ThreadPoolExecutor:
    # Threads do not survive a fork, so a child process creates its own pool.
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="memopolis")
    return _pools[key]
