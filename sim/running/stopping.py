"""How what listens to a run asks it to stop between two steps, and what makes it ask."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""Exit code after ctrl-C, as shells give it."""
TERMINATED = 143
"""Exit code after SIGTERM, which clusters send before they end a job."""


class StopRun(KeyboardInterrupt):
    """Raised by what a run tells of its progress: stop here and keep everything.

    The step is whole then, so a checkpoint is written and nothing has to be done again. A
    KeyboardInterrupt of any other kind stops a run at once, in the middle of a step.

    Args:
        code: What the process should exit with.
    """

    def __init__(self, code: int = INTERRUPTED) -> None:
        super().__init__("stopped by the user" if code == INTERRUPTED else "told to end")
        self.code = code

    @classmethod
    def by(cls, number: int) -> "StopRun":
        """What is raised for a signal, SIGINT or SIGTERM."""
        return cls(TERMINATED if number == signal.SIGTERM else INTERRUPTED)


@contextmanager
def signals_heard(hear: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let a function hear ctrl-C and SIGTERM; afterwards, whoever heard them before.

    Outside of the main thread, where Python hears no signals, nothing is done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, hear) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
