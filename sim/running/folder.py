"""The folder of a run: who owns it, and what of it is kept."""

import errno
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from memopolis.sim import locks
from memopolis.sim.errors import MemopolisError, RunFolderError, reason_of

LOCK = "run.lock"
"""File that is locked while the run goes on; it stays there and means nothing by itself."""
_EMPTY = {LOCK, "manifest.writing"}
"""What a run leaves that is killed before it has a manifest."""
_OF_THE_END = ("memory", "report.html")
"""What is made when a run has ended, and holds no longer when it goes on."""
_FILES_OF_NO_STEP = (
    "tables/*/part-*.parquet", "timings/timings.json", "manifest.json", "manifest.writing", LOCK,
)  # fmt: skip
_FOLDERS_OF_NO_STEP = ("checkpoints", "tables/*", "tables", "timings")
"""What a run writes that is left before its first step."""


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Own the folder of a run, which is made where it does not exist.

    Raises:
        RunFolderError: If another run owns it, or it cannot be written.
    """
    _make(folder)
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


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except NotADirectoryError:
        raise RunFolderError(f"{folder} lies below a file, not a folder") from None
    except FileExistsError:
        raise RunFolderError(f"{folder} is a file, not a folder") from None
    except OSError as error:
        raise RunFolderError(f"{folder} cannot be written: {_reason(error)}") from None


def check_unused(folder: Path) -> None:
    """Refuse a folder that holds anything.

    Raises:
        RunFolderError: If it does, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"{folder} is a file, not a folder")
    if folder.is_dir() and any(path.name not in _EMPTY for path in folder.iterdir()):
        raise RunFolderError(f"{folder} exists and is not empty; name another folder or remove it")


def cut_back(folder: Path, tables: Mapping[str, int]) -> None:
    """Remove what was written after a checkpoint.

    Args:
        folder: Of the run.
        tables: How many parts of each table there were at the checkpoint.
    """
    for name in _OF_THE_END:
        _remove(folder / name)
    for unfinished in list(folder.rglob("*.writing")):
        _remove(unfinished)
    for table in folder.glob("tables/*"):
        kept = {part_name(number) for number in range(tables.get(table.name, 0))}
        for part in table.iterdir():
            if part.name not in kept:
                _remove(part)


def remove_run(folder: Path) -> None:
    """Remove what a run without a step wrote into its folder; whatever else is there stays.

    Args:
        folder: Of the run, which is owned.
    """
    for checkpoint in _within(folder, "checkpoints/step-*"):
        _remove(checkpoint)
    for pattern in _FILES_OF_NO_STEP:
        for file in _within(folder, pattern):
            file.unlink()
    for pattern in _FOLDERS_OF_NO_STEP:
        for emptied in _within(folder, pattern):
            with suppress(OSError):
                emptied.rmdir()  # unless it holds anything else


def _within(folder: Path, pattern: str) -> list[Path]:
    """What fits a pattern and lies there itself, not somewhere else by a link."""
    home = folder.resolve()
    found = folder.glob(pattern)
    return [path for path in found if path.resolve() == home / path.relative_to(folder)]


def copy_tables(folder: Path, to: Path, tables: Mapping[str, int]) -> None:
    """Copy the parts of tables that there were at a checkpoint into another run's folder."""
    for table, parts in tables.items():
        (to / "tables" / table).mkdir(parents=True, exist_ok=True)
        for number in range(parts):
            name = part_name(number)
            shutil.copyfile(folder / "tables" / table / name, to / "tables" / table / name)


def part_name(number: int) -> str:
    """File name of a part of a table."""
    return f"part-{number:05d}.parquet"


def parts_of(folder: Path, table: str) -> list[Path]:
    """Files of a table, in the order in which they were written; none if there is no table."""
    return sorted((folder / "tables" / table).glob("part-*.parquet"))


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
        RunFolderError: If an operating system's error comes up inside.
    """
    try:
        yield
    except MemopolisError:
        raise
    except OSError as error:
        advice = (
            "; make room there, then go on with `memopolis resume`"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else ""
        )
        raise RunFolderError(f"{folder} cannot be written: {_reason(error)}{advice}") from None


def _reason(error: OSError) -> str:
    """What the operating system says, in lower case as a part of a sentence."""
    told = reason_of(error)
    return told[:1].lower() + told[1:]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
