"""Execute calls in local processes, one for each thread of a pool.

If a process dies, only its own call is lost, and the next call starts a new one. On Linux, a
process is forked from one that has imported the package, runs nothing else and has no threads of
Python. It is ready after 0.24 s of processor time; one that imports everything, after 1.7 s.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memopolis.sim.errors import ReplicationError, reason_of
from memopolis.sim.recording.stopping import INTERRUPTED, end_with_parent, ignore_interrupts

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

IN_A_SCRIPT = (
    'in a script, begin below `if __name__ == "__main__":`, since every process imports the script'
)
_NO_START = f"the processes of the sweep die on startup; {IN_A_SCRIPT}"
_PRELOADED = ("memopolis.agents.", "memopolis.scenarios.", "memopolis.sim.")
_MOST_STARTS = 2  # attempts to start a process
_PATIENCE = 10.0  # seconds until a process that does not stop after an interrupt is killed
if sys.platform == "win32":
    _KILL = signal.SIGTERM  # ends a process immediately on Windows
else:
    _KILL = signal.SIGKILL


class Processes(ThreadPoolExecutor):
    """Execute each call in one of several processes, which start when they are first needed.

    A call fails with BrokenProcessPool if its process died, or ReplicationError if none can start.
    """

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._lock = threading.Lock()
        # Pools of one process each, and a future that is done once the process has started.
        self._pools: dict[ProcessPoolExecutor, Future[int]] = {}
        self._idle: list[ProcessPoolExecutor] = []
        self._is_interrupted = False

    def submit[**P, T](
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> "Future[T]":
        """Call a function in the next free process."""
        return super().submit(self._call, partial(fn, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - signature of Executor
        """Accept no more calls; see `concurrent.futures.Executor.shutdown`."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for pool in list(self._pools):
            pool.shutdown(wait)

    def interrupt(self) -> None:
        """Interrupt all processes, and kill those that do not stop."""
        self._is_interrupted = True
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

    def __enter__(self) -> Self:
        """Start the first process; ReplicationError if it dies."""
        self._idle.append(self._start())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait for all calls, or interrupt them after an error."""
        if error is None:
            self.shutdown()
        else:
            self.interrupt()

    def _call[T](self, call: Callable[[], T]) -> T:
        with self._lock:
            idle = self._idle.pop() if self._idle and not self._is_interrupted else None
        pool = idle or self._start()
        done = pool.submit(call)
        if isinstance(done.exception(), BrokenProcessPool):
            del self._pools[pool]
        else:
            self._idle.append(pool)
        return done.result()

    def _start(self) -> ProcessPoolExecutor:
        for _ in range(_MOST_STARTS):
            with self._lock, _sigint_blocked():
                if self._is_interrupted:
                    raise KeyboardInterrupt
                pool = ProcessPoolExecutor(1, process_context(), _begin, (dict(os.environ),))
                try:
                    started = pool.submit(os.getpid)
                except RuntimeError:  # this process imports the script, too
                    raise ReplicationError(_NO_START) from None
                except OSError as error:
                    reason = reason_of(error)
                    raise ReplicationError(f"no process can start: {reason}") from None
                self._pools[pool] = started
            if started.exception() is None:
                return pool
            del self._pools[pool]
        raise ReplicationError(_NO_START)

    def _signal(self, number: int) -> None:
        """Send a signal to all processes; those still starting are killed, since they are idle."""
        with self._lock:
            pools = list(self._pools.items())
        for pool, started in pools:
            own = number if started.done() else _KILL
            for process in list(pool._processes or {}):  # noqa: SLF001 - no other way
                with suppress(ProcessLookupError):
                    os.kill(process, own)


def process_context() -> "ForkServerContext | SpawnContext":
    """Return a context that starts processes; each imports the main module, as by "spawn"."""
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # What this process has imported when it starts its first process.
    context.set_forkserver_preload(sorted(n for n in sys.modules if n.startswith(_PRELOADED)))
    return context


def take_environment(environment: Mapping[str, str]) -> None:
    """Replace the environment variables, which are those of the first start in a forked process."""
    os.environ.clear()
    os.environ.update(environment)


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
