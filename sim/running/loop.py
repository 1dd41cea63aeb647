"""A run: step, record, write checkpoints, and say how it ended."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.error_places import described, note_place
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.recording.static_tables import static_tables
from memopolis.sim.running.checkpointing import Checkpointing
from memopolis.sim.running.folder import check_unused, owned
from memopolis.sim.running.garbage import agents_kept
from memopolis.sim.running.stopping import StopRun
from memopolis.sim.running.stores import connected_store
from memopolis.sim.timeline import Order

if TYPE_CHECKING:
    from memopolis.sim.society_base import Progress, SocietyBase


def run_society(
    society: "SocietyBase[Any]",
    folder: str | Path,
    *,
    days: float | None = None,
    progress: "Progress | None" = None,
) -> Path:
    """Run a society to the end and record it; as `Society.run`."""
    story = story_of(society, days)
    check_unused(Path(folder))  # no lock is left in a folder of something else
    with owned(Path(folder)):
        recorder = Recorder(folder, society, story=story)
        run_to_the_end(society, recorder, progress=progress)
    return recorder.folder


def story_of(society: "SocietyBase[Any]", days: float | None) -> dict[str, int]:
    """From which step to which a society is to run.

    Args:
        society: Before the run.
        days: Length of the run; None for that of the settings.

    Raises:
        ParameterError: If `days` is not positive.
    """
    if days is not None and not days > 0:
        raise ParameterError(f"days is {days}; a number above 0 is needed")
    ticks = society.ticks if days is None else society.clock.ticks_of_days(days)
    began = round(society.time)
    return {"began": began, "until": began + ticks}


def run_to_the_end(
    society: "SocietyBase[Any]", recorder: Recorder, *, progress: "Progress | None" = None
) -> None:
    """Go on to the step that the recorder's story names as `until`, and say how it ended.

    Args:
        society: Between two steps.
        recorder: Of its run, whose folder is owned.
        progress: Called after each step with steps done, steps in all and the date.

    Raises:
        KeyboardInterrupt: If the run was stopped; its manifest says so.
        RunFolderError: If a table cannot be written.
    """
    checkpoints = Checkpointing(society, recorder)
    with going_on(society, recorder, checkpoints), agents_kept():
        _go_to(society, recorder, recorder.story["until"], checkpoints, progress)


def run_as_before(
    society: "SocietyBase[Any]",
    recorder: Recorder,
    until: int,
    *,
    progress: "Progress | None" = None,
) -> None:
    """Go on to a step without a checkpoint; the run goes on with another society then.

    Args:
        society: Between two steps.
        recorder: Of its run, whose folder is owned.
        until: Step to which it goes.
        progress: Called after each step with steps done, steps in all and the date.

    Raises:
        KeyboardInterrupt: If the run was stopped; its manifest says so.
        RunFolderError: If a table cannot be written.
    """
    with going_on(society, recorder, None), agents_kept():
        _go_to(society, recorder, until, None, progress)


def _go_to(
    society: "SocietyBase[Any]",
    recorder: Recorder,
    until: int,
    checkpoints: Checkpointing | None,
    progress: "Progress | None",
) -> None:
    began, end = recorder.story["began"], recorder.story["until"]
    for done in range(round(society.time) + 1, until + 1):
        recorded_step(society, recorder)
        if progress is not None:
            progress(done - began, end - began, society.clock.date_of(society.clock.tick + 1))
        if checkpoints is not None:
            checkpoints.step(done)


def recorded_step(society: "SocietyBase[Any]", recorder: Recorder) -> None:
    """Make one step of a run that is going on."""
    started, happened = time.perf_counter(), len(society.timeline.past)
    society.step()
    recorder.step_seconds += time.perf_counter() - started
    if any(isinstance(shock, Order) for _, shock in society.timeline.past[happened:]):
        # What was to hold where, as it was recorded at the start, holds no longer.
        recorder.static_from(society.clock.tick, dated=True)


@contextmanager
def going_on(
    society: "SocietyBase[Any]", recorder: Recorder, checkpoints: Checkpointing | None
) -> Iterator[None]:
    """Let a recorder listen to a society, and write down how the run ended.

    It has succeeded when it is left without an error. Whatever makes and steps a run does so
    in here, be it in a loop or by hand.

    Args:
        society: Between two steps.
        recorder: Of its run, whose folder is owned.
        checkpoints: Of its run; None where it goes on with another society afterwards, and so
            has not ended.

    Raises:
        RunFolderError: If a table cannot be written.
    """
    society.recorder = recorder
    try:
        if not recorder.goes_on:
            for name, frame in static_tables(society).items():
                recorder.static(name, frame)
        with connected_store(society, recorder):
            yield from _until_stopped(checkpoints)
        if checkpoints is not None:
            checkpoints.end()
            recorder.succeed()
    except GeneratorExit:
        recorder.break_off("interrupted", "left before its end")
        raise
    except KeyboardInterrupt as stop:
        recorder.break_off("interrupted", str(stop) or "stopped by the user")
        raise
    except RunFolderError as failure:
        # Where the system refused to write, nothing in the run itself went wrong.
        status = "failed" if failure.errno is None else "interrupted"
        recorder.break_off(status, str(failure))
        raise
    except BaseException as failure:
        note_place(failure, society)
        recorder.break_off("failed", described(failure, with_type=True))
        raise
    finally:
        society.recorder = None
        society.mind.close()


def _until_stopped(checkpoints: Checkpointing | None) -> Iterator[None]:
    """Write a checkpoint if the run is stopped between two steps."""
    try:
        yield
    except StopRun:
        if checkpoints is not None:
            checkpoints.write()
        raise
