"""The rule by which files are removed and replaced: only those of known names, never by a link.

A folder of results may hold files of its user, or come from someone else. So nothing is removed
by a wildcard or as a whole folder, and a link where a file or folder is to be written, replaced
or removed is refused before anything is changed.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from memopolis.sim.errors import RunFolderError


def is_link(path: Path) -> bool:
    """Whether a path is a symbolic link, or a junction of Windows."""
    return path.is_symlink() or path.is_junction()


def refuse_links(*paths: Path) -> None:
    """Refuse to write, replace or remove anything through a link.

    Raises:
        RunFolderError: If one of the paths is a link.
    """
    for path in paths:
        if is_link(path):
            raise RunFolderError(
                f"{path} is a link; files are written and removed in their own folder only: "
                "remove the link, or put what it leads to in its place"
            )


def links_below(folder: Path) -> list[Path]:
    """Every link below a folder, which is not followed itself if it is one.

    Args:
        folder: Need not exist.
    """
    return [folder] if is_link(folder) else sorted(map(Path, _links_in(str(folder))))


def _links_in(folder: str, *, top_only: bool = False) -> Iterator[str]:
    # Entries of a directory know what they are: no file is looked at, which takes much longer.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink() or entry.is_junction():
                yield entry.path
            elif not top_only and entry.is_dir():
                yield from _links_in(entry.path)


def refuse_outer_links(folder: Path, *, top_only: bool = False) -> None:
    """Refuse the folder of a run or a sweep in which a symbolic link leads out of it.

    Args:
        folder: The folder.
        top_only: Whether what its folders contain is left to be checked when it is used.

    Raises:
        RunFolderError: If a link leads out.
    """
    home = folder.resolve()
    for path in map(Path, _links_in(str(home), top_only=top_only)):
        if not path.resolve().is_relative_to(home):
            link = path.relative_to(home).as_posix()
            raise RunFolderError(
                f"{folder} is not used: {link} is a link that leads out of it; replace it by what "
                f"it points to"
            )


def unlink_files(folder: Path, names: Iterable[str] | Callable[[str], bool]) -> None:
    """Remove files of known names from a folder.

    Args:
        folder: Need not exist. Nothing is done where it is a link.
        names: Names of the files, in the order in which they go, or a test of a name.

    Raises:
        OSError: If a file cannot be removed.
    """
    if is_link(folder) or not folder.is_dir():
        return
    if callable(names):
        names = sorted(path.name for path in folder.iterdir() if names(path.name))
    for name in names:
        path = folder / name
        if path.is_file() and not is_link(path):
            path.unlink()


def remove_files(folder: Path, names: Iterable[str] | Callable[[str], bool]) -> None:
    """Remove files of known names as `unlink_files`, and the folder if nothing else is in it."""
    unlink_files(folder, names)
    if not is_link(folder):
        with suppress(OSError):
            folder.rmdir()  # unless it holds anything else
