"""Open a run: from its folder, or while it is in progress."""

from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.analysis.run.manifest import read_manifest
from memopolis.analysis.run.reader import TableReader
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_folder.file_records import counts_of
from memopolis.sim.run_folder.intact import check_files
from memopolis.sim.state.checkpoints import checkpoints_of

if TYPE_CHECKING:
    from memopolis.sim.running.by_hand import RunByHand


def load_run(source: "str | Path | RunByHand", *, so_far: bool = False) -> Run:
    """Open a run to read it.

    Args:
        source: Folder of the run; or a run of this process that is stepped by hand, which is
            read as it is after the steps taken. `Run.latest` then gives its later states.
        so_far: Whether to also open a run that another process is making or that was killed. It
            is read up to its newest checkpoint, up to which all tables are complete.

    Returns:
        The run; its tables are read when they are first used. Its `status` shows whether it
        was interrupted, failed, or is still "running".

    Raises:
        RunFolderError: If there is no run, it is broken, it has not ended, or the size of a
            file has changed; with `so_far`, if it has no checkpoint yet.
    """
    if not isinstance(source, str | Path):
        from memopolis.analysis.run.live_state import LiveState

        live = LiveState(source)
        return Run(source.folder, live.manifest, TableReader(source.folder, live=live))
    folder = Path(source)
    manifest = read_manifest(folder, so_far=so_far)
    if manifest["status"] != "running":
        check_files(folder, manifest)
        return Run(folder, manifest)
    step = checkpointed_step(folder)
    if step is None:
        raise RunFolderError(
            f"the run in {folder} has not ended and has no checkpoint yet, up to which it could be "
            "read; checkpoint.every and checkpoint.minutes say when one is written"
        )
    # After the step is known: it may have a newer checkpoint by now, but no older one.
    reader = TableReader(folder, counts=counts_of(check_files(folder, manifest)))
    return Run(folder, manifest | {"ticks": step}, reader, until=step)


def checkpointed_step(folder: Path) -> int | None:
    """Return the step up to which a run that has not ended can be read; None for none.

    Rows wait in memory until their part is full. At a checkpoint all of them are written, and
    its folder gets its name only then.
    """
    return max((one.step for one in checkpoints_of(folder)), default=None)
