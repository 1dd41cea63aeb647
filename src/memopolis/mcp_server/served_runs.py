"""The runs that a server may read: all runs below one folder, by name, and a cache of them."""

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import count
from pathlib import Path, PurePosixPath

from memopolis.analysis.interview.restored_agent import RestoredAgent, restore_agent
from memopolis.analysis.run.opening import checkpointed_step
from memopolis.analysis.run.run import Run, load_run
from memopolis.mcp_server.answers import is_text
from memopolis.mcp_server.arguments import NAME
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError, did_you_mean
from memopolis.sim.run_folder.folder import is_owned
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.sweep.saved_design import DESIGN

DEEPEST = 3  # maximum depth of a run below the served folder, such as 3 for SWEEP/runs/RUN
MOST_RUNS, MOST_AGENTS = 3, 8  # maximum number of cached runs and restored agents
_NAMED = 10


class ServedRuns:
    """Runs by name: the path of their folder below the served folder `root`, with links resolved.

    `place` is the folder of runs and sweeps; or of one run, which is then served `alone`, with
    those that were created next to it since. `mind` are settings of the mind for interviews.
    Raises RunFolderError if the folder does not exist.
    """

    def __init__(self, place: Path, mind: Mapping[str, object] | None = None) -> None:
        if not place.is_dir():
            raise RunFolderError(f"there is no folder {place}; name a run, or a folder of runs")
        place = place.resolve()
        self.alone = (place / MANIFEST).is_file()
        self.root = place.parent if self.alone else place
        self._only = {place.name} if self.alone else set()
        # The stamp of a folder is part of the keys, so that a run is read again when it grows.
        self._load = lru_cache(MOST_RUNS)(lambda folder, _: load_run(folder, so_far=True))
        self._restore = lru_cache(MOST_AGENTS)(
            lambda name, agent, step, _: restore_agent(self.run(name, step), agent, mind)
        )

    def run(self, name: str, step: int | None = None) -> Run:
        """Return a run after a number of steps; an unfinished run up to its newest checkpoint.

        Raises:
            UnknownNameError: If the run does not exist.
            ParameterError: If the run has fewer steps.
            RunFolderError: If it is damaged, or has not ended and has no checkpoint yet.
        """
        folder = self.folder_of(name)
        run = self._load(folder, _stamp(folder))
        if step is None:
            return run
        if step > run.ticks:
            raise ParameterError(
                f"step is {step:,}; run {folder.name!r} can be read after 0 to {run.ticks:,} steps"
            )
        return run.until(step)

    def restored_agent(self, name: str, agent: int, step: int | None = None) -> RestoredAgent:
        """Return a restored agent of a run; raises what `run` and `restore_agent` raise."""
        return self._restore(name, agent, step, _stamp(self.run(name, step).folder))

    def names(self) -> list[str]:
        """Return the names of all existing runs, sorted."""
        return sorted(self._only if self.alone else _find(self.root, self.root, MANIFEST, DEEPEST))

    def sweeps(self) -> list[str]:
        """Return the names of the sweeps, sorted; "." if the folder itself is one."""
        if self.alone:
            return []
        inside = _find(self.root, self.root, DESIGN, DEEPEST - 1)
        return sorted([*(["."] if (self.root / DESIGN).is_file() else []), *inside])

    def name_of(self, typed: str) -> str:
        """Return the name of a run as it is listed; "" selects the only run."""
        name = PurePosixPath(typed).as_posix()
        if typed and self._is_run(name):
            return name
        names = self.names()
        if not typed and len(names) == 1:
            return names[0]
        shown = f"there are {', '.join(names[:_NAMED])}" if names else "there are none yet"
        if len(names) > _NAMED:
            shown += f" and {len(names) - _NAMED:,} more; list_runs lists all"
        if not typed:
            raise UnknownNameError(f"name a run; {shown}")
        short = typed if len(typed) <= 80 else f"{typed[:80]}..."
        near = did_you_mean(typed[:80], names)
        raise UnknownNameError(f"there is no run {short!r} here; {near}{shown}")

    def _is_run(self, name: str) -> bool:
        """Return whether a name is that of a served run, without opening other folders."""
        if self.alone:
            return name in self._only
        parts = PurePosixPath(name).parts
        # A hidden folder is not served, and "..", too, begins with a dot.
        if len(parts) > DEEPEST or any(part.startswith((".", "/")) for part in parts):
            return False
        target = self.root / name / MANIFEST
        is_file = os.path.isfile(target)  # noqa: PTH113 - False also for an impossible name
        return is_file and target.resolve().is_relative_to(self.root)

    def folder_of(self, typed: str) -> Path:
        """Return the folder of a run; refuse links in it that lead out of the served folder."""
        return self._checked(self.name_of(typed))

    def tables_of(self, typed: str) -> Path:
        """Return the folder of a run or a sweep; links as for `folder_of`."""
        return self._checked(typed) if typed in self.sweeps() else self.folder_of(typed)

    def new_folder(self, name: str, base: str) -> Path:
        """Return the folder of a new run; without a name, the first free of base-1, base-2, ...

        Raises RunFolderError if the name has other characters than those of a run, or exists.
        """
        if not name:
            numbered = (f"{base}-{number}" for number in count(1))
            name = next(free for free in numbered if not os.path.lexists(self.root / free))
        if not re.fullmatch(NAME, name):
            raise RunFolderError(f"{name!r} cannot name a run; use letters, digits, ., _ and -")
        if os.path.lexists(self.root / name):
            raise RunFolderError(f"{name!r} already exists; choose another name")
        return self.root / name

    def add(self, name: str) -> None:
        """Also serve a run that was created next to the only one."""
        self._only.add(name)

    def _checked(self, name: str) -> Path:
        folder = self.root / name
        for above, folders, files in os.walk(folder):
            for entry in (*folders, *files):
                path = Path(above, entry)
                if _leads_out(path, self.root):
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
        path = Path(entry.path)
        # A client cannot name a file whose name is not valid text.
        if not is_text(entry.name) or not entry.is_dir() or _leads_out(path, root):
            continue
        if (path / file).is_file():
            if not _leads_out(path / file, root):
                yield path.relative_to(root).as_posix()
        elif depth > 1 and not (path / MANIFEST).is_file():
            yield from _find(path, root, file, depth - 1)


def _leads_out(path: Path, root: Path) -> bool:
    """Return whether a path is a link to somewhere outside a folder."""
    return path.is_symlink() and not path.resolve().is_relative_to(root)


def _stamp(folder: Path) -> tuple[int | None, ...]:
    """Return a key that changes whenever a run makes progress."""
    file_stat = (folder / MANIFEST).stat()
    return file_stat.st_mtime_ns, file_stat.st_size, checkpointed_step(folder)


def note_of(run: Run) -> str:
    """Describe up to which step an unfinished run is read; "" for a finished run."""
    if run.status != "running":
        return ""
    killed = "was killed (`memopolis resume` continues it)"
    how = "is running" if is_owned(run.folder) else killed
    return f"{run.folder.name} {how}: read as of step {run.ticks:,}"
