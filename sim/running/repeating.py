"""Repeat a run from its manifest: settings, seed, and the shocks and surveys added to it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import RunFolderError
from memopolis.sim.recording.loop import run_to_end
from memopolis.sim.recording.recorder import Recorder
from memopolis.sim.run_folder.folder import check_unused, is_owned, owned
from memopolis.sim.running.saved_run import SavedRun, warn_code_changed
from memopolis.sim.running.trust import Trust

if TYPE_CHECKING:
    from memopolis.sim.progress import StepProgress
    from memopolis.sim.run_size import SizeCheck
    from memopolis.sim.society import Society


def repeat(
    folder: str | Path,
    out: str | Path,
    *,
    scenario: "type[Society[Any]] | str | None" = None,
    settings: Mapping[str, object] | None = None,
    trust: bool = False,
    progress: "StepProgress | None" = None,
    check: "SizeCheck | None" = None,
) -> Path:
    """Repeat a run from its manifest alone, with the same number of steps.

    Shocks that were added during the run happen in the same steps, so the tables are the same. A
    run that was extended with `resume` is repeated as if it had that length from the start. Returns
    the folder of the new run, `out`, which must not exist or be empty. Other arguments and errors
    are those of `resume`; RunFolderError also if the run has not ended, or began from another run.
    """
    allowed = Trust(settings or {}, scenario, everything=trust)
    run, out = SavedRun.read(Path(folder), allowed), Path(out)
    allowed.check_same(run.settings, run.folder)
    _check_ended(run)
    _check_beginning(run)
    check_unused(out)
    if check is not None:
        check(run.scenario, run.settings)
    warn_code_changed(run)
    society, _ = run.society()
    entries = {"began": 0, "until": run.made, "repeats": run.folder.resolve().name}
    with owned(out):
        recorder = Recorder(out, society, entries=entries)
        run_to_end(society, recorder, progress=progress)
    return out


def _check_ended(run: SavedRun) -> None:
    if is_owned(run.folder):
        raise RunFolderError(f"the run in {run.folder} is under way; wait for its end or stop it")
    if run.status == "running":
        raise RunFolderError(
            f"the run in {run.folder} was killed, so its manifest lacks the number of steps; "
            f"finish it with `memopolis resume {run.folder}`, then repeat it"
        )
    if not run.made:
        raise RunFolderError(f"the run in {run.folder} has no complete step to repeat")


def _check_beginning(run: SavedRun) -> None:
    """Refuse a run whose initial state does not follow from settings and seed."""
    if run.fork:
        of, step = run.fork["of"], run.fork["step"]
        changes = "".join(f" --set {name}=..." for name in run.fork["changes"])
        raise RunFolderError(
            f"the run in {run.folder} is a fork, whose first {step:,} steps are those of {of}: "
            f"repeat {of}, then `memopolis fork` that at {step}{changes}"
        )
    if run.began:
        raise RunFolderError(
            f"the run in {run.folder} is of a society that had made {run.began:,} steps before, "
            f"which are not in any manifest; repeat it with the program that created it"
        )
