"""One thread that makes steps at a pace, and does in between what it is told."""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from memopolis.dashboard.watch.watch import FASTEST
from memopolis.sim.errors import ParameterError, StateError

_BREATH = 0.002
"""Seconds between two steps in which whoever waits to read gets its turn."""
_BEHIND = 1.0
"""Seconds of steps that are made up for at most, when one has taken long."""

type Task = Callable[[], None]


class StepThread:
    """Makes steps while it goes; everything that it does is done one after the other.

    Args:
        make_step: Makes one step; it raises nothing.
        speed: Steps a second, above 0, or `FASTEST`.

    Attributes:
        going: Whether steps are made by themselves.
        speed: As given, or set since.
    """

    def __init__(self, make_step: Task, speed: float) -> None:
        self.going = False
        self.speed = speed
        self._make_step = make_step
        self._bell = threading.Condition()
        self._tasks: deque[Task] = deque()
        self._due = 0.0
        self._closing = False
        self._thread = threading.Thread(target=self._go_on, name="steps", daemon=True)

    def start(self) -> None:
        """Begin to wait for what is to be done."""
        self._thread.start()

    def go(self) -> None:
        """Make steps from now on."""
        with self._bell:
            self.going, self._due = True, time.perf_counter()
            self._bell.notify()

    def halt(self) -> None:
        """Make no more steps after the one that is being made."""
        with self._bell:
            self.going = False

    def set_speed(self, speed: float) -> None:
        """Make so many steps a second.

        Raises:
            ParameterError: If it is not above 0.
        """
        if not speed > 0:
            raise ParameterError(f"the speed is {speed}; a number of steps a second above 0")
        with self._bell:
            self.speed, self._due = speed, time.perf_counter()
            self._bell.notify()

    def put(self, task: Task) -> None:
        """Let something be done between two steps.

        Args:
            task: It raises nothing.

        Raises:
            StateError: If the thread is closed: nobody would do it.
        """
        with self._bell:
            if self._closing:
                raise StateError("the page is closed")
            self._tasks.append(task)
            self._bell.notify()

    def ask[T](self, ask: Callable[[], T]) -> T:
        """Let something be done between two steps, and wait for what comes of it."""
        answer: Future[T] = Future()

        def task() -> None:
            try:
                answer.set_result(ask())
            except Exception as failure:  # noqa: BLE001 - raised again where it was asked
                answer.set_exception(failure)

        self.put(task)
        return answer.result()

    def close(self) -> None:
        """Do what was put already, then end."""
        with self._bell:
            self._closing, self.going = True, False
            self._bell.notify()
        self._thread.join()

    def _go_on(self) -> None:
        while (task := self._next()) is not None:
            task()
            time.sleep(_BREATH)

    def _next(self) -> Task | None:
        """Wait for what is to be done next; None when the thread is closed and all is done."""
        with self._bell:
            while True:
                if self._tasks:
                    return self._tasks.popleft()
                if self._closing:
                    return None
                wait = self._wait()
                if wait is not None and wait <= 0:
                    self._due = max(self._due + 1 / self.speed, time.perf_counter() - _BEHIND)
                    return self._make_step
                self._bell.wait(wait)

    def _wait(self) -> float | None:
        """Seconds until the next step is due; None while it stands still."""
        if not self.going:
            return None
        return 0.0 if self.speed == FASTEST else self._due - time.perf_counter()
