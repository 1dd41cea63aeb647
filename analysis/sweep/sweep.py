"""Run a sweep: all runs of a design."""

from concurrent.futures import Executor
from pathlib import Path

from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.executors.named import check_executor
from memopolis.sim.progress import RunProgress
from memopolis.sim.run_size import check_sizes
from memopolis.sim.sweep.design import Design, PlannedRun
from memopolis.sim.sweep.engine import execute_runs
from memopolis.sim.sweep.rows import make_rows
from memopolis.sim.sweep.saved_design import DESIGN, read_design, write_design
from memopolis.sim.sweep.serialized import serialize_scenario
from memopolis.sim.sweep.worker import RunTask
from memopolis.sim.threads import usable_cores


def sweep(
    design: Design,
    folder: str | Path,
    *,
    executor: Executor | str = "processes",
    workers: int | None = None,
    retry_failed: bool = False,
    shard: tuple[int, int] | None = None,
    progress: RunProgress | None = None,
    force: bool = False,
) -> SweepResults:
    """Execute the runs of a design, and read their results.

    Existing runs in the folder are reused, killed runs continue from their last checkpoint, and a
    failed run is a row of the results with its error. The same call continues an interrupted
    sweep, also with an edited design. Concurrent calls, also on other machines that share the
    folder, divide the runs among them.

    In a script, call this below `if __name__ == "__main__":`, since other processes import the
    script, too. Returns the results, including those of earlier runs.

    Args:
        design: The design.
        folder: Folder of the sweep.
        executor: "processes" on this machine; "dask" or "ray" for their own on this machine,
            "dask=ADDRESS" or "ray=ADDRESS" for a cluster; or any executor of
            `concurrent.futures`, which is not shut down.
        workers: Number of processes, >= 1; None for one per core.
        retry_failed: Whether to retry runs that failed before.
        shard: Part of the runs to execute, (2, 8) for the second of eight; None for all.
        progress: Called after each run with the numbers of succeeded, failed and all runs.
        force: Whether to run even if the workers may need more memory than this machine has.

    Raises:
        MemopolisError: If the design is impossible, the folder contains something else or cannot
            be written, or the executor fails. Finished runs are kept.
        KeyboardInterrupt: If the user stopped it; finished runs are kept.
    """
    check_executor(executor, workers)
    planned = design.planned()
    home = Path(folder).resolve()
    if isinstance(executor, str) and "=" not in executor:  # other executors may use other machines
        runs = min(workers or usable_cores(), len(planned))
        check_sizes(design.society, (run.settings for run in planned), runs=runs, force=force)
    tasks = _tasks(design, planned, home)
    if shard is not None:
        number, of = shard
        if not 1 <= number <= of:
            raise ParameterError(
                f"shard is {number}/{of}; the first of 8 is 1/8 and the last is 8/8"
            )
        tasks = tasks[number - 1 :: of]
    _check_folder(home, design)
    make_rows(home)
    write_design(home, design, planned)
    execute_runs(
        tasks, executor=executor, workers=workers, retry_failed=retry_failed, progress=progress
    )
    results = load_sweep(folder)
    results.save()
    return results


def _tasks(design: Design, planned: list[PlannedRun], home: Path) -> list[RunTask]:
    """Return one task per run; points with equal settings share their runs."""
    scenario, outcomes = serialize_scenario(design.society), tuple(design.taken())
    runs = {run.name: run for run in planned}
    texts: dict[int, str] = {}
    for run in runs.values():
        texts.setdefault(id(run.settings), run.settings.model_dump_json())
    return [
        RunTask(
            run.name,
            str(home),
            str(home / "runs" / run.name),
            scenario,
            texts[id(run.settings)],
            run.seed,
            outcomes,
        )
        for run in runs.values()
    ]


def _check_folder(home: Path, design: Design) -> None:
    """Refuse a folder that contains anything but a sweep of this scenario."""
    if home.exists() and not home.is_dir():
        raise RunFolderError(f"{home} is a file, not a folder")
    if (home / DESIGN).exists():
        title = read_design(home).title
        if title != design.society.title:
            raise RunFolderError(
                f"{home} contains a sweep of {title}, not of {design.society.title}; "
                "choose another folder"
            )
    elif home.is_dir() and any(not path.name.startswith(".") for path in home.iterdir()):
        raise RunFolderError(f"{home} contains files but no sweep; choose an empty or new folder")
