"""Checkpoints: states of a run in its folder, `checkpoints/step-00000024/`."""

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.state.saving import WRITING, read_state, write_state
from memopolis.sim.state.state import State, state_of

if TYPE_CHECKING:
    from memopolis.sim.society import Society

FOLDER = "checkpoints"
"""Where in a run's folder they lie."""

_NAME = re.compile(r"step-(\d{8,})")


@dataclass(frozen=True, order=True)
class Checkpoint:
    """A state of a run.

    Attributes:
        step: Steps that were done.
        folder: Where it lies.
    """

    step: int
    folder: Path


def write_checkpoint(
    society: "Society[Any]", run_folder: str | Path, *, position: Mapping[str, Any]
) -> Path:
    """Write a checkpoint of a society between two steps.

    One of the same step is replaced. Whatever happens, those there are stay whole, and what
    an earlier, broken off writing left is removed.

    Args:
        society: Which; it can go on afterwards.
        run_folder: Folder of its run.
        position: How far the run's tables are, as plain values; `read` gives it again as
            `plain["position"]`.

    Returns:
        Folder of the checkpoint.

    Raises:
        RunFolderError: If it cannot be written.
        StateError: If a state that is to be saved is no array.
    """
    folder = Path(run_folder) / FOLDER
    state = state_of(society)
    state.plain["position"] = dict(position)
    for remains in folder.glob(f"*{WRITING}"):
        shutil.rmtree(remains, ignore_errors=True)
    return write_state(state, folder / f"step-{round(society.time):08d}", replace=True)


def checkpoints_of(run_folder: str | Path) -> list[Checkpoint]:
    """The checkpoints of a run, the earliest first; none where there is no such folder."""
    folder = Path(run_folder) / FOLDER
    names = [entry for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []
    matched = [(name, _NAME.fullmatch(name.name)) for name in names]
    return sorted(Checkpoint(int(match[1]), name) for name, match in matched if match)


def newest(
    run_folder: str | Path, *, at_most: int | None = None
) -> tuple[Checkpoint | None, list[str]]:
    """The last checkpoint of a run that can be used.

    Args:
        run_folder: Folder of the run.
        at_most: Most steps done; None for any.

    Returns:
        The checkpoint, None where there is none, and a line about each later one that is
        broken and was passed over.
    """
    broken: list[str] = []
    for checkpoint in reversed(checkpoints_of(run_folder)):
        if at_most is not None and checkpoint.step > at_most:
            continue
        try:
            read(checkpoint)
        except RunFolderError as error:
            broken.append(str(error))
        else:
            return checkpoint, broken
    return None, broken


def read(checkpoint: Checkpoint) -> State:
    """Read a checkpoint and check it; `society_of` makes a society of it.

    Raises:
        RunFolderError: If it is broken or of another format.
    """
    return read_state(checkpoint.folder)


def remove(checkpoint: Checkpoint) -> None:
    """Remove a checkpoint, so that none of it is ever taken for a whole one.

    Raises:
        RunFolderError: If it cannot be removed.
    """
    leaving = checkpoint.folder.with_name(checkpoint.folder.name + WRITING)
    try:
        shutil.rmtree(leaving, ignore_errors=True)
        checkpoint.folder.rename(leaving)
    except OSError as error:
        raise RunFolderError(f"{checkpoint.folder} cannot be removed: {reason_of(error)}") from None
    shutil.rmtree(leaving, ignore_errors=True)
