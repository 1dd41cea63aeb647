"""Check whether a saved run can be continued: its start, data, mind, code and checkpoints."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memopolis.sim.errors import RunFolderError
from memopolis.sim.running.code_version import code_version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memopolis.sim.running.file_records import Problem
    from memopolis.sim.society import Society


class Kept(Protocol):
    """The attributes of a `KeptRun` that are checked here."""

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        ...

    @property
    def manifest(self) -> "Mapping[str, Any]":
        """Content of its manifest."""
        ...

    @property
    def scenario(self) -> type:
        """Class of its society."""
        ...

    @property
    def fork(self) -> "Mapping[str, Any] | None":
        """The run and the step from which this one was forked; None if it is not a fork."""
        ...

    @property
    def began(self) -> int:
        """Number of steps done before the run was recorded."""
        ...


def check_from_start(run: Kept) -> None:
    """Refuse to restart a run whose initial state does not follow from settings and seed.

    Raises:
        RunFolderError: If the run is a fork, or began after some steps.
    """
    if run.fork or run.began:
        what = (
            f"a fork of {run.fork['of']}"
            if run.fork
            else f"of a society that had made {run.began} steps before"
        )
        raise RunFolderError(
            f"the run in {run.folder} is {what} and has no intact checkpoint, so it cannot be "
            f"continued; run it again"
        )


def check_data(run: Kept, society: "Society[Any]") -> None:
    """Refuse a run if its data files have changed.

    Raises:
        RunFolderError: If one has changed.
    """
    then, now = run.manifest["data"], society.data_hashes()
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    if changed:
        raise RunFolderError(
            f"the run in {run.folder} uses data that has changed since: "
            f"{', '.join(changed)}; restore the old files, or start a new run"
        )


def check_mind(run: Kept, society: "Society[Any]") -> None:
    """Refuse a mind other than the one the run began with.

    Raises:
        RunFolderError: If the models differ.
    """
    then, now = run.manifest["mind"], society.mind.facts()
    if _models(then) != _models(now):
        raise RunFolderError(
            f"the run in {run.folder} used the mind {_named(then)}, but its scenario and "
            f"settings now give {_named(now)}; a mind assigned in code is not saved with a run"
        )


def _models(facts: Any) -> list[str]:
    return [str(one.get("model")) for one in facts.get("minds", [facts] if facts else [])]


def _named(facts: Any) -> str:
    return ", ".join(_models(facts)) or "rules"


def warn_code_changed(run: Kept) -> None:
    """Warn if the code has changed since a run began."""
    then = run.manifest["code"]
    if then and then != code_version(run.scenario):
        message = (
            f"the code of Memopolis or of {run.scenario.__name__} has changed since the run in "
            f"{run.folder} began; the remaining steps use the current code"
        )
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def warn_checkpoints_refused(refused: list[str], step: int) -> None:
    """Warn of each broken checkpoint, and name the step that is used instead."""
    for line in refused:
        message = f"{line}; continuing from the earlier state of step {step}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def check_extra(folder: Path, damaged: "Sequence[Problem]") -> None:
    """Refuse to repair a run with extra files, since a repair never removes files of others.

    Raises:
        RunFolderError: If there are extra files.
    """
    extra = next((one for one in damaged if one.is_extra), None)
    if extra is not None:
        raise RunFolderError(f"{folder / extra.path} {extra.text}: remove it, or move it elsewhere")


def warn_files_damaged(folder: Path, damaged: "Sequence[Problem]") -> None:
    """Warn that files of a run that succeeded are damaged and will be recreated."""
    more = f", and {len(damaged) - 1:,} more files are damaged" if len(damaged) > 1 else ""
    message = f"the run in {folder} is damaged: {damaged[0]}{more}; lost data is recreated"
    warnings.warn(message, RuntimeWarning, stacklevel=3)
