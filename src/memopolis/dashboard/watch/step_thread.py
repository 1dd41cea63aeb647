"""A thread that runs steps at a given speed, and tasks between them."""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from memopolis.dashboard.watch.watch import FASTEST
from memopolis.sim.errors import StateError

_PAUSE = 0.002  # pause in seconds between two steps, for waiting readers
_MOST_DELAY = 1.0  # maximum delay in seconds to catch up after a slow step

type Task = Callable[[], None]


class StepThread:
    """A thread that runs steps and tasks one after the other; `make_step` must not raise.

    While it is `going`, steps follow each other at the speed until `halt`.
    """

    def __init__(self, make_step: Task, speed: float) -> None:
        self.going = False
        self.speed = speed
        self._make_step = make_step
        self._changed = threading.Condition()
        self._tasks: deque[Task] = deque()
        self._due = 0.0
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="steps", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def go(self) -> None:
        """Start to run steps."""
        with self._changed:
            self.going, self._due = True, time.perf_counter()
            self._changed.notify()

    def halt(self) -> None:
        """Stop after the current step."""
        with self._changed:
            self.going = False

    def set_speed(self, speed: float) -> None:
        """Set the speed in steps per second, above 0 or `FASTEST`."""
        with self._changed:
            self.speed, self._due = speed, time.perf_counter()
            self._changed.notify()

    def put(self, task: Task) -> None:
        """Run a task, which must not raise, between two steps.

        Raises StateError if the thread is closed.
        """
        with self._changed:
            if self._closing:
                raise StateError("the page is closed")
            self._tasks.append(task)
            self._changed.notify()

    def ask[T](self, ask: Callable[[], T]) -> T:
        """Run a task between two steps, and wait for its result."""
        answer: Future[T] = Future()

        def task() -> None:
            try:
                answer.set_result(ask())
            except Exception as failure:  # noqa: BLE001 - raised again by `ask`
                answer.set_exception(failure)

        self.put(task)
        return answer.result()

    def close(self) -> None:
        """Finish the queued tasks, then end the thread."""
        with self._changed:
            self._closing, self.going = True, False
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while (task := self._next()) is not None:
            task()
            time.sleep(_PAUSE)

    def _next(self) -> Task | None:
        """Wait for the next task; None if the thread is closed and the queue is empty."""
        with self._changed:
            while True:
                if self._tasks:
                    return self._tasks.popleft()
                if self._closing:
                    return None
                wait = self._wait()
                if wait is not None and wait <= 0:
                    self._due = max(self._due + 1 / self.speed, time.perf_counter() - _MOST_DELAY)
                    return self._make_step
                self._changed.wait(wait)

    def _wait(self) -> float | None:
        """Seconds until the next step is due; None while paused."""
        if not self.going:
            return None
        return 0.0 if self.speed == FASTEST else self._due - time.perf_counter()
