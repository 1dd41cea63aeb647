"""Stop a run between two steps, on request or on a signal."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

    Does nothing outside of the main thread, where Python cannot handle signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, handler) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, previous in before.items():
            signal.signal(one, previous)


def ignore_interrupts() -> None:
    """Ignore ctrl-C between two runs, which the main process handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_parent() -> None:
    """End this process when its parent process dies."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()
