"""Many seeds of one scenario: one process a core, one folder a run.

A process takes one run after the other, so that imports are paid once. Each process is a
pool of its own: one that is killed takes only its own run with it.
"""

import gc
import json
import os
import shutil
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from memopolis.sim.errors import MemopolisError, ParameterError, ReplicationError, RunFolderError
from memopolis.sim.scenario_names import find_scenario, reference_to
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

type Finished = Callable[[int, int], None]
"""Told after each run how many are done, and of how many."""

# Read by the libraries when they are first imported, hence set before a process starts.
_ONE_THREAD = dict.fromkeys(
    ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


def replicate(
    scenario: type[Society[Any]] | str,
    settings: Settings | Mapping[str, object] | None = None,
    *,
    seeds: Iterable[int],
    folder: str | Path,
    workers: int | None = None,
    progress: Finished | None = None,
) -> list[Path]:
    """Run a scenario with many seeds.

    In a script, call this below `if __name__ == "__main__":`, since other processes read the
    script too.

    Args:
        scenario: A society's class, or its name as `memopolis run` takes it.
        settings: Its settings, or changes to the defaults by name; they run on one thread.
        seeds: Each gives one run, in a folder such as `seed-00007`.
        folder: Where the runs' folders go. Finished runs of the same settings that lie there
            are kept; a run that did not finish is made again.
        workers: Processes, >= 1; None for as many as cores.
        progress: Told of each run that is done.

    Returns:
        The folders of the runs, in the order of the seeds.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
        ParameterError: If a seed comes twice or is negative, or `workers` is below 1.
        RunFolderError: If a folder holds something else, or cannot be written.
        ReplicationError: If processes were killed or runs failed; the others are kept.
    """
    only = {Path(folder): settings or {}}
    (made,) = replicate_arms(
        scenario, only, seeds=seeds, workers=workers, progress=progress
    ).values()
    return made


def replicate_arms(
    scenario: type[Society[Any]] | str,
    arms: Mapping[Path, Settings | Mapping[str, object]],
    *,
    seeds: Iterable[int],
    workers: int | None = None,
    progress: Finished | None = None,
) -> dict[Path, list[Path]]:
    """Run several arms of a scenario with the same seeds, on the same processes.

    Args:
        scenario: A society's class, or its name as `memopolis run` takes it.
        arms: Settings of each arm, or changes to the defaults by name, by the folder in which
            the arm's runs go.
        seeds: Each gives one run of every arm.
        workers: Processes, >= 1; None for as many as cores.
        progress: Told of each run that is done.

    Returns:
        The folders of the runs by the arm's, in the order of the seeds.

    Raises:
        MemopolisError: As `replicate`.
    """
    known = find_scenario(scenario) if isinstance(scenario, str) else scenario
    told = {
        folder: settings_of(known, settings).with_changes({"threads": 1})
        for folder, settings in arms.items()
    }
    chosen = _checked(seeds)
    if workers is not None and workers < 1:
        raise ParameterError(f"workers is {workers}; at least 1 is needed")
    reference = reference_to(known)
    folders = {arm: [arm.resolve() / f"seed-{seed:05}" for seed in chosen] for arm in told}
    tasks = [
        _Task(reference, settings.model_dump_json(), seed, str(folder))
        for arm, settings in told.items()
        for seed, folder in zip(chosen, folders[arm], strict=True)
        if not _is_done(folder, known, settings, seed)
    ]
    told_of = progress if progress is not None else _nobody
    total = len(told) * len(chosen)
    told_of(total - len(tasks), total)
    _run_all(tasks, workers or usable_cores(), told_of, total)
    return folders


def settings_of(
    scenario: type[Society[Any]], given: Settings | Mapping[str, object] | None
) -> Settings:
    """Settings as they are given, or a scenario's defaults with the changes that are.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
    """
    return (
        given
        if isinstance(given, Settings)
        else scenario.settings_class().with_changes(given or {})
    )


def usable_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _checked(seeds: Iterable[int]) -> list[int]:
    chosen = [int(seed) for seed in seeds]
    if not chosen or min(chosen) < 0 or len(set(chosen)) != len(chosen):
        raise ParameterError(
            f"seeds are {chosen}; at least one is needed, each another whole number of 0 or more"
        )
    return chosen


def _nobody(done: int, total: int) -> None:
    """Tell nobody."""


def _is_done(folder: Path, scenario: type[Society[Any]], settings: Settings, seed: int) -> bool:
    """Whether a finished run of just this lies there; what is left of another is removed."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return False
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        status, made_by = manifest["status"], manifest["versions"]["memopolis"]
        found = [manifest[name] for name in ("title", "seed", "settings")]
    except (OSError, ValueError, KeyError, TypeError):
        raise RunFolderError(f"{folder} is no run; name another folder or remove it") from None
    if status != "succeeded":
        shutil.rmtree(folder)
        return False
    if found != [scenario.__name__, seed, json.loads(settings.model_dump_json())]:
        raise RunFolderError(
            f"{folder} holds a run of other settings; name another folder or remove it"
        )
    if made_by != version("memopolis"):
        raise RunFolderError(f"{folder} was made by Memopolis {made_by}; name another folder")
    return True


class _Task(NamedTuple):
    """One run: what another process needs to make it."""

    reference: str
    settings: str
    seed: int
    folder: str

    @property
    def name(self) -> str:
        """How messages name it: by the folders of its arm and its own."""
        return "/".join(Path(self.folder).parts[-2:])


def _run_all(tasks: Sequence[_Task], workers: int, told_of: Finished, total: int) -> None:
    waiting = deque(tasks)
    failed: list[str] = []
    running: dict[Future[None], tuple[_Task, ProcessPoolExecutor]] = {}
    idle: list[ProcessPoolExecutor] = []
    with _processes() as make:
        while waiting or running:
            while waiting and len(running) < workers:
                task = waiting.popleft()
                process = idle.pop() if idle else make()
                running[process.submit(_run_one, *task)] = (task, process)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task, process = running.pop(future)
                problem = _problem(future)
                if problem:
                    failed.append(f"{task.name}: {problem}")
                if not isinstance(future.exception(), BrokenProcessPool):
                    idle.append(process)
                told_of(total - len(waiting) - len(running), total)
    if failed:
        raise ReplicationError(
            f"{len(failed)} of {total} runs did not finish ({'; '.join(sorted(failed))}); the "
            f"others are kept: call replicate again for those that lack"
        )


def _problem(future: "Future[None]") -> str:
    """What a run failed of, "" for nothing; what would stop every run stops all at once."""
    error = future.exception()
    match error:
        case None:
            return ""
        case MemopolisError() | KeyboardInterrupt():
            raise error
        case BrokenProcessPool():
            return "its process was killed, perhaps for lack of memory"
        case _:
            return f"{type(error).__name__}: {error}"


@contextmanager
def _processes() -> Iterator[Callable[[], ProcessPoolExecutor]]:
    """Give what makes processes; in the end all of them are shut down."""
    made: list[ProcessPoolExecutor] = []

    def make() -> ProcessPoolExecutor:
        process = ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_ignore_interrupts
        )
        made.append(process)
        return process

    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        yield make
    finally:
        for process in made:
            process.shutdown(cancel_futures=True)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _ignore_interrupts() -> None:
    """Between two runs, leave it to the first process to hear a ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_one(reference: str, settings: str, seed: int, folder: str) -> None:
    # During a run a ctrl-C is heard, so that its manifest says that it was interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        scenario = find_scenario(reference)
        society = scenario(scenario.settings_class(**json.loads(settings)), rng=seed)
        society.run(folder)
    finally:
        _ignore_interrupts()
        # A model is a cycle of references; without this the next run stands beside it.
        society = None  # type: ignore[assignment]
        gc.collect()
