"""A cache of loaded runs and restored agents."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from memopolis.analysis.interview.restored_agent import RestoredAgent, restore_agent
from memopolis.analysis.run.opening import checkpointed_step
from memopolis.analysis.run.run import Run, load_run
from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.sim.errors import ParameterError
from memopolis.sim.run_folder.folder import is_owned
from memopolis.sim.run_folder.manifest import MANIFEST

MOST_RUNS, MOST_AGENTS = 3, 8  # maximum number of cached runs and restored agents

type Stamp = tuple[int | None, ...]
"""Key of the state of a run's folder."""


class OpenRuns:
    """The runs and agents that the tools read; `mind` are settings of the mind for interviews."""

    def __init__(self, folder: RunsFolder, mind: Mapping[str, object]) -> None:
        self.folder = folder
        self.mind = dict(mind)
        # The stamp of a folder is part of the keys, so that a run is read again when it grows.
        self._load = lru_cache(MOST_RUNS)(lambda folder, _: load_run(folder, so_far=True))
        self._restore = lru_cache(MOST_AGENTS)(
            lambda name, agent, step, _: restore_agent(self.run(name, step), agent, self.mind)
        )

    def run(self, name: str, step: int | None = None) -> Run:
        """Return a run after a number of steps; an unfinished run up to its newest checkpoint.

        Raises:
            UnknownNameError: If the run does not exist.
            ParameterError: If the run has fewer steps.
            RunFolderError: If it is damaged, or has not ended and has no checkpoint yet.
        """
        folder = self.folder.folder_of(name)
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
        folder = self.run(name, step).folder
        return self._restore(name, agent, step, _stamp(folder))


def _stamp(folder: Path) -> Stamp:
    """Return a key that changes whenever a run makes progress."""
    file_stat = (folder / MANIFEST).stat()
    return file_stat.st_mtime_ns, file_stat.st_size, checkpointed_step(folder)


class Tools:
    """Tools that read runs."""

    def __init__(self, runs: OpenRuns) -> None:
        self._runs = runs


def note_of(run: Run) -> str:
    """Describe up to which step an unfinished run is read; "" for a finished run."""
    if run.status != "running":
        return ""
    killed = "was killed (`memopolis resume` continues it)"
    how = "is running" if is_owned(run.folder) else killed
    return f"{run.folder.name} {how}: read as of step {run.ticks:,}"


def check_steps(run: Run, **steps: int | None) -> None:
    """Raise a ParameterError if a step is after the last one of a run."""
    for name, step in steps.items():
        if step is not None and step >= run.ticks:
            raise ParameterError(
                f"{name} is {step:,}; run {run.folder.name!r} has the steps 0 to {run.ticks - 1:,}"
            )


def status_of(folder: Path, status: str) -> str:
    """Return the status of a run; a running one without a process was killed."""
    return "killed" if status == "running" and not is_owned(folder) else status
