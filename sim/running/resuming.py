"""Resume a run that was killed, interrupted or failed, or extend it by more days."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.recording.loop import run_to_end
from memopolis.sim.recording.recorder import BEGINNING, Recorder
from memopolis.sim.run_folder.folder import owned
from memopolis.sim.run_folder.integrity import IntegrityCheck
from memopolis.sim.running.saved_run import (
    Restored,
    SavedRun,
    warn_checkpoints_refused,
    warn_code_changed,
    warn_files_damaged,
)
from memopolis.sim.running.trust import Trust
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import Checkpoint, checkpoints_of, newest, remove

if TYPE_CHECKING:
    from memopolis.sim.progress import StepProgress
    from memopolis.sim.run_size import SizeCheck


def resume(
    folder: str | Path,
    *,
    days: float | None = None,
    scenario: type[Society[Any]] | str | None = None,
    settings: Mapping[str, object] | None = None,
    trust: bool = False,
    progress: "StepProgress | None" = None,
    check: "SizeCheck | None" = None,
) -> Path:
    """Resume a run from its newest intact checkpoint, or from the start if it has none.

    A run that was killed, interrupted or failed continues to its end; its tables are then the same
    as those of an uninterrupted run. A run that succeeded is extended if `days` is larger, and
    repaired if one of its files is damaged: it is recomputed from the newest checkpoint that does
    not depend on damaged files, or from the start. Returns the folder, for `load_run`. Nothing is
    done if the run has that length already and all of its files are intact.

    Args:
        folder: Folder of the run.
        days: Length of the whole run; None for its planned length.
        scenario: Class of the scenario, or its name as in `memopolis run`; None for the scenario
            in the manifest, which must be installed.
        settings: Settings of the run that name a file or a server, repeated with the same
            values, nested or by dotted key; None if there are none.
        trust: Whether the folder may name any code, files and servers, see SECURITY.md.
        progress: Called after each step with steps done, total steps and the date.
        check: Called with scenario and settings before the society is built; may refuse them.

    Raises:
        RunFolderError: If there is no run, it is active, its data files or its manifest have
            changed, or it is damaged and cannot be recomputed.
        TrustError: If the run names code, a file or a server that was not repeated.
        SettingsError: If a repeated setting has another value in the run.
        UnknownNameError: If the scenario is not found.
        StateError: If the scenario now has other populations or blocks.
        ParameterError: If `days` is less than what is done.
    """
    folder = Path(folder)
    allowed = Trust(settings or {}, scenario, everything=trust)
    SavedRun.read(folder, allowed)  # before a lock file is created
    with owned(folder):
        run = SavedRun.read(folder, allowed)
        allowed.check_same(run.settings, folder)
        until = run.until if days is None else run.steps_of(days)
        intact = IntegrityCheck(folder, run.manifest)
        if run.status == "succeeded" and until == run.until:
            if not (damaged := intact.problems()):
                return folder
            warn_files_damaged(folder, damaged)
        chosen = run.settings if days is None else run.settings.with_changes({"days": days})
        if check is not None:
            check(run.scenario, chosen)
        warn_code_changed(run)
        restored = Restored(run, chosen, intact)
        checkpoint, refused = newest(folder, check=restored.check)
        step = run.began if checkpoint is None else checkpoint.step
        _check_left(run, until, step)
        warn_checkpoints_refused(refused, step)
        entries = _entries(run, chosen, until, checkpoint)
        if refused:
            entries["warnings"] = refused
        society, recorder = _record(restored, entries)
        for other in checkpoints_of(folder):  # those refused, whose steps will be recomputed
            if other.step > step or checkpoint is None:
                remove(other)
        run_to_end(society, recorder, progress=progress)
    return folder


def _check_left(run: SavedRun, until: int, step: int) -> None:
    done = run.until if run.status == "succeeded" else step
    if until < done:
        raise ParameterError(
            f"the run in {run.folder} has done {done} steps already, until "
            f"{run.clock.date_of(done):%Y-%m-%d %H:%M}; give a larger number of days"
        )


def _entries(
    run: SavedRun, settings: Settings, until: int, checkpoint: Checkpoint | None
) -> dict[str, Any]:
    """Return the entries of the manifest that describe how the run was resumed."""
    moved = checkpoint is not None and settings.days != run.settings.days
    longer = {"days": settings.days} if moved else {}
    step = run.began if checkpoint is None else checkpoint.step
    return {
        "began": run.began,
        "until": until,
        "resumed": [*run.manifest["resumed"], {"step": step, **longer}],
        **({"fork": run.fork} if run.fork else {}),
    }


def _record(restored: Restored, entries: dict[str, Any]) -> tuple[Society[Any], Recorder]:
    """Return the restored society, and a recorder that continues its record."""
    society, _ = restored.complete()
    state, run = restored.state, restored.run
    position = BEGINNING if state is None else restored.intact.position(state)
    recorder = Recorder(run.folder, society, position=position, entries=entries)
    settings = restored.settings.model_dump_json()
    if state is not None and state.plain["settings"] != json.loads(settings):
        recorder.static_from(round(state.plain["time"]))
    return society, recorder
