"""Going on with a run that was killed, interrupted or failed, or for more days."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.recording.recorder import BEGINNING, Recorder
from memopolis.sim.running.folder import owned
from memopolis.sim.running.kept import KeptRun
from memopolis.sim.running.kept_checks import tell_other_code, tell_refused
from memopolis.sim.running.loop import run_to_the_end
from memopolis.sim.running.manifest import read_content
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import Checkpoint, checkpoints_of, newest, read, remove

if TYPE_CHECKING:
    from memopolis.sim.society import Progress


def resume(
    folder: str | Path,
    *,
    days: float | None = None,
    scenario: type[Society[Any]] | str | None = None,
    progress: "Progress | None" = None,
) -> Path:
    """Go on with a run from its last whole checkpoint, or from the start where it has none.

    A run that was killed, interrupted or failed goes on to its end; its tables are then the
    same as those of a run that was never stopped. One that succeeded goes on for more days.

    Args:
        folder: Of the run.
        days: Length of the whole run; None for the length it was to have.
        scenario: Its class, where that lies in a notebook, or its name where its file was
            moved; None for the one that the manifest names.
        progress: Called after each step with steps done, steps in all and the date.

    Returns:
        The folder, for `load_run`. Nothing is done where the run has that length already.

    Raises:
        RunFolderError: If there is no run, it is under way, is of another format, or rests on
            data that has changed.
        UnknownNameError: If its scenario is not found.
        StateError: If its scenario now has other populations or blocks.
        ParameterError: If `days` is less than what is done.
    """
    folder = Path(folder)
    read_content(folder)  # no lock is left where there is no run
    with owned(folder):
        run = KeptRun.read(folder, scenario)
        until = run.until if days is None else run.steps_of(days)
        if run.status == "succeeded" and until == run.until:
            return folder
        settings = run.settings if days is None else run.settings.with_changes({"days": days})
        tell_other_code(run)
        checkpoint, refused = newest(folder)
        step = run.began if checkpoint is None else checkpoint.step
        _check_left(run, until, step)
        tell_refused(refused, step)
        story = _story(run, settings, until, checkpoint)
        if refused:
            story["warnings"] = refused
        society, recorder = _as_it_stopped(run, settings, checkpoint, story)
        _remove_later(folder, checkpoint)
        run_to_the_end(society, recorder, progress=progress)
    return folder


def _check_left(run: KeptRun, until: int, step: int) -> None:
    done = run.until if run.status == "succeeded" else step
    if until < done:
        raise ParameterError(
            f"the run in {run.folder} has made {done} steps already, "
            f"{run.clock.date_of(done):%Y-%m-%d %H:%M} is reached; give more days than that"
        )


def _story(
    run: KeptRun, settings: Settings, until: int, checkpoint: Checkpoint | None
) -> dict[str, Any]:
    """What the manifest is to say of how the run went on."""
    moved = checkpoint is not None and settings.days != run.settings.days
    longer = {"days": settings.days} if moved else {}
    step = run.began if checkpoint is None else checkpoint.step
    return {
        "began": run.began,
        "until": until,
        "resumed": [*run.manifest.get("resumed", ()), {"step": step, **longer}],
        **({"fork": run.fork} if run.fork else {}),
    }


def _as_it_stopped(
    run: KeptRun, settings: Settings, checkpoint: Checkpoint | None, story: dict[str, Any]
) -> tuple[Society[Any], Recorder]:
    """The society of a run as it was at a checkpoint, or before its first step, and its record."""
    state = None if checkpoint is None else read(checkpoint)
    society, _ = run.society(settings, state=state)
    position = BEGINNING if state is None else state.plain["position"]
    recorder = Recorder(run.folder, society, position=position, story=story)
    if state is not None and state.plain["settings"] != json.loads(settings.model_dump_json()):
        recorder.static_from(round(state.plain["time"]))
    return society, recorder


def _remove_later(folder: Path, checkpoint: Checkpoint | None) -> None:
    """Remove checkpoints that were refused, and so stand for nothing that will happen."""
    for other in checkpoints_of(folder):
        if checkpoint is None or other.step > checkpoint.step:
            remove(other)
