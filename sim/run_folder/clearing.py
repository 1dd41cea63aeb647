"""Remove the files of a run from its folder. Only files with the names a run writes are removed."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from memopolis.sim.files import is_link, remove_files, unlink_files
from memopolis.sim.run_folder.folder import AT_END, CONVERSATIONS, LOCK, TIMINGS, check_links
from memopolis.sim.state.checkpoints import checkpoints_of, remove, remove_unfinished

_PART = re.compile(r"part-(\d{5,})\.(parquet|writing)")


def remove_later_files(folder: Path, counts: Mapping[str, int], populations: Iterable[str]) -> None:
    """Remove what was written after a checkpoint, from a locked folder.

    `counts` is the number of parts of each table then; populations have files in `memory/`.
    """
    remove_held(folder, populations)
    unlink_files(folder, AT_END)
    remove_unfinished(folder)
    remove_files(folder / "timings", [name for name in TIMINGS if name.endswith(".writing")])
    for table in _tables(folder):
        remove_files(table, _is_part(counts.get(table.name, 0)))


def remove_run(folder: Path, populations: Iterable[str] = (), *, reports: bool = True) -> None:
    """Remove all files that a run wrote, which no process continues; other files are kept."""
    check_links(folder)
    remove_held(folder, populations)
    if reports:
        unlink_files(folder, AT_END)
    for checkpoint in checkpoints_of(folder):
        remove(checkpoint)
    remove_unfinished(folder)
    for table in _tables(folder):
        remove_files(table, _is_part(0))
    remove_files(folder / "timings", TIMINGS)
    for emptied in ("checkpoints", "tables"):
        remove_files(folder / emptied, ())
    unlink_files(folder, ("manifest.json", "manifest.writing", CONVERSATIONS, LOCK))


def remove_held(folder: Path, populations: Iterable[str]) -> None:
    """Remove the memories written at the end of a run that is being continued."""
    names = [f"{name}.{end}" for name in populations for end in ("parquet", "writing")]
    remove_files(folder / "memory", names)


def _tables(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [path for path in (folder / "tables").iterdir() if not is_link(path)]
    return []


def _is_part(first: int) -> Callable[[str], bool]:
    """Return a function that matches the names of unfinished parts and parts from a number on."""

    def is_later(name: str) -> bool:
        match = _PART.fullmatch(name)
        return match is not None and (match[2] == "writing" or int(match[1]) >= first)

    return is_later
