"""Read, write, sync, replace, remove and hash files: bounded, atomically, never through a link.

A folder of results may contain files of the user, or come from a stranger. Therefore nothing is
removed by wildcard or as a whole folder, and a link in place of a file or folder that is written,
replaced or removed is refused before anything is changed.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from memopolis.sim.errors import RunFolderError, reason_of


def is_link(path: Path) -> bool:
    """Whether a path is a symbolic link, or a junction of Windows."""
    return path.is_symlink() or path.is_junction()


def refuse_links(*paths: Path) -> None:
    """Refuse to write, replace or remove anything through a link."""
    for path in paths:
        if is_link(path):
            raise RunFolderError(
                f"{path} is a link; files are written and removed in their own folder only: "
                "remove the link, or put what it leads to in its place"
            )


def links_below(folder: Path) -> list[Path]:
    """Return all links below a folder, if it exists; only the folder itself if it is a link."""
    return [folder] if is_link(folder) else sorted(map(Path, _links_in(str(folder))))


def _links_in(folder: str, *, top_only: bool = False) -> Iterator[str]:
    # The entries of a directory contain their kinds, so no file has to be examined.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink() or entry.is_junction():
                yield entry.path
            elif not top_only and entry.is_dir():
                yield from _links_in(entry.path)


def refuse_outer_links(folder: Path, *, top_only: bool = False) -> None:
    """Refuse the folder of a run or a sweep if a symbolic link in it leads out of it.

    With `top_only`, subfolders are not checked, since they are checked when used.
    """
    home = folder.resolve()
    for path in map(Path, _links_in(str(home), top_only=top_only)):
        leads_out = True  # also in a loop of links
        with suppress(OSError, RuntimeError):
            leads_out = not path.resolve().is_relative_to(home)
        if leads_out:
            link = path.relative_to(home).as_posix()
            raise RunFolderError(
                f"{folder} is not used: {link} is a link that leads out of it; replace it by what "
                f"it points to"
            )


def unlink_files(folder: Path, names: Iterable[str] | Callable[[str], bool]) -> None:
    """Remove files, names or those a function accepts, from a folder that may be missing."""
    if is_link(folder) or not folder.is_dir():
        return
    if callable(names):
        names = sorted(path.name for path in folder.iterdir() if names(path.name))
    for name in names:
        path = folder / name
        if path.is_file() and not is_link(path):
            path.unlink()


def remove_files(folder: Path, names: Iterable[str] | Callable[[str], bool]) -> None:
    """Remove files as `unlink_files` does, and the folder if it is empty then."""
    unlink_files(folder, names)
    if not is_link(folder):
        with suppress(OSError):
            folder.rmdir()  # fails if the folder is not empty


LARGEST_TEXT = 10_000_000  # maximum number of bytes of a file that users write, such as a design


def read_regular(path: str | Path, *, largest: int = LARGEST_TEXT) -> bytes:
    """Return the content of a regular file; errors as in `check_regular`."""
    check_regular(path, largest=largest)
    with Path(path).open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:  # it has grown, or its size is unknown, as in /proc
        raise _too_large(len(content), largest)
    return content


def check_regular(path: str | Path, *, largest: int = LARGEST_TEXT) -> None:
    """Refuse a file that a user names unless it is a regular file of at most `largest` bytes.

    A pipe could block, and a device may never end. Raises OSError, whose `reason_of` is one line.
    """
    status = Path(path).stat()
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is a device or a pipe; a regular file is needed")
    if status.st_size > largest:
        raise _too_large(status.st_size, largest)


def _too_large(size: int, largest: int) -> OSError:
    return OSError(f"it has {size:,} bytes; at most {largest:,} are read")


WRITING = ".writing"  # extension of an unfinished file, in place of its own


def write_whole(path: Path, text: str) -> None:
    """Write a text file atomically; errors as in `whole`."""
    with whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Replace a file atomically: yield a path to write to, with the extension `.writing`.

    It is renamed at the end of the `with` block, or removed if renaming fails. Raises OSError if it
    cannot be replaced; the old file is kept then.
    """
    unfinished = path.with_suffix(WRITING)
    refuse_links(path, unfinished)
    # Always a new file, since the old one may be hard linked elsewhere.
    unfinished.unlink(missing_ok=True)
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn an OSError inside into a RunFolderError that the path cannot be written."""
    try:
        yield
    except RunFolderError:
        raise
    except OSError as error:
        raise RunFolderError(f"{path} cannot be written: {reason_of(error)}") from None


def synced(descriptor: int) -> None:
    """Sync an open file to disk."""
    os.fsync(descriptor)


def synced_folder(folder: Path) -> None:
    """Sync the entries of a folder to disk, if the system supports that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def hash_of_file(path: str | Path) -> str:
    """Return the SHA-256 of the content of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@cache
def hash_of_shipped(path: Path) -> str:
    """Return the hash of a file of the package, computed once per process."""
    return hash_of_file(path)


@cache
def shipped_tables(folder: Path) -> tuple[Path, ...]:
    """Return the CSV files below a folder of the package, sorted; listed once per process."""
    return tuple(sorted(folder.rglob("*.csv")))
