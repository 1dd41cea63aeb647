"""Execute calls in local processes, each in a pool of one.

If a process dies, only its own call is lost, and a new process replaces it. Waiting calls are kept
in the main process.
"""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from typing import Any

from memopolis.sim.errors import ReplicationError
from memopolis.sim.executors.starting import process_context, take_environment
from memopolis.sim.recording.stopping import INTERRUPTED, end_with_parent, ignore_interrupts

IN_A_SCRIPT = (
    'in a script, begin below `if __name__ == "__main__":`, since every process imports the script'
)
_NO_START = f"the processes of the sweep die on startup; {IN_A_SCRIPT}"
_MOST_DEAD_STARTS = 2
if sys.platform == "win32":
    _KILL = signal.SIGTERM  # ends a process immediately on Windows
else:
    _KILL = signal.SIGKILL
_PATIENCE = 10.0  # seconds until a process that does not stop after an interrupt is killed


class Processes(Executor):
    """Execute each call in one of several processes, which start when they are first needed."""

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
        """Call a function in the next free process; BrokenProcessPool if it died meanwhile."""
        call = _Call(Future(), fn, args, kwargs)
        with self._lock:
            if self._closed:
                raise RuntimeError("no call can be made after shutdown")
            self._waiting.append(call)
            self._feed()
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - signature of Executor
        """Accept no more calls; see `concurrent.futures.Executor.shutdown`."""
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
        """Interrupt all processes, and kill those that do not stop."""
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
        """Send a signal to all processes; those still starting are killed, since they are idle."""
        with self._lock:
            sent = [(one.pool, number if one.alive.done() else _KILL) for one in self._all]
        for pool, own in sent:
            for process in list(pool._processes or {}):  # noqa: SLF001 - no other way
                with suppress(ProcessLookupError):
                    os.kill(process, own)

    def _feed(self) -> None:
        """Assign waiting calls to idle processes; the lock must be held."""
        while self._waiting and (self._idle or len(self._all) < self.workers):
            call = self._waiting.popleft()
            if not call.begun and not call.future.set_running_or_notify_cancel():
                continue
            call.begun = True
            process = self._idle.pop() if self._idle else self._start()
            done = process.pool.submit(call.function, *call.args, **call.named)
            done.add_done_callback(partial(self._done, call, process))

    def _start(self) -> "_Process":
        with _sigint_blocked():
            environment = dict(os.environ)
            pool = ProcessPoolExecutor(1, process_context(), _begin, (environment,))
            process = _Process(pool, pool.submit(os.getpid))
        self._all.add(process)
        return process

    def _done(self, call: "_Call", process: "_Process", done: "Future[Any]") -> None:
        """Pass on the result of a call, and assign the next one to the process.

        A broken pool must be neither used nor released here: it holds its own lock during this
        callback and would deadlock.
        """
        error = done.exception()
        retry = False
        with self._lock:
            if isinstance(error, BrokenProcessPool):
                self._all.discard(process)
                self._dead.append(process)
                retry = self._should_retry(process)
            else:
                self._dead_starts = 0
                self._idle.append(process)
            if retry:
                self._waiting.appendleft(call)
            self._feed()
        if retry:
            return
        if error is None:
            call.future.set_result(done.result())
        elif process.died_at_start():
            call.future.set_exception(ReplicationError(_NO_START))
        else:
            call.future.set_exception(error)

    def _should_retry(self, process: "_Process") -> bool:
        """Whether to retry a call, since its process died before the call could begin."""
        if not process.died_at_start():
            self._dead_starts = 0
            return False
        self._dead_starts += 1
        return not self._closed and self._dead_starts < _MOST_DEAD_STARTS * self.workers


@dataclass(eq=False)
class _Call:
    """A call and the future for its result."""

    future: "Future[Any]"
    function: Callable[..., Any]
    args: tuple[Any, ...]
    named: dict[str, Any]
    begun: bool = False


@dataclass(eq=False)
class _Process:
    """A pool of one process, and a future that is done once the process has started."""

    pool: ProcessPoolExecutor
    alive: "Future[int]"

    def died_at_start(self) -> bool:
        """Whether the process died before it could accept a call."""
        return self.alive.done() and self.alive.exception() is not None


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block ctrl-C in processes started inside, until `_begin` unblocks it."""
    if sys.platform == "win32":  # cannot block signals
        yield
        return
    resource_tracker.ensure_running()  # would unblock ctrl-C if it started inside
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(environment: Mapping[str, str]) -> None:
    """Initialize a process with the environment variables of its parent."""
    take_environment(environment)
    end_with_parent()
    if sys.platform == "win32":
        ignore_interrupts()
        return
    if signal.SIGINT in signal.sigpending():  # interrupted during imports
        os._exit(INTERRUPTED)
    ignore_interrupts()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
