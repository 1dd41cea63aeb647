"""Shards of a sweep: its runs on one machine, executed in a folder of its own, and merged."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.files import links_below, refuse_links, refuse_outer_links, writing_to
from memopolis.sim.progress import RunProgress
from memopolis.sim.run_folder.folder import LOCK, remove_run
from memopolis.sim.run_folder.manifest import run_populations
from memopolis.sim.sweep.rows import FAILURES, claim, make_rows, read_row, write_row
from memopolis.sim.sweep.saved_design import DESIGN, SavedDesign, read_design

_RANK = {"failed": 1, "succeeded": 2}  # statuses of runs that are merged


def read_shard(text: str) -> tuple[int, int]:
    """Parse a shard, such as "2/8"."""
    number, slash, of = text.partition("/")
    if not (slash and number.strip().isdecimal() and of.strip().isdecimal()):
        raise ParameterError(f"shard is {text!r}; write it as 2/8, the second of eight")
    return int(number), int(of)


def share_of[T](runs: Sequence[T], shard: tuple[int, int]) -> list[T]:
    """Return every n-th run of a design, for a shard's number, from 1, and the number of shards."""
    number, of = shard
    if not 1 <= number <= of:
        raise ParameterError(f"shard is {number}/{of}; the first of 8 is 1/8 and the last is 8/8")
    return list(runs[number - 1 :: of])


@dataclass(frozen=True)
class Merged:
    """Numbers of runs that succeeded in any folder, of others that failed, and of the design."""

    succeeded: int
    failed: int
    total: int


def merge(
    out: str | Path, folders: Sequence[str | Path], *, progress: RunProgress | None = None
) -> Merged:
    """Merge sweeps of the same design into one folder, also step by step; shards stay unchanged.

    Files are hard links where the file system supports them, so that they take no extra space.
    `progress` is called after each run with the numbers of runs merged, failed (0) and in total.
    Raises RunFolderError if a folder is not a sweep, or `out` is not empty or cannot be written, or
    ParameterError if the folders have different designs.
    """
    home = Path(out)
    shards = [Path(folder) for folder in folders]
    design = _one_design(home, shards)
    names = list(dict.fromkeys(run.name for run in design.runs))
    with writing_to(home):
        make_rows(home)
        if not (home / DESIGN).exists():
            _link(shards[0] / DESIGN, home / DESIGN)
        for number, name in enumerate(names, start=1):
            _merge_run(name, home, shards)
            if progress is not None:
                progress(number, 0, len(names))
    statuses = [read_row(home, name).status for name in names]
    return Merged(statuses.count("succeeded"), statuses.count("failed"), len(names))


def _one_design(home: Path, shards: Sequence[Path]) -> SavedDesign:
    if not shards:
        raise ParameterError("no shard is named; name the folders to merge")
    if (home / DESIGN).exists():
        shards = [home, *shards]
    elif home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise RunFolderError(f"{home} is not empty and not a sweep; name another folder")
    first, *others = shards
    design = read_design(first)
    for other in others:
        if _without_path(read_design(other)) != _without_path(design):
            raise ParameterError(
                f"{first} and {other} have different designs, or different versions of the code; "
                f"only shards of one sweep can be merged"
            )
    return design


def _without_path(saved: SavedDesign) -> SavedDesign:
    """Return the design without the path of its scenario, which may differ between machines."""
    return replace(saved, design=replace(saved.design, scenario=""))


def _merge_run(name: str, home: Path, shards: Sequence[Path]) -> None:
    """Take one run and its row from the shard with the best status, unless it is not better."""
    own = read_row(home, name)
    rows = {shard: read_row(shard, name) for shard in shards}
    best = max(shards, key=lambda shard: _RANK.get(rows[shard].status, 0))
    row = rows[best]
    if row.status not in _RANK or own.status == "succeeded" or own == row:
        return
    with claim(home, name) as is_claimed:
        if not is_claimed:
            raise RunFolderError(f"{home}: another process is working on run {name}")
        folder = home / "runs" / name
        if folder.exists():
            _remove(folder)
        if (best / "runs" / name).is_dir():
            refuse_outer_links(best / "runs" / name)
            _link_all(best / "runs" / name, folder)
        failure = Path(FAILURES, f"{name}.txt")
        (home / failure).unlink(missing_ok=True)
        if (best / failure).is_file():
            (home / FAILURES).mkdir(exist_ok=True)
            _link(best / failure, home / failure)
        write_row(home, name, row)


def _remove(folder: Path) -> None:
    """Remove a run that is replaced by a more complete one, unless its folder has other files."""
    remove_run(folder, run_populations(folder))
    try:
        folder.rmdir()
    except OSError:
        raise RunFolderError(
            f"{folder} contains files that no run wrote; move them elsewhere"
        ) from None


def _link_all(folder: Path, to: Path) -> None:
    """Link or copy a folder atomically."""
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
    """Create a hard link, or copy the file if the file system does not support links."""
    Path(to).unlink(missing_ok=True)
    try:
        os.link(file, to)
    except OSError:
        shutil.copy2(file, to)
