"""Runs that have ended, replayed: every visitor has its own clock over the same runs."""

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
"""Steps a second at which runs are replayed until the visitor says otherwise."""
_QUICKEST = 200.0
"""Steps a second of a replay that goes as fast as it can; nobody sees more."""
_MOMENTS = 12
"""Moments that are kept for all visitors, with what was worked out of them."""

type Seconds = Callable[[], float]
"""A clock on the wall, in seconds."""


class Replay:
    """One run or two, and the clock that they share.

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
        """Local time after so many steps."""
        return self.start + timedelta(hours=self.hours) * step

    def at(self, step: int) -> tuple[Run, ...]:
        """The runs as they stood after so many steps; the same objects for all who ask soon."""
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
    """One visitor's clock over runs that have ended. Nothing runs by itself: time is read off.

    Args:
        replay: The runs, shared by all visitors.
        seconds: The clock on the wall.
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
        """Name of the scenario, or of both."""
        return " and ".join(dict.fromkeys(run.title for run in self._replay.runs))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the runs' folders, by which they are told apart."""
        folders = [run.folder.resolve() for run in self._replay.runs]
        if len({folder.name for folder in folders}) == len(folders):
            return tuple(folder.name for folder in folders)
        return tuple(f"{folder.parent.name}/{folder.name}" for folder in folders)

    @property
    def version(self) -> int:
        """The step that is shown."""
        return self.step

    @property
    def step(self) -> int:
        """Steps of the shared clock that have passed."""
        if self._since is None:
            return self._from
        passed = (self._seconds() - self._since) * min(self._speed, _QUICKEST)
        return min(self._from + math.floor(passed + 1e-9), self.steps)

    @property
    def steps(self) -> int:
        """Steps of the shared clock in all."""
        return self._replay.steps

    @property
    def date(self) -> datetime:
        """Local time on the shared clock."""
        return self._replay.date(self.step)

    @property
    def state(self) -> str:
        """What it does: paused, playing or ended."""
        if self.playing:
            return "playing"
        return "ended" if self.step >= self.steps else "paused"

    @property
    def playing(self) -> bool:
        """Whether the clock goes on by itself."""
        return self._since is not None and self.step < self.steps

    @property
    def speed(self) -> float:
        """Steps a second, `FASTEST` for as many as anybody can see."""
        return self._speed

    def play(self) -> None:
        """Go on from here, or from the start where the end is reached."""
        self._from = 0 if self.step >= self.steps else self.step
        self._since = self._seconds()

    def pause(self) -> None:
        """Stand still."""
        self._from, self._since = self.step, None

    def step_once(self) -> None:
        """Go on by one step and stand still."""
        self.go_to(self.step + 1)

    def go_to(self, step: int) -> None:
        """Go to a step and stand still there."""
        self._from, self._since = min(max(step, 0), self.steps), None

    def set_speed(self, speed: float) -> None:
        """Play so many steps a second.

        Raises:
            ParameterError: If it is not above 0.
        """
        if not speed > 0:
            raise ParameterError(f"the speed is {speed}; a number of steps a second above 0")
        playing = self.playing
        self.pause()
        self._speed = min(speed, FASTEST)
        if playing:
            self._since = self._seconds()

    def runs(self) -> tuple[Run, ...]:
        """The runs as they stood at this moment."""
        return self._replay.at(self.step)
