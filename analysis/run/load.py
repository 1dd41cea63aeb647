"""Open a run: from its folder, or while it is in progress."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.analysis.run.reader import TableReader
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.run_folder.file_records import counts_of
from memopolis.sim.run_folder.folder import is_owned
from memopolis.sim.run_folder.intact import check_files
from memopolis.sim.run_folder.manifest import manifest_problem, read_content

if TYPE_CHECKING:
    from memopolis.sim.running.by_hand import RunByHand


def load_run(folder: "str | Path | RunByHand", *, so_far: bool = False) -> Run:
    """Open a run to read it.

    Args:
        folder: Folder of the run; or a run of this process that is stepped by hand, which is
            read after the steps taken so far. `Run.latest` then returns its later states.
        so_far: Whether to also open a run that another process is making or that was killed. It
            is read up to its newest checkpoint, up to which all tables are complete.

    Returns:
        The run; its tables are read when they are first used. Its `status` shows whether it
        was interrupted, failed, or is still "running".

    Raises:
        RunFolderError: If there is no run, it is broken, it has not ended, or the size of a
            file has changed; with `so_far`, if it has no checkpoint yet.
    """
    if not isinstance(folder, str | Path):
        from memopolis.analysis.run.live_state import LiveState

        live = LiveState(folder)
        return Run(folder.folder, live.manifest, TableReader(folder.folder, live=live))
    folder = Path(folder)
    manifest = read_manifest(folder, so_far=so_far)
    if manifest["status"] != "running":
        check_files(folder, manifest)
        return Run(folder, manifest)
    step = checkpointed_step(folder)
    if step is None:
        raise RunFolderError(
            f"the run in {folder} has not ended and has no checkpoint yet, up to which it can be "
            "read; checkpoint.every and checkpoint.minutes set when one is written"
        )
    # Files are counted after the step: by now there may be a newer checkpoint, but no older one.
    reader = TableReader(folder, counts=counts_of(check_files(folder, manifest)))
    return Run(folder, manifest | {"ticks": step}, reader, until=step)


def checkpointed_step(folder: Path) -> int | None:
    """Return the step up to which a run that has not ended can be read; None for none.

    Rows wait in memory until their part is full. At a checkpoint all of them are written, and
    its folder gets its name only then.
    """
    from memopolis.sim.state.checkpoints import checkpoints_of  # only runs in progress need it

    return max((one.step for one in checkpoints_of(folder)), default=None)


def read_manifest(folder: Path, *, so_far: bool = False) -> dict[str, Any]:
    """Read the manifest of a run that has ended.

    Args:
        folder: Folder of the run.
        so_far: Whether to also accept a run that is in progress or was killed.

    Returns:
        Its content. If it was changed after the run wrote it, a warning is issued and added to
        its `warnings`.

    Raises:
        RunFolderError: If there is no run, it is broken, or it has not ended.
    """
    manifest = read_content(folder)
    refuse_outer_links(folder)
    if manifest["status"] == "running" and not so_far:
        raise RunFolderError(
            f"the run in {folder} is under way"
            if is_owned(folder)
            else f"the run in {folder} was killed; `memopolis resume {folder}` continues it"
        )
    if not (folder / "tables").is_dir():
        raise RunFolderError(f"the run in {folder} is broken: its folder tables is missing")
    if problem := manifest_problem(folder):
        problem = f"{problem}; its settings and seed may not be those of the tables"
        manifest["warnings"] = [*manifest.get("warnings", ()), problem]
        warnings.warn(problem, RuntimeWarning, stacklevel=3)
    return manifest
