"""Stop a run between two steps, on request or on a signal."""

import multiprocessing
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

INTERRUPTED = 130  # exit code after ctrl-C, as in shells
TERMINATED = 143  # exit code after SIGTERM, which clusters send before they end a job


class StopRun(KeyboardInterrupt):
    """Raised by a progress callback to stop a run after the current step, with an exit code.

    A checkpoint is written, so no step has to be repeated. Any other KeyboardInterrupt stops a run
    immediately, in the middle of a step.
    """

    def __init__(self, code: int = INTERRUPTED) -> None:
        super().__init__("stopped by the user" if code == INTERRUPTED else "terminated by a signal")
        self.code = code

    @classmethod
    def by(cls, number: int) -> "StopRun":
        """Create the exception for a signal, SIGINT or SIGTERM."""
        return cls(TERMINATED if number == signal.SIGTERM else INTERRUPTED)


@contextmanager
def handle_signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle ctrl-C and SIGTERM by a function; restore the previous handlers on exit.

    If the terminal is closed, SIGTERM is raised, except under `nohup`. Does nothing outside of the
    main thread, where Python cannot handle signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, _terminate)
    try:
        yield
    finally:
        for one, previous in before.items():
            if signal.getsignal(one) != signal.SIG_IGN:  # by `_terminate`
                signal.signal(one, previous)


def _terminate(number: int, _: FrameType | None) -> None:
    """Raise SIGTERM because the terminal was closed."""
    signal.signal(number, signal.SIG_IGN)  # both the system and the shell send it
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        with suppress(OSError):  # a service may have closed it
            if not stat.S_ISREG(os.fstat(output).st_mode):
                os.dup2(nowhere, output)  # writing to a closed terminal would be an error
    os.close(nowhere)
    signal.raise_signal(signal.SIGTERM)


def ignore_interrupts() -> None:
    """Ignore ctrl-C and the closing of the terminal, which the main process handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def end_with_parent() -> None:
    """End this process when its parent process dies."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()
