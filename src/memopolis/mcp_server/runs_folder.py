"""The runs that a server may read: those below one folder, by name."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from memopolis.mcp_server.paging import is_text
from memopolis.sim.errors import RunFolderError, UnknownNameError, did_you_mean
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.sweep.design_kept import DESIGN

DEEPEST = 3
"""Folders between the folder served and a run, the run's own counted: SWEEP/runs/RUN."""
_LONGEST_NAME = 400
_NAMED = 10


class RunsFolder:
    """Runs by the names of their folders, with a slash where they lie deeper.

    Args:
        place: Folder of one run, which is then the only one; or of runs and sweeps.

    Attributes:
        root: Folder that names begin in; every link in it is followed.
        alone: Whether one run is served, with those that were made beside it since.

    Raises:
        RunFolderError: If there is no such folder.
    """

    def __init__(self, place: Path) -> None:
        if not place.is_dir():
            raise RunFolderError(f"there is no folder {place}; name a run, or a folder of runs")
        place = place.resolve()
        self.alone = (place / MANIFEST).is_file()
        self.root = place.parent if self.alone else place
        self._only = {place.name} if self.alone else set()

    def names(self) -> list[str]:
        """Return the names of all existing runs, sorted."""
        if self.alone:
            return sorted(self._only)
        return sorted(_found(self.root, self.root, MANIFEST, DEEPEST))

    def sweeps(self) -> list[str]:
        """Return the names of the sweeps, sorted; "." if the folder itself is one."""
        if self.alone:
            return []
        inside = _found(self.root, self.root, DESIGN, DEEPEST - 1)
        return sorted([*(["."] if (self.root / DESIGN).is_file() else []), *inside])

    def name_of(self, typed: str) -> str:
        """Name of a run as it is listed; "" stands for the only one.

        Raises:
            UnknownNameError: If there is no such run, or "" was given and there are several.
        """
        if typed:
            return self._checked(typed, MANIFEST)
        names = self.names()
        if len(names) != 1:
            raise UnknownNameError(f"name a run; {_there(names)}")
        return names[0]

    def folder_of(self, typed: str) -> Path:
        """Folder of a run.

        Args:
            typed: Its name, "" for the only one.

        Raises:
            UnknownNameError: If there is no such run here.
            RunFolderError: If something in it is a link that leads out of the folder served.
        """
        name = self.name_of(typed)
        return self._own(self.root / name, name)

    def tables_of(self, typed: str) -> Path:
        """Folder of a run or of a sweep, whichever has the name.

        Raises:
            UnknownNameError: If neither has.
            RunFolderError: If something in it is a link that leads out of the folder served.
        """
        if typed in self.sweeps():
            return self._own(self.root / typed, typed)
        return self.folder_of(typed)

    def new_folder(self, name: str) -> Path:
        """Return the folder of a new run.

        Raises:
            RunFolderError: If the name is no plain word, or something of that name is there.
        """
        if not name or name[0] in ".-" or not all(c.isalnum() or c in "._-" for c in name):
            raise RunFolderError(
                f"{name!r} cannot name a run; letters, digits, ., _ and - are allowed"
            )
        if len(name) > 80:
            raise RunFolderError(
                "the name of the new run is too long; at most 80 characters are allowed"
            )
        if os.path.lexists(self.root / name):
            raise RunFolderError(f"{name!r} already exists; choose another name")
        return self.root / name

    def free_name(self, base: str) -> str:
        """Return the first of base-1, base-2 and so on that does not exist."""
        number = 1
        while os.path.lexists(self.root / f"{base}-{number}"):
            number += 1
        return f"{base}-{number}"

    def add(self, name: str) -> None:
        """Also serve a run that was created next to the only one."""
        self._only.add(name)

    def _checked(self, typed: str, file: str) -> str:
        path = PurePosixPath(typed)
        name = path.as_posix()
        plain = len(typed) <= _LONGEST_NAME and "\0" not in typed and "\\" not in typed
        if plain and not path.is_absolute() and ".." not in path.parts and self._serves(name):
            wanted = self.root / name / file
            if path.parts and _is_file(wanted) and _inside(wanted, self.root):
                return name
        names = self.names()
        shown = typed if len(typed) <= 80 else f"{typed[:80]}..."
        raise UnknownNameError(
            f"there is no run {shown!r} here; {did_you_mean(typed[:80], names)}{_there(names)}"
        )

    def _serves(self, name: str) -> bool:
        return not self.alone or name in self._only

    def _own(self, folder: Path, name: str) -> Path:
        for above, folders, files in os.walk(folder):
            for one in (*folders, *files):
                path = Path(above, one)
                if path.is_symlink() and not _inside(path, self.root):
                    within = path.relative_to(folder).as_posix()
                    raise RunFolderError(
                        f"run {name!r} is not read: {within} is a link to somewhere else"
                    )
        return folder


def _found(folder: Path, root: Path, file: str, depth: int) -> Iterator[str]:
    """Names of the folders that hold a file, at most so many folders deep."""
    try:
        entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError:
        return
    for entry in entries:
        if not is_text(entry.name):
            continue  # no client could name it
        path = Path(entry.path)
        if not entry.is_dir() or (entry.is_symlink() and not _inside(path, root)):
            continue
        if (path / file).is_file():
            yield path.relative_to(root).as_posix()
        elif depth > 1 and not (path / MANIFEST).is_file():
            yield from _found(path, root, file, depth - 1)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as a name that no file may have
        return False


def _inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root)


def _there(names: Sequence[str]) -> str:
    if not names:
        return "there are none yet"
    more = f" and {len(names) - _NAMED:,} more; list_runs lists all" if len(names) > _NAMED else ""
    return f"there are {', '.join(names[:_NAMED])}{more}"
