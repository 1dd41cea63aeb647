"""The folder of a run: who owns it, and what of it is kept."""

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from memopolis.sim import locks
from memopolis.sim.errors import MemopolisError, RunFolderError, reason_of
from memopolis.sim.own_files import links_below, refuse_links
from memopolis.sim.running.file_records import FileRecord, record_of

LOCK = "run.lock"
"""File that is locked while the run goes on; it stays there and means nothing by itself."""
_SPARE = 256 * 1024
"""Bytes that the last manifest of a run may be longer than the first: it lists all files."""
_EMPTY = {LOCK, "manifest.writing"}
"""What a run leaves that is killed before it has a manifest."""
AT_END = ("report.html", "report.writing")
"""Files made of a run that has ended, which are outdated when it goes on."""
TIMINGS = ("timings.json", "timings.writing", "model_calls.parquet", "model_calls.writing")
"""Files in `timings/`."""
FILES = ("manifest.json", "manifest.writing", LOCK, *AT_END)
"""Files in the folder of a run itself."""
FOLDERS = ("tables", "checkpoints", "memory", "timings")
"""Folders in it."""
_PART = re.compile(r"part-\d{5,}\.parquet")


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Own the folder of a run, which is made where it does not exist.

    Raises:
        RunFolderError: If another run owns it, it cannot be written, or a link is where the run
            writes.
    """
    check_name(folder)
    _make(folder)
    check_links(folder)  # before the lock's file is opened, which may be one
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
    """Whether a run goes on there, see `locks.is_held`."""
    return locks.is_held(folder / LOCK)


def reserve_space(folder: Path) -> None:
    """Keep space on the disk for the last manifest of a run, so that a full disk has room for it.

    The file of the lock holds it while the run goes on. Where it cannot be written, nothing is
    reserved.
    """
    with suppress(OSError):
        size = (folder / "manifest.json").stat().st_size + _SPARE
        with (folder / LOCK).open("r+b") as file:
            file.write(bytes(size))


def free_space(folder: Path) -> None:
    """Give back what `reserve_space` keeps."""
    with suppress(OSError):
        os.truncate(folder / LOCK, 0)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except NotADirectoryError:
        raise RunFolderError(f"{folder} lies below a file, not a folder") from None
    except FileExistsError:
        raise RunFolderError(f"{folder} is a file, not a folder") from None
    except OSError as error:
        raise RunFolderError(f"{folder} cannot be written: {_reason(error)}") from None


def check_name(folder: Path) -> None:
    """Refuse a name that cannot be written in UTF-8, as tables and messages need it.

    Raises:
        RunFolderError: If it cannot.
    """
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise RunFolderError(
            f"the name of the folder {str(folder)!a} is not valid UTF-8; rename it"
        ) from None


def check_links(folder: Path) -> None:
    """Refuse the folder of a run with a link where the run writes or removes files.

    The folder itself may be reached by a link.

    Raises:
        RunFolderError: If there is one.
    """
    refuse_links(*(folder / name for name in FILES))
    for name in FOLDERS:
        refuse_links(*links_below(folder / name))


def check_unused(folder: Path) -> None:
    """Refuse a folder that holds anything but the lock of a run that was ended at its beginning.

    Raises:
        RunFolderError: If it does, or is a file.
    """
    check_name(folder)
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"{folder} is a file, not a folder")
    if folder.is_dir() and any(path.name not in _EMPTY for path in folder.iterdir()):
        raise RunFolderError(f"{folder} exists and is not empty; name another folder or remove it")


def copy_files(folder: Path, to: Path, records: Mapping[str, FileRecord]) -> None:
    """Copy files of a run into another run's folder.

    Args:
        folder: Of the run.
        to: Of the other run, which is owned.
        records: Of the files, by path.

    Raises:
        RunFolderError: If a file is not what was recorded.
        OSError: If it cannot be read or written.
    """
    for path, record in records.items():
        content = (folder / path).read_bytes()
        if record_of(content) != record:
            raise RunFolderError(f"{folder / path} is damaged: it is not what the run wrote")
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        (to / path).write_bytes(content)


def parts_of(folder: Path, table: str) -> list[Path]:
    """Files of a table, in the order in which they were written; none if there is no table."""
    return sorted(p for p in (folder / "tables" / table).glob("part-*.parquet") if is_part(p.name))


def is_part(name: str) -> bool:
    """Whether a file name is that of a part of a table."""
    return _PART.fullmatch(name) is not None


@contextmanager
def reading(folder: str | Path, table: str) -> Iterator[None]:
    """Say in one line that a table of a run cannot be read.

    Raises:
        RunFolderError: If an error of Arrow or of the operating system comes up inside.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise RunFolderError(f"table {table!r} of {folder} is broken: {reason}") from None


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Say in one line that a run's folder cannot be written.

    Raises:
        RunFolderError: If an operating system's error comes up inside, with its `errno`.
    """
    try:
        yield
    except MemopolisError:
        raise
    except OSError as error:
        raise _not_written(folder, error) from None


def _not_written(folder: Path, error: OSError) -> RunFolderError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    advice = "free some space" if full else "put that right"
    refusal = RunFolderError(
        f"{folder} cannot be written: {_reason(error)}; {advice}, then continue with "
        f"`memopolis resume {folder}`"
    )
    refusal.errno = error.errno
    return refusal


def _reason(error: OSError) -> str:
    """What the operating system says, in lower case as a part of a sentence."""
    told = reason_of(error)
    return told[:1].lower() + told[1:]
