"""A cache of loaded runs and restored agents."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from memopolis.analysis.interview.restored_agent import RestoredAgent, restore_agent
from memopolis.analysis.run.load import checkpointed_step, load_run
from memopolis.analysis.run.run import Run
from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.sim.errors import ParameterError
from memopolis.sim.run_folder.folder import is_owned
from memopolis.sim.run_folder.manifest import MANIFEST

RUNS, RESPONDENTS = 3, 8
"""Maximum number of cached entries."""


class Kept[T]:
    """A thread-safe cache of the most recently used values.

    Args:
        most: Maximum number of values.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a cached value, or create it; concurrent callers may both create it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            kept = self._values.setdefault(key, made)
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return kept


class OpenRuns:
    """The runs and agents that the tools read.

    Args:
        folder: The folder of the runs.
        mind: Settings of the mind that answers interviews; none for the rule mind.

    Attributes:
        folder: The folder of the runs.
        mind: Settings of the mind that answers interviews.
    """

    def __init__(self, folder: RunsFolder, mind: Mapping[str, object]) -> None:
        self.folder = folder
        self.mind = dict(mind)
        self._runs: Kept[Run] = Kept(RUNS)
        self._asked: Kept[RestoredAgent] = Kept(RESPONDENTS)

    def run(self, name: str, step: int | None = None) -> Run:
        """A run, or as it stood after so many steps; one that has not ended, as far as it is read.

        Args:
            name: Of the run, "" for the only one.
            step: Steps after which it is looked at; None for its end.

        Raises:
            UnknownNameError: If there is no such run.
            ParameterError: If it has fewer steps.
            RunFolderError: If it is broken, or has not ended and has no checkpoint yet.
        """
        folder = self.folder.folder_of(name)
        run = self._runs.get((folder, _stamp(folder)), lambda: load_run(folder, so_far=True))
        if step is None:
            return run
        if step > run.ticks:
            raise ParameterError(
                f"step is {step:,}; run {folder.name!r} can be read after 0 to {run.ticks:,} steps"
            )
        return run.until(step)

    def restored_agent(self, name: str, agent: int, step: int | None = None) -> RestoredAgent:
        """Return a restored agent of a run; raises what `run` and `restore_agent` raise."""
        run = self.run(name, step)
        key = (run.folder, _stamp(run.folder), agent, step)
        return self._asked.get(key, lambda: restore_agent(run, agent, self.mind))


def note_of(run: Run) -> str:
    """Describe up to which step an unfinished run is read; "" for a finished run."""
    if run.status != "running":
        return ""
    killed = "was killed (`memopolis resume` continues it)"
    how = "is running" if is_owned(run.folder) else killed
    return f"{run.folder.name} {how}: read as of step {run.ticks:,}"


def check_steps(run: Run, **steps: int | None) -> None:
    """Reject steps that a run does not have.

    Args:
        run: The run.
        **steps: Numbers of steps from 0, by the names of the arguments; None for none.

    Raises:
        ParameterError: If one is after the last step.
    """
    for name, step in steps.items():
        if step is not None and step >= run.ticks:
            raise ParameterError(
                f"{name} is {step:,}; run {run.folder.name!r} has the steps 0 to {run.ticks - 1:,}"
            )


def status_of(folder: Path, status: str) -> str:
    """Return the status of a run; a running one without a process was killed."""
    return "killed" if status == "running" and not is_owned(folder) else status


def _stamp(folder: Path) -> tuple[Any, ...]:
    """Changes when a run makes progress."""
    file_stat = (folder / MANIFEST).stat()
    return file_stat.st_mtime_ns, file_stat.st_size, checkpointed_step(folder)
