"""Questions in SQL to the tables of a run or of a sweep, answered by DuckDB (extra `query`)."""

from pathlib import Path

import pandas as pd

from memopolis.analysis.run.load import load_run
from memopolis.analysis.run.tables import table_names
from memopolis.analysis.sql.query_process import QueryLimits, QueryWorker
from memopolis.analysis.sql.views import Select, Views, answer, check_select
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.extras import require
from memopolis.sim.recording.schema import grows_by_step
from memopolis.sim.run_folder.file_records import counts_of
from memopolis.sim.run_folder.folder import parts_of
from memopolis.sim.run_folder.intact import check_files
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.sweep.design_kept import DESIGN


def query(
    folder: str | Path,
    sql: str,
    *,
    first: int = 0,
    most: int | None = None,
    step: int | None = None,
    limits: QueryLimits | None = None,
    worker: QueryWorker | None = None,
) -> pd.DataFrame:
    """Ask the tables of a run, or of all succeeded runs of a sweep.

    Every table is a view of its name (`memories`, `agents_citizen`); what agents remember at the
    end is `memory_citizen` and so on. In a sweep each has the column `run` in front, and the view
    `runs` has one row per run: run, point, replication, seed, factors, status, outcomes.

    Args:
        folder: Of a run or of a sweep.
        sql: One question in DuckDB's SQL; it reads and changes nothing.
        first: Rows of the answer that are passed over, >= 0.
        most: Most rows wanted, >= 1; None for all.
        step: Only what was recorded of a run until after so many steps, also of one under way,
            as `load_run(folder, so_far=True)` reads it; None for all of a run that has ended.
        limits: What it may take. The question is asked in a process of its own then, which is
            ended when it takes more. None for no limits.
        worker: A process that is kept for several questions, with limits of its own, in place
            of `limits`; None for none.

    Returns:
        The answer; sums of whole numbers and whole numbers with gaps come as floats.

    Raises:
        ExtraError: If duckdb is not installed.
        RunFolderError: If there is no run that has ended, and no sweep, or a table is broken.
        UnknownNameError: If there is no view of that name.
        ParameterError: If the question cannot be read, asks several things, would change or
            read anything else, or takes too much; or a sweep is asked for a step.
    """
    folder = Path(folder).resolve()
    require("query", "duckdb", what="a question in SQL")
    select = Select(sql, first, most)
    check_select(sql)
    is_sweep = (folder / DESIGN).is_file()
    if is_sweep and step is not None:
        raise ParameterError("a step of a sweep was asked for; ask one of its runs for it")
    views = _of_sweep(folder) if is_sweep else _of_run(folder, step)
    if worker is not None:
        return worker.answer(views, select)
    if limits is not None:
        with QueryWorker(limits) as own:
            return own.answer(views, select)
    try:
        return answer(views, select)
    except MemoryError:
        raise ParameterError("the question takes more memory than there is; ask for less") from None


def _of_run(folder: Path, step: int | None) -> Views:
    """A run that has ended; or as it stood after some steps."""
    if not (folder / MANIFEST).is_file():
        raise RunFolderError(
            f"{folder} is neither the folder of a run (no {MANIFEST}) nor of a sweep (no {DESIGN})"
        )
    run = load_run(folder, so_far=step is not None)  # refuses what is broken
    if step is None:
        return Views(_files(folder))
    # What was still remembered at a moment is not known.
    counts = counts_of(check_files(folder, run.manifest))
    files = {name: parts_of(folder, name)[:count] for name, count in sorted(counts.items())}
    return Views(files, until={n: min(step, run.ticks) for n in files if grows_by_step(n)})


def _of_sweep(folder: Path) -> Views:
    """Return the succeeded runs of a sweep, and a table with one row per run."""
    from memopolis.analysis.sweep.results import load_sweep

    sweep_results = load_sweep(folder)
    runs = sweep_results.runs
    files: dict[str, list[Path]] = {}
    for run in runs.loc[runs["status"] == "succeeded", "run"].unique():
        for name, own in _files(sweep_results.folder_of(str(run))).items():
            files.setdefault(name, []).extend(own)
    return Views(files, runs)


def _files(run: Path) -> dict[str, list[Path]]:
    sweep_results = {name: parts_of(run, name) for name in table_names(run)}
    held = sorted((run / "memory").glob("*.parquet"))
    return sweep_results | {f"memory_{path.stem}": [path] for path in held}
