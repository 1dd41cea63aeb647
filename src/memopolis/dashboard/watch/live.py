"""A running society, shared by all visitors."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from memopolis.analysis.run.load import load_run
from memopolis.analysis.run.run import Run
from memopolis.dashboard.life.minds import own_model
from memopolis.dashboard.watch.step_thread import StepThread
from memopolis.sim.error_places import described
from memopolis.sim.errors import MemopolisError, StateError
from memopolis.sim.run_size import check_size
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.timeline import Shock

USUAL_SPEED = 5.0
"""Default speed in steps per second."""

type FolderFor = Callable[[Society[Any]], Path]
"""Returns a new folder for a society's run."""


class LiveWatch:
    """A society and its run, stepped by one thread and shared by all visitors.

    Args:
        society: A society without steps.
        folder_for: Names a new folder for each run; the page makes another one with each reset.

    Raises:
        RunFolderError: If the folder cannot be written.
    """

    live = True

    def __init__(self, society: Society[Any], folder_for: FolderFor) -> None:
        self._folder_for = folder_for
        self._steps = StepThread(self._make_step, USUAL_SPEED)
        self._goal = 0
        self._moving = False
        self._state = "paused"
        self.version = 0
        self.error = ""
        self._take(society)
        self._steps.start()

    # State

    @property
    def society(self) -> Society[Any]:
        """The society; reading it requires the run's lock while it is stepped."""
        return self._by_hand.society

    @contextmanager
    def looking(self) -> Iterator[Society[Any]]:
        """Lock the society between two steps, to read it; waits for the current step."""
        by_hand = self._by_hand
        with by_hand.lock:
            yield by_hand.society

    @property
    def mind(self) -> Mapping[str, object]:
        """Settings of the society's model, which also answers interviews."""
        return own_model(self.settings)

    @property
    def settings(self) -> Settings:
        """Settings of the society."""
        settings: Settings = self.society.settings
        return settings

    @property
    def seed(self) -> int:
        """Seed of the society."""
        return self.society.seed

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        return self._by_hand.folder

    @property
    def title(self) -> str:
        """Name of the scenario."""
        return self._now.title

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the run's folder."""
        return (self.folder.name,)

    @property
    def step(self) -> int:
        """Number of complete steps."""
        return self._step

    @property
    def steps(self) -> int:
        """Total number of steps."""
        return self._by_hand.steps

    @property
    def date(self) -> datetime:
        """Local time of the society after the latest step."""
        return self.society.clock.date_of(self.step)

    @property
    def state(self) -> str:
        """State: building, paused, playing, ended or failed."""
        return "playing" if self.playing else self._state

    @property
    def playing(self) -> bool:
        """Whether it is playing; true until the last started step is complete."""
        return self._state == "paused" and (self._steps.going or self._moving)

    @property
    def speed(self) -> float:
        """Steps per second, `FASTEST` for no limit."""
        return self._steps.speed

    def runs(self) -> tuple[Run, ...]:
        """The run after the latest complete step."""
        return (self._now,)

    # Actions

    def play(self) -> None:
        """Play to the end."""
        self.go_to(self.steps)

    def pause(self) -> None:
        """Pause after the current step."""
        self._steps.halt()

    def step_once(self) -> None:
        """Run one step, then pause."""
        self.pause()
        self._steps.put(self._make_step)

    def go_to(self, step: int) -> None:
        """Play up to a step; does nothing if it is past."""
        if self._state == "paused" and self.step < step:
            self._goal = min(step, self.steps)
            self._steps.go()

    def set_speed(self, speed: float) -> None:
        """Set the speed in steps per second.

        Raises:
            ParameterError: If it is not above 0.
        """
        self._steps.set_speed(speed)

    def reset(self, changes: Mapping[str, Any], seed: int | None = None) -> None:
        """Start a new run with changed settings in a new folder; the old folder is kept.

        Args:
            changes: Settings by dotted key that get other values than they have now.
            seed: Of the new run; None for the same.

        Raises:
            SettingsError: If a setting is unknown or not allowed, or there is not enough memory;
                nothing happens then.
            StateError: If a society is being built already.
        """
        settings = self.settings.with_changes(changes)
        check_size(type(self.society), settings, force=settings.agents <= self.settings.agents)
        seed = self.seed if seed is None else seed
        if self._state == "building":
            raise StateError("a society is already being built; wait until it is ready")
        self._steps.halt()
        before, self._state, self.error = self._state, "building", ""
        self._steps.put(lambda: self._build(settings, seed, before))

    def shock(self, shock: Shock, when: datetime | str | None = None) -> int:
        """Send a shock to the society and record it in the manifest.

        Args:
            shock: What happens.
            when: Local date and time; None for the next step.

        Returns:
            The tick in which it happens.

        Raises:
            MemopolisError: If it is not possible, such as at a date that has passed.
        """
        tick = self._steps.ask(lambda: self._by_hand.shock(shock, when))
        self.version += 1
        return tick

    def finish(self) -> None:
        """End the run after the current step.

        Raises:
            MemopolisError: If it cannot be written.
        """
        self.pause()
        self._steps.ask(self._end)

    def close(self) -> None:
        """Stop the thread; an unfinished run is interrupted, with a checkpoint.

        Nothing is kept of a run that has made no step and was sent no shock.
        """
        self._steps.close()
        if self._state in {"paused", "building"}:
            self._by_hand.leave()

    # Tasks of the thread

    def _make_step(self) -> None:
        if self._state != "paused":
            return
        self._moving = self._steps.going
        try:
            self._by_hand.make_step()
            self._show()
            if self._by_hand.step >= self._by_hand.steps:
                self._end()
        except Exception as failure:  # noqa: BLE001 - the page lives on, and says what happened
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

    def _build(self, settings: Settings, seed: int, before: str) -> None:
        try:
            society = type(self.society)(settings, rng=seed)
        except Exception as failure:  # noqa: BLE001 - the run before goes on
            self.error = f"no new society: {described(failure)}"
            self._state = before
            return
        try:
            self._by_hand.leave()
            self._take(society)
        except MemopolisError as failure:
            self._state, self.error = "failed", f"no new run: {failure}"
        else:
            self._state = "paused"
        self.version += 1

    def _take(self, society: Society[Any]) -> None:
        self._by_hand = RunByHand(society, self._folder_for(society))
        self._now, self._step = load_run(self._by_hand), self._by_hand.step
        self.version += 1

    def _show(self) -> None:
        """Show visitors the new state."""
        self._now, self._step = self._now.latest(), self._by_hand.step
        self.version += 1
