"""Open the folder of a run, or a run in progress, after checking its files."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memopolis.analysis.run.reader import TableReader
from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.run_folder.folder import is_owned
from memopolis.sim.run_folder.integrity import check_files, counts_of
from memopolis.sim.run_folder.manifest import manifest_problem, read_content

if TYPE_CHECKING:
    from memopolis.sim.running.by_hand import RunByHand  # it loads Mesa


class Opened(NamedTuple):
    """The opened files of a run; `step` is the last readable step of a run that has not ended."""

    folder: Path
    manifest: dict[str, Any]
    reader: TableReader
    step: int | None = None


def open_run(folder: "str | Path | RunByHand", *, so_far: bool) -> Opened:
    """Open a run, see `load_run`."""
    if not isinstance(folder, str | Path):
        from memopolis.analysis.run.live_state import LiveState

        live = LiveState(folder)
        return Opened(folder.folder, live.manifest, TableReader(folder.folder, live=live))
    folder = Path(folder)
    manifest = read_manifest(folder, so_far=so_far)
    if manifest["status"] != "running":
        check_files(folder, manifest)
        return Opened(folder, manifest, TableReader(folder))
    step = checkpointed_step(folder)
    if step is None:
        raise RunFolderError(
            f"the run in {folder} has not ended and has no checkpoint yet, up to which it can be "
            "read; checkpoint.every and checkpoint.minutes set when one is written"
        )
    # Files are counted after the step: by now there may be a newer checkpoint, but no older one.
    reader = TableReader(folder, counts=counts_of(check_files(folder, manifest)))
    return Opened(folder, manifest | {"ticks": step}, reader, step)


def checkpointed_step(folder: Path) -> int | None:
    """Return the step up to which a run that has not ended can be read; None for none.

    Rows wait in memory until their part is full. At a checkpoint all of them are written, and
    its folder gets its name only then.
    """
    from memopolis.sim.state.checkpoints import checkpoints_of  # only runs in progress need it

    return max((checkpoint.step for checkpoint in checkpoints_of(folder)), default=None)


def read_manifest(folder: Path, *, so_far: bool = False) -> dict[str, Any]:
    """Read the manifest of a run that has ended; with `so_far`, also of one in progress.

    If it was changed after the run wrote it, a warning is issued and added to its `warnings`.

    Raises RunFolderError if there is no run, it is broken, or it has not ended.
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
        warnings.warn(problem, RuntimeWarning, stacklevel=5)
    return manifest
