"""A running society, shared by all visitors, and the thread that runs its steps."""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, override

from memopolis.analysis.run.run import Run, load_run
from memopolis.dashboard.effects.comparison import Comparison, SentShock
from memopolis.dashboard.life.minds import own_model
from memopolis.dashboard.watch.watch import FASTEST, Moment, Watch
from memopolis.sim.error_places import described
from memopolis.sim.errors import MemopolisError, StateError
from memopolis.sim.run_size import check_size
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.forking import Branch
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.timeline import Shock

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


_FEW = 60  # agents of the society that loads kernels
_MOST_COMPARED = 2  # most copies of the society that follow it at a time, without one shock each
type FolderFor = Callable[[Society[Any]], Path]
"""Returns a new folder for a society's run."""


class LiveWatch(Watch):
    """A society and its run, stepped by one thread and shared by all visitors.

    Raises RunFolderError if the folder cannot be written. `folder_for` returns a new folder for
    each run; each reset makes another run. Reading `society` requires the run's lock while it is
    stepped; `sent` are the shocks that visitors sent into the run.
    """

    version = 0
    sent: tuple[SentShock, ...] = ()
    _society_number = 0

    def __init__(self, society: Society[Any], folder_for: FolderFor) -> None:
        self._folder_for = folder_for
        self._steps = StepThread(self._make_step, self.speed)
        self._goal = 0
        self._moving = False
        self._state = "paused"
        self._watch_society(society)
        self._steps.put(partial(_load_kernels, type(society), society.settings))
        self._steps.start()

    def look[T](self, ask: Callable[[Society[Any]], T]) -> T:
        """Call a function that reads the society between two steps; waits for the current step."""
        by_hand = self._by_hand
        with by_hand.lock:
            return ask(by_hand.society)

    @property
    @override
    def step(self) -> int:
        return self._now.ticks

    @property
    @override
    def date(self) -> datetime:
        return self.society.clock.date_of(self.step)

    @property
    @override
    def state(self) -> str:
        return "playing" if self.playing else self._state

    @property
    @override
    def playing(self) -> bool:
        return self._state == "paused" and (self._steps.going or self._moving)

    @override
    def moment(self) -> Moment:
        version, number, now = self.version, self._society_number, self._now
        return Moment(version, now.ticks, now.end, self.state, number, (now,))

    # Actions

    @override
    def play(self) -> None:
        self.go_to(self.steps)

    @override
    def pause(self) -> None:
        self._steps.halt()

    @override
    def step_once(self) -> None:
        self.pause()
        self._steps.put(self._make_step)

    @override
    def go_to(self, step: int) -> None:
        if self._state == "paused" and self.step < step:
            self._goal = min(step, self.steps)
            self._steps.go()

    @override
    def _apply_speed(self, speed: float) -> None:
        self._steps.set_speed(speed)

    def reset(self, changes: Mapping[str, Any], seed: int | None = None) -> None:
        """Start a new run with changed settings in a new folder; the old folder is kept.

        Raises SettingsError if a setting is unknown or not allowed, or there is not enough memory;
        the current run then continues, or StateError if a society is already being built.
        `changes` are by dotted key; without `seed`, the random seed stays the same.
        """
        settings = self.settings.with_changes(changes)
        check_size(type(self.society), settings, force=settings.agents <= self.settings.agents)
        seed = self.seed if seed is None else seed
        if self._state == "building":
            raise StateError("a society is already being built; wait until it is ready")
        self._steps.halt()
        previous, self._state, self.error = self._state, "building", ""
        self._steps.put(lambda: self._build(settings, seed, previous))

    def shock(self, shock: Shock, when: datetime | str | None = None) -> int:
        """Send a shock to the society and record it in the manifest.

        Returns the tick in which it happens. Raises MemopolisError if it is not possible, such as
        at a date that has passed. It happens at the local date and time `when`, in the next step if
        None.
        """
        sent = self._steps.ask(lambda: self._send(shock, when))
        self.sent = (*self.sent, sent)
        if sent.comparison is not None:
            sent.comparison.start()
        self._notify()
        return sent.tick

    def finish(self) -> None:
        """End the run after the current step. Raises MemopolisError if it cannot be written."""
        self.pause()
        self._steps.ask(self._end)

    def close(self) -> None:
        """Stop the thread; an unfinished run is interrupted, with a checkpoint.

        A run without steps and without shocks sent by hand is removed.
        """
        self._steps.close()
        self._stop_comparisons()
        if self._state in {"paused", "building"}:
            self._by_hand.leave()

    # Tasks of the thread

    def _send(self, shock: Shock, when: datetime | str | None) -> SentShock:
        """Send a shock, and copy the society without it."""
        branch, reason = None, ""
        try:
            branch = Branch.of(self.society)
        except MemopolisError as failure:
            reason = described(failure).rstrip(".")
        tick = self._by_hand.shock(shock, when)
        date = self.society.clock.date_of(tick)
        active = [shock.comparison for shock in self.sent if shock.comparison is not None]
        active = [comparison for comparison in active if comparison.active]
        for comparison in active:
            comparison.add(date, shock)
        for comparison in active[: -(_MOST_COMPARED - 1)]:
            comparison.stop()
        if branch is None:
            return SentShock(shock, tick, date, reason=reason)
        by_hand, run = self._by_hand, self._now
        comparison = Comparison(branch, tick, lambda: self._latest_of(by_hand, run), self._notify)
        return SentShock(shock, tick, date, comparison)

    def _latest_of(self, by_hand: RunByHand, run: Run) -> Run:
        """Return a run as it is shown now; as given if another society is watched by now."""
        return self._now if by_hand is self._by_hand else run

    def _notify(self) -> None:
        """Have visitors updated without a step."""
        self.version += 1

    def _stop_comparisons(self) -> None:
        """Stop all copies of the society, and wait until their files are removed."""
        for sent in self.sent:
            if sent.comparison is not None:
                sent.comparison.stop(wait=True)
        self.sent = ()

    def _make_step(self) -> None:
        if self._state != "paused":
            return
        self._moving = self._steps.going
        try:
            self._by_hand.make_step()
            self._show()
            if self._by_hand.step >= self._by_hand.steps:
                self._end()
        except Exception as failure:  # noqa: BLE001 - shown on the page, which stays usable
            self._fail(failure)
        if self.step >= self._goal:
            self._steps.halt()
        self._moving = False

    def _end(self) -> None:
        self._by_hand.finish()
        self._state = "ended"
        self._show()

    def _fail(self, failure: Exception) -> None:
        self.error = f"step {self.step + 1} failed: {described(failure, with_type=True)}"
        self._steps.halt()
        self._state = "failed"
        self.version += 1

    def _build(self, settings: Settings, seed: int, previous: str) -> None:
        try:
            society = type(self.society)(settings, rng=seed)
        except Exception as failure:  # noqa: BLE001 - the previous run continues
            self.error = f"no new society: {described(failure)}"
            self._state = previous
            return
        try:
            self._by_hand.leave()
            self._watch_society(society)
        except MemopolisError as failure:
            self._state, self.error = "failed", f"no new run: {failure}"
        else:
            self._state = "paused"
        self.version += 1

    def _watch_society(self, society: Society[Any]) -> None:
        """Watch a new society."""
        self._stop_comparisons()
        self._by_hand = by_hand = RunByHand(society, self._folder_for(society))
        self.society, self.settings, self.seed = society, society.settings, society.seed
        self.folder, self.names, self.steps = by_hand.folder, (by_hand.folder.name,), by_hand.steps
        self.mind = own_model(society.settings)
        self._now = load_run(by_hand)
        self.title = self._now.title
        self._society_number += 1
        self.version += 1

    def _show(self) -> None:
        """Show visitors the new state."""
        self._now = self._now.latest()
        self.version += 1


def _load_kernels(scenario: type[Society[Any]], settings: Settings) -> None:
    """Step a small society once, which loads what the first step would wait for.

    Only for scenarios of this package and without a model: own code and models may have effects.
    """
    if scenario.__module__.startswith("memopolis.scenarios.") and settings.mind == "rule":
        with suppress(Exception):  # the first step of the run reports it
            scenario(settings.with_changes({"agents": _FEW, "parts": 1}), rng=0).step()
