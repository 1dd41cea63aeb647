"""The lock of a memory: any number of threads can use one memory, and a forked process as well.

Memories with the same texts have one lock, since they share numbers and caches. A verb of a view
holds it from beginning to end. Parts of a cohort (`sim/threads.py`) do not: the thread that starts
them holds it meanwhile.
"""

import os
import threading
import weakref
from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from types import FunctionType

from memopolis.sim.threads import CACHES, RUNNING, THREAD

_SPECIAL = ("__call__", "__contains__", "__getitem__", "__iter__", "__len__", "__str__")

_locks: "weakref.WeakSet[threading.RLock]" = weakref.WeakSet()
_REGISTRY = threading.Lock()  # held while `_locks` is changed, and by a thread that forks
_held: list[threading.RLock] = []  # by the thread that forks


class _NoLock:
    """The lock of a part of a cohort, which is held by the thread that started the parts."""

    def acquire(self) -> None:
        """Do nothing."""

    def release(self) -> None:
        """Do nothing."""


NO_LOCK = _NoLock()


def new_lock() -> threading.RLock:
    """Return a lock that a forked process inherits unlocked."""
    lock = threading.RLock()
    with _REGISTRY:
        _locks.add(lock)
    return lock


def locked[**P, R](lock_path: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator of methods that hold the lock at a path of attributes of the object."""
    lock_of = attrgetter(lock_path)

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        @wraps(verb)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if RUNNING and THREAD.part is not None:
                return verb(*args, **kwargs)
            lock = lock_of(args[0])
            lock.acquire()  # faster than a `with` block
            try:
                return verb(*args, **kwargs)
            finally:
                lock.release()

        return call

    return decorate


def lock_verbs(view: type, *, without: tuple[str, ...] = ()) -> None:
    """Let all public methods and properties that a class of views defines hold the lock."""
    lock = locked("_memory.lock")
    for name, value in list(vars(view).items()):
        if (name.startswith("_") and name not in _SPECIAL) or name in without:
            continue
        if isinstance(value, FunctionType):
            setattr(view, name, lock(value))
        elif isinstance(value, property) and value.fget is not None:
            setattr(view, name, property(lock(value.fget), doc=value.__doc__))


def _acquire_all() -> None:
    """Wait until no thread is inside a verb, so that a forked process gets whole memories."""
    _REGISTRY.acquire()
    for lock in [*sorted(_locks, key=id), CACHES]:
        lock.acquire()
        _held.append(lock)


def _release_all() -> None:
    while _held:
        _held.pop().release()
    _REGISTRY.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_acquire_all, after_in_parent=_release_all, after_in_child=_release_all
    )
