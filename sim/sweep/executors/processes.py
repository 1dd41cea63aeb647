"""Processes of this machine, each in a pool of its own.

One that dies takes only its own run with it, and another takes its place; what waits is held
here, not by a process.
"""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, resource_tracker
from typing import Any

from memopolis.sim.errors import ReplicationError
from memopolis.sim.running.stopping import INTERRUPTED
from memopolis.sim.sweep.worker import end_with_parent, ignore_interrupts

_NO_START = (
    "the processes of the sweep end as they start; in a script, start a sweep below "
    'if __name__ == "__main__": only, since other processes read the script too'
)
_MOST_DEAD_STARTS = 2
if sys.platform == "win32":
    _KILL = signal.SIGTERM  # ends a process at once there
else:
    _KILL = signal.SIGKILL
_PATIENCE = 10.0
"""Seconds a run has to stop in when it is told to."""


class Processes(Executor):
    """Runs each call in one of several processes.

    Args:
        workers: How many processes, >= 1; each starts when it is first needed.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._lock = threading.RLock()
        self._waiting: deque[_Call] = deque()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._dead: list[_Process] = []
        self._dead_starts = 0
        self._closed = False

    def submit[**P, T](
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> "Future[T]":
        """Let a process call a function, as soon as one is free.

        Returns:
            A future; it raises BrokenProcessPool if the process died in the call.
        """
        call = _Call(Future(), fn, args, kwargs)
        with self._lock:
            if self._closed:
                raise RuntimeError("no call can be made after shutdown")
            self._waiting.append(call)
            self._feed()
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as Executor has it
        """Take no more calls; see `concurrent.futures.Executor.shutdown`."""
        with self._lock:
            self._closed = True
            while cancel_futures and self._waiting:
                self._waiting.popleft().future.cancel()
            waiting = [call.future for call in self._waiting]
            pools = [process.pool for process in self._all]
        if wait:
            for future in waiting:
                with suppress(BaseException):
                    future.exception()
        for pool in pools:
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def interrupt(self) -> None:
        """Tell every process to stop what it does, and end those that do not."""
        self._signal(signal.SIGINT)
        late = threading.Timer(_PATIENCE, self._signal, [_KILL])
        late.daemon = True
        late.start()
        try:
            self.shutdown(cancel_futures=True)
        except KeyboardInterrupt:
            self._signal(_KILL)
            raise
        finally:
            late.cancel()

    def _signal(self, number: int) -> None:
        """Send a signal to all processes; those that still start hold nothing, and end at once."""
        with self._lock:
            sent = [(one.pool, number if one.alive.done() else _KILL) for one in self._all]
        for pool, own in sent:
            for process in list(pool._processes or {}):  # noqa: SLF001 - no other way
                with suppress(ProcessLookupError):
                    os.kill(process, own)

    def _feed(self) -> None:
        """Give waiting calls to processes that have nothing to do; the lock is held."""
        while self._waiting and (self._idle or len(self._all) < self.workers):
            call = self._waiting.popleft()
            if not call.begun and not call.future.set_running_or_notify_cancel():
                continue
            call.begun = True
            process = self._idle.pop() if self._idle else self._start()
            done = process.pool.submit(call.function, *call.args, **call.named)
            done.add_done_callback(partial(self._done, call, process))

    def _start(self) -> "_Process":
        with _born_deaf():
            pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
            process = _Process(pool, pool.submit(os.getpid))
        self._all.add(process)
        return process

    def _done(self, call: "_Call", process: "_Process", done: "Future[Any]") -> None:
        """Pass on what came of a call, and give the process the next.

        A pool that broke must not be touched here, nor be given up: it holds its own lock while
        it says so, and would wait for that as it goes.
        """
        error = done.exception()
        again = False
        with self._lock:
            if isinstance(error, BrokenProcessPool):
                self._all.discard(process)
                self._dead.append(process)
                again = self._is_free_of_guilt(process)
            else:
                self._dead_starts = 0
                self._idle.append(process)
            if again:
                self._waiting.appendleft(call)
            self._feed()
        if again:
            return
        if error is None:
            call.future.set_result(done.result())
        elif process.died_at_start():
            call.future.set_exception(ReplicationError(_NO_START))
        else:
            call.future.set_exception(error)

    def _is_free_of_guilt(self, process: "_Process") -> bool:
        """Whether a call goes to another process, since its own died before it could begin."""
        if not process.died_at_start():
            self._dead_starts = 0
            return False
        self._dead_starts += 1
        return not self._closed and self._dead_starts < _MOST_DEAD_STARTS * self.workers


@dataclass(eq=False)
class _Call:
    """A call, and where its result is awaited."""

    future: "Future[Any]"
    function: Callable[..., Any]
    args: tuple[Any, ...]
    named: dict[str, Any]
    begun: bool = False


@dataclass(eq=False)
class _Process:
    """A pool of one process, and its first sign of life."""

    pool: ProcessPoolExecutor
    alive: "Future[int]"

    def died_at_start(self) -> bool:
        """Whether it never came so far as to take a call."""
        return self.alive.done() and self.alive.exception() is not None


@contextmanager
def _born_deaf() -> Iterator[None]:
    """Let a process that is started now hear no ctrl-C until it can bear one, in `_begin`."""
    if sys.platform == "win32":  # which cannot hold signals back
        yield
        return
    resource_tracker.ensure_running()  # as it starts it lets ctrl-C be heard again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """What a process does first."""
    end_with_parent()
    if sys.platform == "win32":
        ignore_interrupts()
        return
    if signal.SIGINT in signal.sigpending():  # it came while all was imported
        os._exit(INTERRUPTED)
    ignore_interrupts()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
