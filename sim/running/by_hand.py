"""A run that somebody steps: a page, a notebook, a program of one's own."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.running.checkpointing import Checkpointing
from memopolis.sim.running.clearing import remove_run
from memopolis.sim.running.folder import check_unused, owned
from memopolis.sim.running.garbage import agents_kept
from memopolis.sim.running.loop import going_on, recorded_step, story_of
from memopolis.sim.running.stopping import StopRun

if TYPE_CHECKING:
    from memopolis.sim.society import Society
    from memopolis.sim.timeline import Shock


class RunByHand:
    """A recorded run whose steps are made one by one, and into which shocks can be sent.

    Its tables are those that `Society.run` records. As a context manager it stops when it is
    left before `finish`. Any thread may use it: each call waits for the one before, and who
    holds `lock` reads between two steps.

    Args:
        society: Whose run it is, not recorded elsewhere.
        folder: The run's folder, which it owns until it ends; must not exist or be empty.
        days: Length of the run; None for that of the settings.

    Attributes:
        society: As given.
        folder: Where the run is recorded.
        recorder: What records it.
        lock: Held while a step is made, a shock is noted, or the run ends.

    Raises:
        RunFolderError: If the folder holds something, is owned or cannot be written.
        ParameterError: If `days` is not positive.
    """

    def __init__(
        self, society: "Society[Any]", folder: str | Path, *, days: float | None = None
    ) -> None:
        story = story_of(society, days)
        check_unused(Path(folder))
        self.lock = threading.RLock()
        self.society = society
        self.folder = Path(folder)
        self._agents_kept = False
        self._left_empty = threading.Event()
        self._found = self.folder.is_dir()
        with ExitStack() as opened:
            opened.enter_context(owned(self.folder))
            opened.enter_context(_removed_if(self._left_empty, self.folder))
            self.recorder = Recorder(self.folder, society, story=story)
            self._checkpoints = Checkpointing(society, self.recorder)
            opened.enter_context(going_on(society, self.recorder, self._checkpoints))
            self._opened: ExitStack | None = opened.pop_all()

    @property
    def step(self) -> int:
        """Steps that are done."""
        return round(float(self.society.time))

    @property
    def steps(self) -> int:
        """Steps after which the run is to end."""
        return int(self.recorder.story["until"])

    @property
    def ended(self) -> bool:
        """Whether it was finished or stopped, or has failed."""
        return self._opened is None

    def make_step(self) -> None:
        """Make one step and record it; checkpoints are written as the settings say.

        Whatever a step raises is raised here, and the run has failed then.

        Raises:
            RunFolderError: If the run has ended, or a table cannot be written.
            ParameterError: If all steps are made.
        """
        with self.lock:
            opened = self._open()
            self._check_left("no step is left")
            try:
                if not self._agents_kept:
                    # Not before the first step: by then what ran before is no longer held.
                    self._agents_kept = True
                    opened.enter_context(agents_kept(for_long=True))
                recorded_step(self.society, self.recorder)
                self._checkpoints.step(self.step)
            except BaseException as failure:
                self._end(failure)
                raise

    def shock(self, shock: "Shock", when: datetime | str | None = None) -> int:
        """Let a shock happen; the manifest knows of it before the step in which it acts.

        So the run can be resumed, forked and made anew (`repeat`) as it was steered.

        Args:
            shock: News, Order, Policy, Message, or a kind that the scenario knows.
            when: Local date and time, a datetime or ISO text; None for the next step.

        Returns:
            The step, from 0, in which it acts.

        Raises:
            ParameterError: If `when` is no date, has passed or lies after the end, or the
                shock is one that cannot act in this society.
            UnknownNameError: If it names a zone, an agent or a rule that there is not.
            SchemaError: If it is no shock of plain values.
            RunFolderError: If the run has ended, or its manifest cannot be written; nothing
                happens then.
        """
        with self.lock:
            self._open()
            self._check_left("nothing can happen any more")
            tick, society = self._tick_of(when), self.society
            society.check_shock(shock)
            before = society.timeline.state()
            society.steer(society.clock.date_of(tick), shock)
            try:
                self.recorder.note()
            except RunFolderError:
                society.timeline.restore(before)
                society.given["shocks"].pop()
                raise
            return tick

    def finish(self) -> None:
        """End the run now, as one that succeeded with the steps that are made.

        Raises:
            RunFolderError: If it has ended, or something cannot be written; it failed then.
            ParameterError: If no step is made yet.
        """
        with self.lock:
            self._open()
            if self.step == self.recorder.story["began"]:
                raise ParameterError(f"the run in {self.folder} has made no step yet; stop it")
            self.recorder.story["until"] = self.step
            self._end(None)

    def stop(self) -> None:
        """Interrupt the run, with a checkpoint from which `resume` goes on.

        Nothing is done where it has ended.

        Raises:
            RunFolderError: If something cannot be written.
        """
        with self.lock:
            if not self.ended:
                self._end(StopRun())

    def leave(self) -> None:
        """Stop the run; one without a step, into which nothing was sent, leaves no folder.

        A folder that was there before stays, empty, and so does one that holds anything else.

        Raises:
            RunFolderError: If something cannot be written.
        """
        with self.lock:
            begun = self.step > self.recorder.story["began"] or any(self.society.given.values())
            if not (self.ended or begun):
                self._left_empty.set()
            self.stop()
            if self._left_empty.is_set() and not self._found:
                with suppress(OSError):
                    self.folder.rmdir()  # unless it holds anything

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _open(self) -> ExitStack:
        if self._opened is None:
            raise RunFolderError(f"the run in {self.folder} has ended")
        return self._opened

    def _check_left(self, said: str) -> None:
        if self.step >= self.steps:
            raise ParameterError(
                f"the run in {self.folder} has made all its {self.steps:,} steps, {said}; finish it"
            )

    def _tick_of(self, when: datetime | str | None) -> int:
        """The step that covers a moment, one that is still to be made."""
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
        """Leave what was opened, as the error says or, without one, as a run that succeeded."""
        opened, self._opened = self._open(), None
        trace = None if why is None else why.__traceback__
        try:
            opened.__exit__(None if why is None else type(why), why, trace)
        except StopRun:
            if not isinstance(why, StopRun):
                raise


@contextmanager
def _removed_if(left_empty: threading.Event, folder: Path) -> Iterator[None]:
    """Remove what an empty run wrote, before anybody else can own the folder."""
    number = folder.stat().st_ino
    try:
        yield
    finally:
        if left_empty.is_set() and folder.stat().st_ino == number:  # nobody moved it away
            with suppress(RunFolderError):  # a link there is the user's, and left alone
                remove_run(folder, reports=False)
