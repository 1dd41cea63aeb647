"""A recorded run that a page, a notebook or another program advances step by step."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.recording.checkpointing import Checkpointing
from memopolis.sim.recording.garbage import freeze_agents
from memopolis.sim.recording.loop import record_step, recording_run, run_bounds
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.run_folder.folder import check_unused, owned, remove_run

if TYPE_CHECKING:
    from memopolis.sim.society import Society
    from memopolis.sim.timeline import Shock


class RunByHand:
    """Advance a recorded run step by step, and add shocks to it.

    It records the same tables as `Society.run`. As a context manager, it stops the run on exit
    unless `finish` was called. It is thread-safe: each call waits for the previous one. Hold `lock`
    to read the society between two steps.

    Args:
        society: Society to run; nothing else may record it.
        folder: Folder of the run, locked until the run ends; must not exist or be empty.
        days: Length of the run; None for the length in the settings.
    """

    def __init__(
        self, society: "Society[Any]", folder: str | Path, *, days: float | None = None
    ) -> None:
        entries = run_bounds(society, days)
        check_unused(Path(folder))
        self.lock = threading.RLock()
        self.society = society
        self.folder = Path(folder)
        self._has_frozen = False
        self._left_empty = threading.Event()
        self._existed = self.folder.is_dir()
        with ExitStack() as opened:
            opened.enter_context(owned(self.folder))
            opened.enter_context(_removed_if(self._left_empty, self.folder))
            self.recorder = Recorder(self.folder, society, entries=entries)
            self._checkpoints = Checkpointing(society, self.recorder)
            opened.enter_context(recording_run(society, self.recorder, self._checkpoints))
            self._opened: ExitStack | None = opened.pop_all()

    @property
    def step(self) -> int:
        """Number of completed steps."""
        return round(float(self.society.time))

    @property
    def steps(self) -> int:
        """Number of steps after which the run ends."""
        return int(self.recorder.entries["until"])

    @property
    def ended(self) -> bool:
        """Whether the run was finished or stopped, or has failed."""
        return self._opened is None

    def make_step(self) -> None:
        """Run and record one step, and write a checkpoint if the settings ask for one.

        An error raised by the step is raised here and marks the run as failed. Raises
        RunFolderError if the run has ended, or a table cannot be written, or ParameterError if all
        steps are done.
        """
        with self.lock:
            opened = self._open()
            self._check_left("no step is left")
            try:
                if not self._has_frozen:
                    # At the first step, since earlier runs have been released by then.
                    self._has_frozen = True
                    opened.enter_context(freeze_agents(for_long=True))
                record_step(self.society, self.recorder)
                self._checkpoints.step(self.step)
            except BaseException as failure:
                self._end(failure)
                raise

    def shock(self, shock: "Shock", when: datetime | str | None = None) -> int:
        """Schedule a shock, and return the step, from 0, in which it happens.

        The shock is added to the manifest before that step, so the run can be resumed, forked and
        repeated with it. `when` is a local date and time, a datetime or ISO text; None for the next
        step. Raises ParameterError if it is in the past or after the end of the run, or an error as
        in `Society.check_shock`, or RunFolderError if the run has ended or its manifest cannot be
        written; the shock is not scheduled then.
        """
        with self.lock:
            self._open()
            self._check_left("so no shock can be added")
            tick, society = self._tick_of(when), self.society
            society.check_shock(shock)
            before = society.timeline.state()
            society.steer(society.clock.date_of(tick), shock)
            try:
                self.recorder.note()
            except RunFolderError:
                society.timeline.restore(before)
                society.interventions["shocks"].pop()
                raise
            return tick

    def finish(self) -> None:
        """End the run after the steps done so far, with the status "succeeded".

        Raises RunFolderError if the run has ended, or a file cannot be written and the run failed,
        or ParameterError if no step is done yet.
        """
        with self.lock:
            self._open()
            if self.step == self.recorder.entries["began"]:
                raise ParameterError(f"the run in {self.folder} has done no step yet; call stop")
            self.recorder.entries["until"] = self.step
            self._end(None)

    def stop(self) -> None:
        """Interrupt the run, if it is active, and write a checkpoint for `resume`."""
        with self.lock:
            if not self.ended:
                self._end(StopRun())

    def abandon(self) -> None:
        """Interrupt the run without a checkpoint, because its folder is no longer needed."""
        with self.lock, suppress(KeyboardInterrupt):
            if not self.ended:
                self._end(KeyboardInterrupt("abandoned"))

    def leave(self) -> None:
        """Stop the run, and remove its folder if it has no step, shock or survey.

        A folder that existed before the run is emptied and kept, and so is one that contains other
        files.
        """
        with self.lock:
            begun = self.step > self.recorder.entries["began"] or any(
                self.society.interventions.values()
            )
            if not (self.ended or begun):
                self._left_empty.set()
            self.stop()
            if self._left_empty.is_set() and not self._existed:
                with suppress(OSError):
                    self.folder.rmdir()  # fails if the folder is not empty

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _open(self) -> ExitStack:
        if self._opened is None:
            raise RunFolderError(f"the run in {self.folder} has ended")
        return self._opened

    def _check_left(self, consequence: str) -> None:
        if self.step >= self.steps:
            raise ParameterError(
                f"the run in {self.folder} has done all its {self.steps:,} steps, {consequence}; "
                f"call finish"
            )

    def _tick_of(self, when: datetime | str | None) -> int:
        """Return the step that covers a date, which must not be done yet."""
        if when is None:
            return self.step
        clock = self.society.clock
        tick = clock.tick_of(when)
        if self.step <= tick < self.steps:
            return tick
        first, last = clock.date_of(self.step), clock.date_of(self.steps)
        raise ParameterError(
            f"{when} {'has passed' if tick < self.step else 'is after the end of the run'}; give a "
            f"time from {first:%Y-%m-%d %H:%M} to before {last:%Y-%m-%d %H:%M}, or none for the "
            f"next step"
        )

    def _end(self, why: BaseException | None) -> None:
        """Close everything that was opened: with an error, or without one as a success."""
        opened, self._opened = self._open(), None
        trace = None if why is None else why.__traceback__
        try:
            opened.__exit__(None if why is None else type(why), why, trace)
        except StopRun:
            if not isinstance(why, StopRun):
                raise


@contextmanager
def _removed_if(left_empty: threading.Event, folder: Path) -> Iterator[None]:
    """Remove the files of an empty run before another process can lock the folder."""
    number = folder.stat().st_ino
    try:
        yield
    finally:
        if left_empty.is_set() and folder.stat().st_ino == number:  # was not moved
            with suppress(RunFolderError):  # links belong to the user and are not removed
                remove_run(folder, reports=False)
