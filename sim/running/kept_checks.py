"""Whether a kept run can go on as it was: its beginning, data, mind, code and checkpoints."""

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
    """A `KeptRun`, as far as it is checked here."""

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        ...

    @property
    def manifest(self) -> "Mapping[str, Any]":
        """Its manifest."""
        ...

    @property
    def scenario(self) -> type:
        """Class of its society."""
        ...

    @property
    def fork(self) -> "Mapping[str, Any] | None":
        """Of which run it is a fork and from which step on; None if it is none."""
        ...

    @property
    def began(self) -> int:
        """Steps that the society had made before it was recorded."""
        ...


def check_from_start(run: Kept) -> None:
    """Refuse to make a run anew whose start is not a function of settings and seed.

    Raises:
        RunFolderError: If it began from another run, or after some steps.
    """
    if run.fork or run.began:
        what = (
            f"a fork of {run.fork['of']}"
            if run.fork
            else f"of a society that had made {run.began} steps before"
        )
        raise RunFolderError(
            f"the run in {run.folder} is {what} and has no whole checkpoint there, so it cannot "
            f"go on; make it again"
        )


def check_data(run: Kept, society: "Society[Any]") -> None:
    """Refuse a run where the files that it rests on have changed.

    Raises:
        RunFolderError: If one has.
    """
    then, now = run.manifest["data"], society.data_hashes()
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    if changed:
        raise RunFolderError(
            f"the run in {run.folder} rests on data that has changed since: "
            f"{', '.join(changed)}; put the old files back, or run it anew"
        )


def check_mind(run: Kept, society: "Society[Any]") -> None:
    """Refuse another mind than the run began with.

    Raises:
        RunFolderError: If its mind is another one.
    """
    then, now = run.manifest["mind"], society.mind.facts()
    if _models(then) != _models(now):
        raise RunFolderError(
            f"the run in {run.folder} was thought by {_named(then)}, and its scenario and "
            f"settings now give {_named(now)}; a mind that was set by hand is kept with no run"
        )


def _models(facts: Any) -> list[str]:
    return [str(one.get("model")) for one in facts.get("minds", [facts] if facts else [])]


def _named(facts: Any) -> str:
    return ", ".join(_models(facts)) or "rules"


def tell_other_code(run: Kept) -> None:
    """Warn that what a run recorded so far and what follows are made by different code."""
    then = run.manifest["code"]
    if then and then != code_version(run.scenario):
        told = (
            f"the code of Memopolis or of {run.scenario.__name__} has changed since the run in "
            f"{run.folder} began; what follows is made by that of now"
        )
        warnings.warn(told, RuntimeWarning, stacklevel=3)


def tell_refused(refused: list[str], step: int) -> None:
    """Warn of checkpoints that are broken, a line each, and name the step that is used."""
    for line in refused:
        told = f"{line}; an earlier state is used, that of step {step}"
        warnings.warn(told, RuntimeWarning, stacklevel=3)


def check_extra(folder: Path, damaged: "Sequence[Problem]") -> None:
    """Refuse to repair a run among whose files there are others, since none of them is removed.

    Raises:
        RunFolderError: If there are.
    """
    extra = next((one for one in damaged if one.is_extra), None)
    if extra is not None:
        raise RunFolderError(f"{folder / extra.path} {extra.text}: remove it, or move it elsewhere")


def tell_damaged(folder: Path, damaged: "Sequence[Problem]") -> None:
    """Warn that files of a run that succeeded are damaged, so that it is made again."""
    more = f", and {len(damaged) - 1:,} more files are damaged" if len(damaged) > 1 else ""
    told = f"the run in {folder} is damaged: {damaged[0]}{more}; what was lost is made again"
    warnings.warn(told, RuntimeWarning, stacklevel=3)
