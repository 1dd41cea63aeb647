"""Many runs of one scenario, as a design asks for them: made, kept, and read."""

from concurrent.futures import Executor
from pathlib import Path

from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.sim.errors import RunFolderError
from memopolis.sim.run_size import check_sizes
from memopolis.sim.sweep.carried import carried
from memopolis.sim.sweep.design import Design, PlannedRun
from memopolis.sim.sweep.design_kept import DESIGN, read_design, write_design
from memopolis.sim.sweep.engine import Progress, carry_out, make_ledger
from memopolis.sim.sweep.executors.named import check_executor, usable_cores
from memopolis.sim.sweep.shard import Shard
from memopolis.sim.sweep.worker import RunTask


def sweep(
    design: Design,
    folder: str | Path,
    *,
    executor: Executor | str = "processes",
    workers: int | None = None,
    retry_failed: bool = False,
    shard: tuple[int, int] | None = None,
    progress: Progress | None = None,
    force: bool = False,
) -> SweepResults:
    """Make the runs of a design, and read what they came to.

    A run is made once: what lies in the folder already is kept, a run that was killed goes on
    from its last checkpoint, and one that fails is a row of the results with its error. The
    same call goes on where an earlier one stopped, also with an edited design; several calls at
    once, also of other machines that share the folder, divide the runs among them.

    In a script, call this below `if __name__ == "__main__":`, since other processes read the
    script too.

    Args:
        design: What is asked.
        folder: Of the sweep.
        executor: "processes" of this machine; "dask" or "ray" for their own on this machine,
            "dask=ADDRESS" or "ray=ADDRESS" for a cluster; or any executor of
            `concurrent.futures`, which stays open.
        workers: Processes, >= 1; None for as many as cores.
        retry_failed: Whether to retry runs that failed before.
        shard: Which share of the runs is made, (2, 8) for the second of eight; None for all.
        progress: Called after each run with the numbers of succeeded, failed and all runs.
        force: Whether to run even if the workers may need more memory than this machine has.

    Returns:
        The results, also of runs that were made before.

    Raises:
        MemopolisError: If the design is not possible, the folder holds something else or cannot
            be written, the executor cannot be opened or gives up. What was made is kept.
        KeyboardInterrupt: If the user stopped it; what was made is kept.
    """
    check_executor(executor, workers)
    share = None if shard is None else Shard.checked(*shard)
    planned = design.planned()
    home = Path(folder).resolve()
    if isinstance(executor, str) and "=" not in executor:  # else other machines have the memory
        runs = min(workers or usable_cores(), len(planned))
        check_sizes(design.society, (run.settings for run in planned), runs=runs, force=force)
    tasks = _tasks(design, planned, home)
    _check_folder(home, design)
    make_ledger(home)
    write_design(home, design, planned)
    carry_out(
        tasks if share is None else share.share(tasks),
        executor=executor,
        workers=workers,
        retry_failed=retry_failed,
        progress=progress,
    )
    results = load_sweep(folder)
    results.save()
    return results


def _tasks(design: Design, planned: list[PlannedRun], home: Path) -> list[RunTask]:
    """One task a run; points that come to the same settings share theirs."""
    scenario, outcomes = carried(design.society), tuple(design.taken())
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
    """Refuse a folder of something else.

    Raises:
        RunFolderError: If it is one.
    """
    if home.exists() and not home.is_dir():
        raise RunFolderError(f"{home} is a file, not a folder")
    if (home / DESIGN).exists():
        title = read_design(home).title
        if title != design.society.title:
            raise RunFolderError(
                f"{home} holds a sweep of {title}, this one is of {design.society.title}; name "
                f"another folder"
            )
    elif home.is_dir() and any(not path.name.startswith(".") for path in home.iterdir()):
        raise RunFolderError(f"{home} holds something else than a sweep; name another folder")
