"""Replay of finished runs: every visitor has its own clock."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from memopolis.analysis.run.run import Run
from memopolis.dashboard.watch.watch import FASTEST
from memopolis.sim.errors import ParameterError

USUAL_SPEED = 5.0
"""Default speed in steps per second."""
_QUICKEST = 200.0
"""Steps per second of a replay at maximum speed, limited by the page."""
_MOMENTS = 12
"""Number of cached moments, shared by all visitors."""

type Seconds = Callable[[], float]
"""Returns wall-clock time in seconds."""


class Replay:
    """One or two runs with a shared clock.

    A step of the clock is the shorter of the runs' ticks; it goes from the earlier start to the
    later end. A run that has not begun shows nothing, one that has ended all of it.

    Args:
        runs: One or two runs that have ended.
        mind: Settings of the model that the user named to answer questions; none without one.

    Raises:
        ParameterError: If there are none or more than two.
    """

    def __init__(self, runs: Sequence[Run], mind: Mapping[str, object] | None = None) -> None:
        if not 1 <= len(runs) <= 2:
            raise ParameterError(f"{len(runs)} runs cannot be replayed; give one, or two")
        self.runs = tuple(runs)
        self.mind = dict(mind or {})
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
                cut = (run.until(done) for run, done in zip(self.runs, key, strict=True))
                self._moments[key] = tuple(cut)
            self._moments.move_to_end(key)
            while len(self._moments) > _MOMENTS:
                self._moments.popitem(last=False)
            return self._moments[key]

    def _steps_of(self, run: Run, step: int) -> int:
        done = math.floor((self.date(step) - run.start) / timedelta(hours=run.hours) + 1e-9)
        return min(max(done, 0), run.ticks)


class ReplayWatch:
    """One visitor's clock over finished runs; the step follows from wall-clock time.

    Args:
        replay: The runs, shared by all visitors.
        seconds: Returns wall-clock time.
    """

    live = False
    error = ""

    def __init__(self, replay: Replay, seconds: Seconds = time.perf_counter) -> None:
        self._replay = replay
        self.mind = replay.mind
        self._seconds = seconds
        self._from = replay.steps
        self._since: float | None = None
        self._speed = USUAL_SPEED

    @property
    def title(self) -> str:
        """Name of the scenario, or of both scenarios."""
        return " and ".join(dict.fromkeys(run.title for run in self._replay.runs))

    @property
    def names(self) -> tuple[str, ...]:
        """Distinct names of the runs' folders."""
        folders = [run.folder.resolve() for run in self._replay.runs]
        if len({folder.name for folder in folders}) == len(folders):
            return tuple(folder.name for folder in folders)
        return tuple(f"{folder.parent.name}/{folder.name}" for folder in folders)

    @property
    def version(self) -> int:
        """The displayed step."""
        return self.step

    @property
    def step(self) -> int:
        """Elapsed steps of the shared clock."""
        if self._since is None:
            return self._from
        passed = (self._seconds() - self._since) * min(self._speed, _QUICKEST)
        return min(self._from + math.floor(passed + 1e-9), self.steps)

    @property
    def steps(self) -> int:
        """Total steps of the shared clock."""
        return self._replay.steps

    @property
    def date(self) -> datetime:
        """Local time on the shared clock."""
        return self._replay.date(self.step)

    @property
    def state(self) -> str:
        """State: paused, playing or ended."""
        if self.playing:
            return "playing"
        return "ended" if self.step >= self.steps else "paused"

    @property
    def playing(self) -> bool:
        """Whether the clock is running."""
        return self._since is not None and self.step < self.steps

    @property
    def speed(self) -> float:
        """Steps per second, `FASTEST` for the maximum."""
        return self._speed

    def play(self) -> None:
        """Play from here, or from the start at the end."""
        self._from = 0 if self.step >= self.steps else self.step
        self._since = self._seconds()

    def pause(self) -> None:
        """Pause."""
        self._from, self._since = self.step, None

    def step_once(self) -> None:
        """Advance by one step and pause."""
        self.go_to(self.step + 1)

    def go_to(self, step: int) -> None:
        """Go to a step and pause."""
        self._from, self._since = min(max(step, 0), self.steps), None

    def set_speed(self, speed: float) -> None:
        """Play so many steps a second.

        Raises:
            ParameterError: If it is not above 0.
        """
        if not speed > 0:
            raise ParameterError(
                f"the speed is {speed}; allowed: a number of steps per second above 0"
            )
        playing = self.playing
        self.pause()
        self._speed = min(speed, FASTEST)
        if playing:
            self._since = self._seconds()

    def runs(self) -> tuple[Run, ...]:
        """The runs at this moment."""
        return self._replay.at(self.step)
