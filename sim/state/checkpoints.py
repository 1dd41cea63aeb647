"""Checkpoints: states of a run in its folder, `checkpoints/step-00000024/`."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.files import WRITING, refuse_links, remove_files
from memopolis.sim.state.plain import read_checked
from memopolis.sim.state.saving import MEMBERS, others_in, write_state
from memopolis.sim.state.state import State, state_of

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

FOLDER = "checkpoints"  # subfolder of a run for checkpoints

_NAME = re.compile(r"step-(\d{8,})")
_UNFINISHED = re.compile(rf"step-\d{{8,}}(\.old)?{re.escape(WRITING)}")


@dataclass(frozen=True, order=True)
class Checkpoint:
    """A state of a run, after a number of completed steps."""

    step: int
    folder: Path


def write_checkpoint(
    society: "SocietyBase[Any]", run_folder: str | Path, *, position: Mapping[str, Any]
) -> Path:
    """Write a checkpoint of a society between two steps, and return its folder.

    A checkpoint of the same step is replaced. Existing checkpoints stay intact if writing fails,
    and files of an earlier interrupted write are removed. The position of the run's tables, plain
    values, is returned by `read` as `plain["position"]`.
    """
    folder = Path(run_folder) / FOLDER
    state = state_of(society)
    state.plain["position"] = dict(position)
    refuse_links(folder)
    remove_unfinished(run_folder)
    return write_state(state, folder / f"step-{round(society.time):08d}", replace=True)


def checkpoints_of(run_folder: str | Path) -> list[Checkpoint]:
    """Return the checkpoints of a run, earliest first; empty if there is no folder."""
    folder = Path(run_folder) / FOLDER
    names = [entry for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []
    matched = [(name, _NAME.fullmatch(name.name)) for name in names]
    return sorted(Checkpoint(int(match[1]), name) for name, match in matched if match)


def newest(
    run_folder: str | Path,
    *,
    at_most: int | None = None,
    check: Callable[[State], None] | None = None,
) -> tuple[Checkpoint | None, list[str]]:
    """Return the newest usable checkpoint of a run, or None, and messages about broken ones.

    It has at most `at_most` completed steps. `check` raises a `RunFolderError` for a state that
    cannot be used for other reasons, such as one from which no society can be rebuilt.
    """
    broken: list[str] = []
    for checkpoint in reversed(checkpoints_of(run_folder)):
        if at_most is not None and checkpoint.step > at_most:
            continue
        try:
            state = read(checkpoint)
            if check is not None:
                check(state)
        except RunFolderError as error:
            place = checkpoint.folder.as_posix()
            broken.append(str(error) if place in str(error) else f"{place}: {error}")
        else:
            return checkpoint, broken
    return None, broken


def read(checkpoint: Checkpoint) -> State:
    """Read and check a checkpoint; `load_state` rebuilds its society."""
    state = read_checked(checkpoint.folder)
    if round(state.plain["time"]) != checkpoint.step:
        raise RunFolderError(
            f"{checkpoint.folder} contains the state of step {round(state.plain['time'])}"
        )
    return state


def remove(checkpoint: Checkpoint) -> None:
    """Remove the files of a checkpoint; a partly removed one is never used."""
    folder = checkpoint.folder
    leaving = folder.with_name(folder.name + WRITING)
    try:
        refuse_links(folder, leaving)
        remove_files(leaving, MEMBERS)
        if not (others_in(folder) or leaving.exists()):
            folder = folder.rename(leaving)
        remove_files(folder, MEMBERS)
    except RunFolderError:
        raise
    except OSError as error:
        raise RunFolderError(f"{checkpoint.folder} cannot be removed: {reason_of(error)}") from None


def remove_unfinished(run_folder: str | Path) -> None:
    """Remove the files of checkpoints whose writing or removal was interrupted."""
    folder = Path(run_folder) / FOLDER
    for remains in folder.iterdir() if folder.is_dir() else ():
        if _UNFINISHED.fullmatch(remains.name):
            with suppress(OSError):
                remove_files(remains, MEMBERS)
