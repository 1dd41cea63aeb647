"""The runs that a server may read: all runs below one folder, by name."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from memopolis.mcp_server.paging import is_text
from memopolis.sim.errors import RunFolderError, UnknownNameError, did_you_mean
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.sweep.saved_design import DESIGN

DEEPEST = 3  # maximum depth of a run below the served folder, such as 3 for SWEEP/runs/RUN
_LONGEST_NAME = 400
_NAMED = 10


class RunsFolder:
    """Runs by name: the path of their folder below the served folder `root`, with links resolved.

    `place` is the folder of runs and sweeps; or of one run, which is then served `alone`, with
    those that were created next to it since. Raises RunFolderError if the folder does not exist.
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
        return sorted(_find(self.root, self.root, MANIFEST, DEEPEST))

    def sweeps(self) -> list[str]:
        """Return the names of the sweeps, sorted; "." if the folder itself is one."""
        if self.alone:
            return []
        inside = _find(self.root, self.root, DESIGN, DEEPEST - 1)
        return sorted([*(["."] if (self.root / DESIGN).is_file() else []), *inside])

    def name_of(self, typed: str) -> str:
        """Return the name of a run as it is listed; "" selects the only run."""
        if typed:
            return self._checked(typed, MANIFEST)
        names = self.names()
        if len(names) != 1:
            raise UnknownNameError(f"name a run; {_available(names)}")
        return names[0]

    def folder_of(self, typed: str) -> Path:
        """Return the folder of a run; refuse links in it that lead out of the served folder."""
        name = self.name_of(typed)
        return self._own(self.root / name, name)

    def tables_of(self, typed: str) -> Path:
        """Return the folder of a run or a sweep; links as for `folder_of`."""
        if typed in self.sweeps():
            return self._own(self.root / typed, typed)
        return self.folder_of(typed)

    def new_folder(self, name: str) -> Path:
        """Return the folder of a new run.

        Raises RunFolderError if the name has other characters than letters, digits, ., _ and -, is
        too long, or already exists.
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
        if (
            plain
            and not path.is_absolute()
            and ".." not in path.parts
            and (not self.alone or name in self._only)
        ):
            target = self.root / name / file
            if path.parts and _is_file(target) and _inside(target, self.root):
                return name
        names = self.names()
        shown = typed if len(typed) <= 80 else f"{typed[:80]}..."
        raise UnknownNameError(
            f"there is no run {shown!r} here; {did_you_mean(typed[:80], names)}{_available(names)}"
        )

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


def _find(folder: Path, root: Path, file: str, depth: int) -> Iterator[str]:
    """Yield the names of folders that contain a file, down to a maximum depth."""
    try:
        entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError:
        return
    for entry in entries:
        if not is_text(entry.name):
            continue  # a client cannot name it
        path = Path(entry.path)
        if not entry.is_dir() or (entry.is_symlink() and not _inside(path, root)):
            continue
        if (path / file).is_file():
            yield path.relative_to(root).as_posix()
        elif depth > 1 and not (path / MANIFEST).is_file():
            yield from _find(path, root, file, depth - 1)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as a name that is not allowed
        return False


def _inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root)


def _available(names: Sequence[str]) -> str:
    if not names:
        return "there are none yet"
    more = f" and {len(names) - _NAMED:,} more; list_runs lists all" if len(names) > _NAMED else ""
    return f"there are {', '.join(names[:_NAMED])}{more}"
