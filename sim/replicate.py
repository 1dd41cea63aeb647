"""Run a scenario with many seeds: one process per core, one folder per run.

The engine of sweeps executes the runs. In the folder of an arm, `rows/` contains the status of each
run, and `failures/` the errors.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from memopolis.sim.arms import replicate_name
from memopolis.sim.errors import ParameterError, ReplicationError, RunFolderError
from memopolis.sim.executors.named import check_executor
from memopolis.sim.progress import RunProgress
from memopolis.sim.run_folder.folder import remove_run
from memopolis.sim.run_folder.integrity import check_files
from memopolis.sim.run_folder.manifest import (
    check_manifest,
    class_name,
    read_content,
    run_populations,
)
from memopolis.sim.run_size import check_sizes
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.sweep.engine import execute_runs
from memopolis.sim.sweep.rows import RunRow, is_claimed, make_rows, read_row, write_row
from memopolis.sim.sweep.sampling import MOST_RUNS
from memopolis.sim.sweep.serialized import serialize_scenario
from memopolis.sim.sweep.worker import RunTask
from memopolis.sim.threads import usable_cores


def replicate(
    scenario: type[Society[Any]] | str,
    settings: Settings | Mapping[str, object] | None = None,
    *,
    seeds: Iterable[int],
    folder: str | Path,
    workers: int | None = None,
    progress: RunProgress | None = None,
    force: bool = False,
) -> list[Path]:
    """Run a scenario with many seeds; return the folders of the runs, in the order of the seeds.

    In a script, call this below `if __name__ == "__main__":`, since other processes import the
    script.

    Args:
        scenario: Class of the society, or its name as in `memopolis run`.
        settings: Its settings, or changes to the defaults by name; runs use one thread.
        seeds: Random seeds, one run each, in a folder such as `seed-00007`.
        folder: Folder of the runs. Finished runs with the same settings are kept; unfinished ones
            are repeated.
        workers: Number of processes, >= 1; None for the number of cores.
        progress: Called after each run with the numbers of runs succeeded, failed and in total.
        force: Whether to run even if the workers may need more memory than is available.

    Raises:
        RunFolderError: If a folder contains other files, or cannot be written.
        ReplicationError: If processes were killed or runs failed; the others are kept.
    """
    only = {Path(folder): settings or {}}
    (made,) = replicate_arms(
        scenario, only, seeds=seeds, workers=workers, progress=progress, force=force
    ).values()
    return made


def replicate_arms(
    scenario: type[Society[Any]] | str,
    arms: Mapping[Path, Settings | Mapping[str, object]],
    *,
    seeds: Iterable[int],
    workers: int | None = None,
    progress: RunProgress | None = None,
    force: bool = False,
    checked: Callable[[], None] | None = None,
) -> dict[Path, list[Path]]:
    """Run several arms of a scenario with the same seeds, in the same processes.

    `arms` are settings, or changes to the defaults, by folder of the arm; `checked` is called once
    the runs are known to fit, before the first file is written. Returns the folders of the runs by
    folder of the arm, in the order of the seeds.
    """
    known = find_scenario(scenario) if isinstance(scenario, str) else scenario
    options = {
        folder: settings_of(known, settings).with_changes({"threads": 1})
        for folder, settings in arms.items()
    }
    chosen = _checked(seeds)
    check_executor("processes", workers)
    runs = min(workers or usable_cores(), len(options) * len(chosen))
    check_sizes(known, options.values(), runs=runs, force=force)
    if checked is not None:
        checked()
    reference = serialize_scenario(known)
    folders = {arm: [arm.resolve() / replicate_name(seed) for seed in chosen] for arm in options}
    tasks = [
        RunTask(folder.name, str(arm.resolve()), str(folder), reference, own, seed)
        for arm, own in ((arm, settings.model_dump_json()) for arm, settings in options.items())
        for seed, folder in zip(chosen, folders[arm], strict=True)
    ]
    not_done = [task for task in tasks if not _is_done(task, known)]
    for arm in options:
        make_rows(arm)
    for task in not_done:
        if read_row(task.sweep, task.run).status == "succeeded":  # its folder was removed
            write_row(task.sweep, task.run, RunRow())
    execute_runs(tasks, workers=workers, retry_failed=True, progress=progress)
    _refuse_failed(tasks)
    return folders


def settings_of(
    scenario: type[Society[Any]], values: Settings | Mapping[str, object] | None
) -> Settings:
    """Return complete settings unchanged, or the defaults of a scenario with changes."""
    return (
        values
        if isinstance(values, Settings)
        else scenario.settings_class().with_changes(values or {})
    )


def listed(seeds: Iterable[int]) -> list[int]:
    """Return seeds as a list. Raises ParameterError if there are more than a sweep has runs."""
    chosen = [int(seed) for seed in islice(seeds, MOST_RUNS + 1)]
    if len(chosen) > MOST_RUNS:
        raise ParameterError(f"there are more than {MOST_RUNS:,} seeds; take fewer replications")
    return chosen


def _checked(seeds: Iterable[int]) -> list[int]:
    chosen = listed(seeds)
    if not chosen or min(chosen) < 0 or len(set(chosen)) != len(chosen):
        raise ParameterError(
            f"seeds are {chosen}; at least one is needed, and each must be a different whole "
            "number of at least 0"
        )
    return chosen


def _is_done(task: RunTask, scenario: type[Society[Any]]) -> bool:
    """Check for a finished run with the same settings; remove an unfinished run with others."""
    folder = Path(task.folder)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return False
    try:
        manifest = read_content(folder)
    except RunFolderError:
        raise RunFolderError(f"{folder} is not a run; name another folder or remove it") from None
    status, made_by = manifest["status"], manifest["versions"].get("memopolis", "unknown")
    recorded = [class_name(manifest), manifest["seed"], manifest["settings"]]
    same = recorded == [scenario.__name__, task.seed, json.loads(task.settings)]
    if status != "succeeded":
        if not same and not is_claimed(task.sweep, task.run):
            remove_run(folder, run_populations(folder))
        return False
    if not same:
        raise RunFolderError(
            f"{folder} contains a run with other settings; name another folder or remove it"
        )
    if made_by != version("memopolis"):
        raise RunFolderError(f"{folder} was made by Memopolis {made_by}; name another folder")
    check_manifest(folder)
    check_files(folder, manifest)
    return True


def _refuse_failed(tasks: Sequence[RunTask]) -> None:
    """Raise a ReplicationError that names the runs that failed, if any did."""
    rows = [(task, read_row(task.sweep, task.run)) for task in tasks]
    failed = [
        f"{Path(task.sweep).name}/{task.run}: {row.error}"
        for task, row in rows
        if row.status == "failed"
    ]
    if failed:
        raise ReplicationError(
            f"{len(failed)} of {len(tasks)} runs did not finish ({'; '.join(sorted(failed))}); the "
            f"others are kept: call replicate again to repeat the failed ones"
        )
