"""Replay of finished runs: every visitor has its own clock."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import override

from memopolis.analysis.compare.arm_folders import Arm
from memopolis.analysis.run.run import Run
from memopolis.dashboard.charts.overlays import Overlays
from memopolis.dashboard.watch.watch import Moment, Watch
from memopolis.sim.errors import ParameterError

_MOST_SPEED = 200.0  # steps per second of a replay at maximum speed, limited by the page
_MOMENTS = 12  # number of cached moments, shared by all visitors

type Seconds = Callable[[], float]
"""Returns wall-clock time in seconds."""


class Replay:
    """One or two runs with a shared clock.

    A step of the clock is the shorter of the runs' ticks. The clock runs from the earlier start to
    the later end: a run that has not started is empty, and a run that has ended is shown in full.
    Raises ParameterError if there are none or more than two. `runs` have ended. `mind` has the
    settings of the user's model for interviews; empty without one. The charts compare `arms`, the
    first being the reference.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        mind: Mapping[str, object] | None = None,
        arms: Sequence[Arm] = (),
    ) -> None:
        if not 1 <= len(runs) <= 2:
            raise ParameterError(f"{len(runs)} runs cannot be replayed; name one or two")
        self.runs = tuple(runs)
        self.mind = dict(mind or {})
        self.overlays = Overlays(arms)
        self.start = min(run.start for run in runs)
        self.hours = min(run.hours for run in runs)
        whole = max(run.end for run in runs) - self.start
        self.steps = max(1, math.ceil(whole / timedelta(hours=self.hours) - 1e-9))
        self._moments: OrderedDict[tuple[int, ...], tuple[Run, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def date(self, step: int) -> datetime:
        """Return the local time after a number of steps."""
        return self.start + timedelta(hours=self.hours) * step

    def at(self, step: int) -> tuple[Run, ...]:
        """Return the runs after a number of steps; cached for all visitors."""
        key = tuple(self._steps_of(run, step) for run in self.runs)
        with self._lock:
            if key not in self._moments:
                moments = (run.until(done) for run, done in zip(self.runs, key, strict=True))
                self._moments[key] = tuple(moments)
            self._moments.move_to_end(key)
            while len(self._moments) > _MOMENTS:
                self._moments.popitem(last=False)
            return self._moments[key]

    def _steps_of(self, run: Run, step: int) -> int:
        done = math.floor((self.date(step) - run.start) / timedelta(hours=run.hours) + 1e-9)
        return min(max(done, 0), run.ticks)


class ReplayWatch(Watch):
    """One visitor's clock over finished runs; the step follows from wall-clock time."""

    def __init__(self, replay: Replay, seconds: Seconds = time.perf_counter) -> None:
        self.replay = replay
        self._seconds = seconds
        self.title = " and ".join(dict.fromkeys(run.title for run in replay.runs))
        self.names = _names_of(replay.runs)
        self.mind, self.steps, self.overlays = replay.mind, replay.steps, replay.overlays
        self._from = replay.steps
        self._since: float | None = None

    @property
    @override
    def version(self) -> int:
        return self.step

    @property
    @override
    def step(self) -> int:
        if self._since is None:
            return self._from
        passed = (self._seconds() - self._since) * min(self.speed, _MOST_SPEED)
        return min(self._from + math.floor(passed + 1e-9), self.steps)

    @property
    @override
    def date(self) -> datetime:
        return self.replay.date(self.step)

    @property
    @override
    def state(self) -> str:
        if self.playing:
            return "playing"
        return "ended" if self.step >= self.steps else "paused"

    @property
    @override
    def playing(self) -> bool:
        return self._since is not None and self.step < self.steps

    @override
    def play(self) -> None:
        self._from = 0 if self.step >= self.steps else self.step
        self._since = self._seconds()

    @override
    def pause(self) -> None:
        self._from, self._since = self.step, None

    @override
    def step_once(self) -> None:
        self.go_to(self.step + 1)

    @override
    def go_to(self, step: int) -> None:
        self._from, self._since = min(max(step, 0), self.steps), None

    @override
    def _apply_speed(self, speed: float) -> None:
        playing = self.playing
        self.pause()
        if playing:
            self._since = self._seconds()

    @override
    def moment(self) -> Moment:
        step = self.step
        date, runs = self.replay.date(step), self.replay.at(step)
        return Moment(step, step, date, self.state, 0, runs)


def _names_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return distinct names of the runs' folders."""
    folders = [run.folder.resolve() for run in runs]
    if len({folder.name for folder in folders}) == len(folders):
        return tuple(folder.name for folder in folders)
    return tuple(f"{folder.parent.name}/{folder.name}" for folder in folders)
