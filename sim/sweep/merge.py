"""Shards of one sweep put together, each of which was made in a folder of its own."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopolis.sim.errors import ParameterError, RunFolderError, reason_of
from memopolis.sim.own_files import links_below, refuse_links, refuse_outer_links
from memopolis.sim.running.clearing import remove_run
from memopolis.sim.running.folder import LOCK
from memopolis.sim.running.manifest import run_populations
from memopolis.sim.sweep.design_kept import DESIGN, KeptDesign, read_design
from memopolis.sim.sweep.engine import make_ledger
from memopolis.sim.sweep.run_ledger import RunLedger, entry_of

_RANK = {"pending": 0, "running": 1, "interrupted": 1, "failed": 2, "succeeded": 3}


@dataclass(frozen=True)
class Merged:
    """What was put together.

    Attributes:
        succeeded: Runs that succeeded in any of the folders.
        failed: Runs that failed, and succeeded nowhere.
        total: Runs of the design.
    """

    succeeded: int
    failed: int
    total: int


def merge(
    out: str | Path,
    folders: Sequence[str | Path],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Merged:
    """Put sweeps of one design into one folder. They stay as they are.

    Files are hard links where the file system has them, so nothing is copied and no more room
    is taken. What lies in the folder already is kept, so the shards may also come one by one.

    Args:
        out: Folder to make, or one that was merged before.
        folders: Of the shards.
        progress: Told after each run how many are there, and of how many.

    Returns:
        How many runs there are.

    Raises:
        RunFolderError: If a folder is no sweep, or `out` holds something else or cannot be
            written.
        ParameterError: If the folders are of different designs.
    """
    home = Path(out)
    shards = [Path(folder) for folder in folders]
    design = _one_design(home, shards)
    try:
        make_ledger(home)
        if not (home / DESIGN).exists():
            _link(shards[0] / DESIGN, home / DESIGN)
        names = list(dict.fromkeys(run.name for run in design.runs))
        for number, name in enumerate(names, start=1):
            _take(name, home, shards)
            if progress is not None:
                progress(number, len(names))
    except RunFolderError:
        raise
    except OSError as error:
        raise RunFolderError(f"{home} cannot be written: {reason_of(error)}") from None
    ledger = RunLedger(home)
    found = [ledger.entry(name).status for name in names]
    return Merged(found.count("succeeded"), found.count("failed"), len(names))


def _one_design(home: Path, shards: Sequence[Path]) -> KeptDesign:
    if not shards:
        raise ParameterError("no shard is named; name the folders to put together")
    if (home / DESIGN).exists():
        shards = [home, *shards]
    elif home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise RunFolderError(f"{home} holds something else than a sweep; name another folder")
    first, *others = shards
    design, asked = read_design(first), _asked(first)
    for other in others:
        read_design(other)
        if _asked(other) != asked:
            raise ParameterError(
                f"{first} and {other} are of different designs, or of different versions of the "
                f"code; only shards of one sweep can be merged"
            )
    return design


def _asked(folder: Path) -> Any:
    """The design without the place of its scenario's file, which may be another elsewhere."""
    told = json.loads((folder / DESIGN).read_text(encoding="utf-8"))
    told["design"].pop("scenario")
    return told


def _take(name: str, home: Path, shards: Sequence[Path]) -> None:
    """Take one run from where it came furthest, with all that is known of it anywhere."""
    own = RunLedger(home)
    lines = {folder: RunLedger(folder).lines(name) for folder in shards}
    there = own.lines(name)
    best = max(shards, key=lambda folder: _RANK[entry_of(lines[folder]).status])
    if _RANK[entry_of(lines[best]).status] < 2 or _is_there(there, lines[best]):
        return
    with own.claim(name) as mine:
        if not mine:
            raise RunFolderError(f"{home}: another process works on run {name} there")
        folder = home / "runs" / name
        if folder.exists():
            _remove(folder)
        if (best / "runs" / name).is_dir():
            refuse_outer_links(best / "runs" / name)
            _link_all(best / "runs" / name, folder)
        failure = Path("failures", f"{name}.txt")
        (home / failure).unlink(missing_ok=True)
        if (best / failure).is_file():
            (home / "failures").mkdir(exist_ok=True)
            _link(best / failure, home / failure)
        joined = [line for folder in shards if folder != best for line in lines[folder]]
        own.write_all(name, [*joined, *lines[best]])


def _is_there(there: list[dict[str, Any]], found: list[dict[str, Any]]) -> bool:
    """Whether a run was merged before, and has not come further since."""
    rank = _RANK[entry_of(there).status]
    return rank == 3 or (rank == 2 and found[-1] in there)


def _remove(folder: Path) -> None:
    """Remove a run, one of which has come further.

    Raises:
        RunFolderError: If its folder holds other files, too.
    """
    remove_run(folder, run_populations(folder))
    try:
        folder.rmdir()
    except OSError:
        raise RunFolderError(
            f"{folder} holds files that no run wrote; move them elsewhere"
        ) from None


def _link_all(folder: Path, to: Path) -> None:
    """Put a whole folder elsewhere; it appears whole or not at all."""
    unfinished = to.with_name(f"{to.name}.writing")
    refuse_links(*links_below(folder), to, unfinished)
    if unfinished.exists():
        _remove(unfinished)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(
        folder, unfinished, copy_function=_link, ignore=shutil.ignore_patterns(LOCK, "*.writing")
    )
    unfinished.replace(to)


def _link(file: str | Path, to: str | Path) -> None:
    """Give a file a second name, or copy it where the file system has no such names."""
    Path(to).unlink(missing_ok=True)
    try:
        os.link(file, to)
    except OSError:
        shutil.copy2(file, to)
