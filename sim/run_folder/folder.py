"""The folder of a run: its lock, its file names, checks before it is used, and the removal of runs.

Only files with the names that a run writes are removed.
"""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from memopolis.sim import locks
from memopolis.sim.checksums import FileRecord, record_of
from memopolis.sim.errors import MemopolisError, RunFolderError, reason_of
from memopolis.sim.files import is_link, links_below, refuse_links, remove_files, unlink_files
from memopolis.sim.state.checkpoints import checkpoints_of, remove, remove_unfinished

LOCK = "run.lock"
"""File that is locked while a process runs or resumes the run. It is never removed."""
_SPARE = 256 * 1024
"""Bytes by which the last manifest of a run may exceed the first, since it lists all files."""
_EMPTY = {LOCK, "manifest.writing"}  # files left by a run that was killed before it had a manifest
AT_END = ("report.html", "report.writing")
"""Files made from a run that has ended; they are outdated when the run continues."""
TIMINGS = ("timings.json", "timings.writing", "model_calls.parquet", "model_calls.writing")
"""Files in `timings/`."""
CONVERSATIONS = "conversations.jsonl"
"""File with questions that a user asked agents, and their answers; no result of the run."""
FILES = ("manifest.json", "manifest.writing", LOCK, CONVERSATIONS, *AT_END)
"""Files directly in the folder of a run."""
FOLDERS = ("tables", "checkpoints", "memory", "timings")  # subfolders of the folder of a run
_PART = re.compile(r"part-\d{5,}\.parquet")
_ANY_PART = re.compile(r"part-(\d{5,})\.(parquet|writing)")


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Lock the folder of a run, and create it if it does not exist.

    Raises RunFolderError if another process has locked it, it cannot be written, or it contains
    links in place of files of the run.
    """
    check_name(folder)
    _make(folder)
    check_links(folder)  # before opening the lock file, which may be a link
    try:
        lock = locks.take(folder / LOCK)
    except OSError as error:
        raise RunFolderError(f"{folder} cannot be written: {_reason(error)}") from None
    if lock is None:
        raise RunFolderError(
            f"the run in {folder} is under way: another process runs or resumes it"
        )
    try:
        yield
    finally:
        lock.release()


def is_owned(folder: Path) -> bool:
    """Whether a process runs or resumes the run in a folder, see `locks.is_held`."""
    return locks.is_held(folder / LOCK)


def reserve_space(folder: Path) -> None:
    """Let the lock file reserve the space for the last manifest, in case the disk gets full."""
    with suppress(OSError):
        size = (folder / "manifest.json").stat().st_size + _SPARE
        with (folder / LOCK).open("r+b") as file:
            file.write(bytes(size))


def free_space(folder: Path) -> None:
    """Free the space taken by `reserve_space`."""
    with suppress(OSError):
        os.truncate(folder / LOCK, 0)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except NotADirectoryError:
        raise RunFolderError(f"{folder} is below a file, not a folder") from None
    except FileExistsError:
        raise RunFolderError(f"{folder} is a file, not a folder") from None
    except OSError as error:
        raise RunFolderError(f"{folder} cannot be written: {_reason(error)}") from None


def check_name(folder: Path) -> None:
    """Refuse a name that cannot be encoded in UTF-8, since tables and messages contain it."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise RunFolderError(
            f"the name of the folder {str(folder)!a} is not valid UTF-8; rename it"
        ) from None


def check_links(folder: Path) -> None:
    """Refuse a run folder, perhaps a link itself, with links where the run writes files."""
    refuse_links(*(folder / name for name in FILES))
    for name in FOLDERS:
        refuse_links(*links_below(folder / name))


def check_unused(folder: Path) -> None:
    """Refuse a file, or a folder that is not empty; a run killed at its very start is ignored."""
    check_name(folder)
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"{folder} is a file, not a folder")
    if folder.is_dir() and any(path.name not in _EMPTY for path in folder.iterdir()):
        raise RunFolderError(f"{folder} exists and is not empty; name another folder or remove it")


def copy_files(folder: Path, to: Path, records: Mapping[str, FileRecord]) -> None:
    """Copy files of a run, by their records, into the locked folder of another run."""
    for path, record in records.items():
        content = (folder / path).read_bytes()
        if record_of(content) != record:
            raise RunFolderError(f"{folder / path} is damaged: it is not what the run wrote")
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        (to / path).write_bytes(content)


def parts_of(folder: Path, table: str) -> list[Path]:
    """Return the files of a table in the order they were written; empty if there is no table."""
    parts = (folder / "tables" / table).glob("part-*.parquet")
    return sorted(part for part in parts if _PART.fullmatch(part.name))


@contextmanager
def reading(folder: str | Path, table: str) -> Iterator[None]:
    """Turn errors in reading a table of a run into a `RunFolderError` of one line."""
    import pyarrow as pa

    try:
        yield
    except MemopolisError:
        raise
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise RunFolderError(f"table {table!r} of {folder} is broken: {reason}") from None


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn errors in writing to a run's folder into a `RunFolderError` of one line."""
    try:
        yield
    except MemopolisError:
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        refusal = RunFolderError(
            f"{folder} cannot be written: {_reason(error)}; "
            f"{'free some space' if full else 'fix that'}, then continue with "
            f"`memopolis resume {folder}`"
        )
        refusal.errno = error.errno
        raise refusal from None


def _reason(error: OSError) -> str:
    """Return the operating system's message, starting in lower case."""
    text = reason_of(error)
    return text[:1].lower() + text[1:]


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
        match = _ANY_PART.fullmatch(name)
        return match is not None and (match[2] == "writing" or int(match[1]) >= first)

    return is_later
