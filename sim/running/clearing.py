"""What a run removes from its folder: files that it wrote itself, by their names."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from memopolis.sim.own_files import is_link, remove_files, unlink_files
from memopolis.sim.running.folder import AT_END, LOCK, TIMINGS, check_links
from memopolis.sim.state.checkpoints import checkpoints_of, remove, remove_unfinished

_PART = re.compile(r"part-(\d{5,})\.(parquet|writing)")


def cut_back(folder: Path, counts: Mapping[str, int], populations: Iterable[str]) -> None:
    """Remove what was written after a checkpoint.

    Args:
        folder: Of the run, which is owned.
        counts: How many parts of each table there were at the checkpoint.
        populations: Names of its populations, which have files in `memory/`.
    """
    remove_held(folder, populations)
    _remove_reports(folder)
    remove_unfinished(folder)
    remove_files(folder / "timings", [name for name in TIMINGS if name.endswith(".writing")])
    for table in _tables(folder):
        remove_files(table, _is_part(counts.get(table.name, 0)))


def remove_run(folder: Path, populations: Iterable[str] = (), *, reports: bool = True) -> None:
    """Remove all that a run wrote into its folder; the folder and files of others stay.

    Args:
        folder: Of the run, which goes on in no process.
        populations: Names of its populations, which have files in `memory/`.
        reports: Whether it may have a report; one in its folder is the user's otherwise.

    Raises:
        RunFolderError: If a link is where the run would have written.
        OSError: If a file cannot be removed.
    """
    check_links(folder)
    remove_held(folder, populations)
    if reports:
        _remove_reports(folder)
    for checkpoint in checkpoints_of(folder):
        remove(checkpoint)
    remove_unfinished(folder)
    for table in _tables(folder):
        remove_files(table, _is_part(0))
    remove_files(folder / "timings", TIMINGS)
    for emptied in ("checkpoints", "tables"):
        remove_files(folder / emptied, ())
    unlink_files(folder, ("manifest.json", "manifest.writing", LOCK))


def remove_held(folder: Path, populations: Iterable[str]) -> None:
    """Remove what a run's agents remembered at its end, which is not its end any more."""
    names = [f"{name}.{end}" for name in populations for end in ("parquet", "writing")]
    remove_files(folder / "memory", names)


def _remove_reports(folder: Path) -> None:
    unlink_files(folder, AT_END)


def _tables(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [path for path in (folder / "tables").iterdir() if not is_link(path)]
    return []


def _is_part(first: int) -> Callable[[str], bool]:
    """Whether a name is that of a part from this number on, or of an unfinished one."""

    def is_later(name: str) -> bool:
        match = _PART.fullmatch(name)
        return match is not None and (match[2] == "writing" or int(match[1]) >= first)

    return is_later
