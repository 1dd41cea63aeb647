"""Going on with a run that was killed, interrupted or failed, or for more days."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.recording.recorder import BEGINNING, Recorder
from memopolis.sim.running.folder import owned
from memopolis.sim.running.intact import Intact
from memopolis.sim.running.kept import KeptRun
from memopolis.sim.running.kept_checks import (
    check_extra,
    tell_damaged,
    tell_other_code,
    tell_refused,
)
from memopolis.sim.running.loop import run_to_the_end
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import Checkpoint, checkpoints_of, newest, read, remove

if TYPE_CHECKING:
    from memopolis.sim.run_size import SizeCheck
    from memopolis.sim.society_base import Progress


def resume(
    folder: str | Path,
    *,
    days: float | None = None,
    scenario: type[Society[Any]] | str | None = None,
    settings: Mapping[str, object] | None = None,
    trust: bool = False,
    progress: "Progress | None" = None,
    check: "SizeCheck | None" = None,
) -> Path:
    """Go on with a run from its last whole checkpoint, or from the start where it has none.

    A run that was killed, interrupted or failed goes on to its end; its tables are then the
    same as those of a run that was never stopped. One that succeeded goes on for more days, or is
    repaired: where one of its files is damaged, it is made again from the last checkpoint that
    rests on no damaged file, or from the start.

    Args:
        folder: Of the run.
        days: Length of the whole run; None for the length it was to have.
        scenario: Its class, or its name as `memopolis run` takes it; None for the one that the
            manifest names, if that is installed.
        settings: Settings of the run that name a file or a server, repeated with the same
            values, nested or by dotted key; None if it has none.
        trust: Whether the folder may name any code, files and servers, see SECURITY.md.
        progress: Called after each step with steps done, steps in all and the date.
        check: Called with scenario and settings before the society is built; it may refuse them.

    Returns:
        The folder, for `load_run`. Nothing is done where the run has that length already and
        every file is what the run wrote.

    Raises:
        RunFolderError: If there is no run, it is under way, is of another format, rests on data
            that has changed, its manifest was changed, a link is where it would write, or it is
            damaged and cannot be made again.
        TrustError: If it names code, a file or a server that was not repeated.
        SettingsError: If a repeated setting has another value in the run.
        UnknownNameError: If its scenario is not found.
        StateError: If its scenario now has other populations or blocks.
        ParameterError: If `days` is less than what is done.
    """
    folder = Path(folder)
    allowed = Trust(settings or {}, scenario, everything=trust)
    KeptRun.read(folder, allowed)  # no lock is left where there is no run that may go on
    with owned(folder):
        run = KeptRun.read(folder, allowed)
        allowed.check_same(run.settings, folder)
        until = run.until if days is None else run.steps_of(days)
        intact = Intact(folder, run.manifest)
        if run.status == "succeeded" and until == run.until:
            if not (damaged := intact.problems()):
                return folder
            check_extra(folder, damaged)
            tell_damaged(folder, damaged)
        chosen = run.settings if days is None else run.settings.with_changes({"days": days})
        if check is not None:
            check(run.scenario, chosen)
        tell_other_code(run)
        checkpoint, refused = newest(folder, check=intact.check)
        step = run.began if checkpoint is None else checkpoint.step
        _check_left(run, until, step)
        tell_refused(refused, step)
        story = _story(run, chosen, until, checkpoint)
        if refused:
            story["warnings"] = refused
        society, recorder = _as_it_stopped(run, chosen, checkpoint, intact, story)
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
        "resumed": [*run.manifest["resumed"], {"step": step, **longer}],
        **({"fork": run.fork} if run.fork else {}),
    }


def _as_it_stopped(
    run: KeptRun,
    settings: Settings,
    checkpoint: Checkpoint | None,
    intact: Intact,
    story: dict[str, Any],
) -> tuple[Society[Any], Recorder]:
    """The society of a run as it was at a checkpoint, or before its first step, and its record."""
    state = None if checkpoint is None else read(checkpoint)
    society, _ = run.society(settings, state=state)
    position = BEGINNING if state is None else intact.position(state)
    recorder = Recorder(run.folder, society, position=position, story=story)
    if state is not None and state.plain["settings"] != json.loads(settings.model_dump_json()):
        recorder.static_from(round(state.plain["time"]))
    return society, recorder


def _remove_later(folder: Path, checkpoint: Checkpoint | None) -> None:
    """Remove checkpoints that were refused, and so stand for nothing that will happen."""
    for other in checkpoints_of(folder):
        if checkpoint is None or other.step > checkpoint.step:
            remove(other)
