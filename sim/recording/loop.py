"""Run a society: step, record, copy memories to a store, and record how the run ended."""

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.compilation import computing_seconds
from memopolis.sim.error_places import described, note_place
from memopolis.sim.errors import ParameterError, PartLostError, RunFolderError
from memopolis.sim.recording.checkpointing import Checkpointing
from memopolis.sim.recording.garbage import freeze_agents
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.recording.rows import static_tables
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.run_folder.folder import check_unused, owned
from memopolis.sim.run_folder.integrity import IntegrityCheck
from memopolis.sim.state.checkpoints import newest, read
from memopolis.sim.state.rebuilding import add_interventions, built_for, restore_read
from memopolis.sim.timeline import Order

if TYPE_CHECKING:
    from memopolis.sim.progress import StepProgress
    from memopolis.sim.society_base import SocietyBase


# Restart a run from its newest checkpoint after the process of a part has died.


def restart(society: "SocietyBase[Any]", recorder: Recorder, failure: PartLostError) -> Recorder:
    """Set a society and the tables of its run to the newest checkpoint.

    Returns a recorder that continues from there. Raises `failure` if there is no checkpoint.
    """
    folder, step = recorder.folder, round(society.time)
    manifest = recorder.manifest("interrupted")
    intact = IntegrityCheck(folder, manifest)
    checkpoint, _ = newest(folder, check=intact.check)
    if checkpoint is None:
        raise failure
    state = read(checkpoint)
    rebuilt = built_for(state, type(society), society.settings)
    restore_read(rebuilt, state)
    add_interventions(rebuilt, manifest["interventions"])
    # The caller's society continues: both objects share their attributes from now on.
    society.__dict__ = rebuilt.__dict__
    line = f"{failure} in step {step}; the run continues from step {checkpoint.step}"
    warnings.warn(line, RuntimeWarning, stacklevel=2)
    entries = recorder.entries | {
        "resumed": [*manifest.get("resumed", ()), {"step": checkpoint.step}],
        "warnings": [*recorder.entries.get("warnings", ()), line],
    }
    return Recorder(folder, society, position=intact.position(state), entries=entries)


_MOST_LOSSES = 3
"""Number of times that the process of a part dies in one step until the run ends."""


def run_society(
    society: "SocietyBase[Any]",
    folder: str | Path,
    *,
    days: float | None = None,
    progress: "StepProgress | None" = None,
) -> Path:
    """Run a society to the end and record it, see `Society.run`."""
    entries = run_bounds(society, days)
    check_unused(Path(folder))  # before a lock file is created in it
    with owned(Path(folder)):
        recorder = Recorder(folder, society, entries=entries)
        run_to_end(society, recorder, progress=progress)
    return recorder.folder


def run_bounds(society: "SocietyBase[Any]", days: float | None) -> dict[str, int]:
    """Return the first and the last step of a run of some days, as entries of its manifest."""
    if days is not None and not days > 0:
        raise ParameterError(f"days is {days}; a number above 0 is needed")
    ticks = society.ticks if days is None else society.clock.ticks_of_days(days)
    began = round(society.time)
    return {"began": began, "until": began + ticks}


def run_to_end(
    society: "SocietyBase[Any]",
    recorder: Recorder,
    *,
    leave_at: int | None = None,
    progress: "StepProgress | None" = None,
) -> None:
    """Run to the step `until` of the recorder's entries, and record how the run ended.

    The folder of the recorder is locked. `leave_at` is the step at which another society continues
    the run; no checkpoint is written then. `progress` is called after each step with steps done,
    total steps and the date. If the process of a part dies, the run restarts from its newest
    checkpoint, and `progress` is called again for the steps since then.

    Raises KeyboardInterrupt if the run was stopped; its status is "interrupted". Raises
    PartLostError if the process of a part has died, and the run has no checkpoint, or this has
    happened several times in one step; the run can be resumed.
    """
    losses: Counter[int] = Counter()
    while True:
        try:
            _run_until(society, recorder, leave_at, progress)
        except PartLostError as failure:
            step = round(society.time)
            losses[step] += 1
            if losses[step] == _MOST_LOSSES:
                raise
            recorder = restart(society, recorder, failure)
        else:
            return


def _run_until(
    society: "SocietyBase[Any]",
    recorder: Recorder,
    leave_at: int | None,
    progress: "StepProgress | None",
) -> None:
    checkpoints = Checkpointing(society, recorder) if leave_at is None else None
    began, end = recorder.entries["began"], recorder.entries["until"]
    last = end if leave_at is None else leave_at
    with recording_run(society, recorder, checkpoints), freeze_agents():
        for done in range(round(society.time) + 1, last + 1):
            record_step(society, recorder)
            if progress is not None:
                progress(done - began, end - began, society.clock.date_of(society.clock.tick + 1))
            if checkpoints is not None:
                checkpoints.step(done)


def record_step(society: "SocietyBase[Any]", recorder: Recorder) -> None:
    """Run one step of an active run, and measure its time."""
    started, happened = computing_seconds(), len(society.timeline.past)
    if society.root is None:
        society.step()
    else:
        society.root.step()
    recorder.step_seconds += computing_seconds() - started
    if any(isinstance(shock, Order) for _, shock in society.timeline.past[happened:]):
        # The orders in the tables recorded at the start are outdated.
        recorder.static_from(society.clock.tick, dated=True)


def _divided(society: "SocietyBase[Any]") -> AbstractContextManager[None]:
    """Divide a society into the parts of its settings; only then, import what that needs."""
    if society.settings.parts == 1:
        return nullcontext()
    from memopolis.sim.parts.running import divided

    return divided(society)


@contextmanager
def recording_run(
    society: "SocietyBase[Any]", recorder: Recorder, checkpoints: Checkpointing | None
) -> Iterator[None]:
    """Attach a recorder to a society, and record how the run ended.

    The run succeeded if the `with` block ends without an error. All steps of a run are taken inside
    this context, in a loop or one by one. Without `checkpoints`, another society continues the run,
    which has not ended then.
    """
    society.recorder = recorder
    try:
        if not recorder.is_continued:
            for name, frame in static_tables(society).items():
                recorder.static(name, frame)
        if checkpoints is not None:
            checkpoints.begin()
        with connected_store(society, recorder), _divided(society):
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
    except PartLostError as failure:
        recorder.break_off("interrupted", str(failure))
        raise
    except RunFolderError as failure:
        # If the system refused to write, the simulation itself has not failed.
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


@contextmanager
def connected_store(society: "SocietyBase[Any]", recorder: "Recorder") -> Iterator[None]:
    """Connect the memories of all populations to the store that the settings name.

    Each population has its own collection, named after the run folder. A resumed run replaces the
    content of a collection; a new run refuses a collection that is not empty.
    """
    settings = society.settings.memory
    if settings.store == "arrays":
        yield
        return
    from memopolis.sim.memory.qdrant.store import QdrantStore, make_client

    client = make_client(settings.url, settings.path)
    memories = [population.memory for population in society.populations]
    try:
        for population in society.populations:
            name = f"{settings.collection}-{recorder.folder.name}-{population.name}"
            store = QdrantStore(client, name)
            if recorder.is_continued:
                store.clear()
            population.memory.connect(store)
        yield
        for memory in memories:
            memory.flush()
    finally:
        for memory in memories:
            memory.store = None
        client.close()
