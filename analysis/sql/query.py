"""Query the tables of a run or of a sweep in SQL, with DuckDB (extra `query`)."""

from pathlib import Path

import pandas as pd

from memopolis.analysis.run.reader import TableReader
from memopolis.analysis.run.run import load_run
from memopolis.analysis.sql.query_process import QueryLimits, QueryWorker
from memopolis.analysis.sql.views import Select, Views, answer, check_select
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.extras import require
from memopolis.sim.recording.schema import grows_by_step
from memopolis.sim.run_folder.manifest import MANIFEST
from memopolis.sim.sweep.saved_design import DESIGN


def query(
    folder: str | Path,
    sql: str,
    *,
    most: int | None = None,
    count: bool = False,
    step: int | None = None,
    limits: QueryLimits | None = None,
    worker: QueryWorker | None = None,
) -> pd.DataFrame:
    """Query the tables of a run, or of all succeeded runs of a sweep, in SQL.

    Every table is a view of its name (`memories`, `agents_citizen`). The memories that agents hold
    at the end are `memory_citizen` and so on. In a sweep, each view starts with the column `run`,
    and the view `runs` has a row per run: run, point, replication, seed, factors, status, outcomes.
    Returns the result; sums of whole numbers and whole numbers with missing values are floats.

    Args:
        folder: Folder of a run or of a sweep.
        sql: One query in DuckDB's SQL; it cannot change anything.
        most: Maximum number of rows, >= 1; None for all.
        count: Whether to return the number of all rows, in the column `rows`, in place of the rows.
        step: Include only what was recorded before this step, also of a run in progress, see
            `load_run(folder, so_far=True)`; None for all of a run that has ended.
        limits: Limits of time, memory and size. The query then runs in another process, which is
            ended when it exceeds one. None for no limits.
        worker: A process that is reused for several queries, with limits of its own, in place
            of `limits`; None for none.

    Raises:
        ExtraError: If duckdb is not installed.
        RunFolderError: If the folder has no run that has ended and no sweep, or a table is broken.
        UnknownNameError: If there is no view of that name.
        ParameterError: If the SQL is wrong, has several statements, would change something, reads
            other files or exceeds a limit; or a step of a sweep is requested.
    """
    folder = Path(folder).resolve()
    require("query", "duckdb", what="a query in SQL")
    select = Select(sql, most, count)
    check_select(sql)
    is_sweep = (folder / DESIGN).is_file()
    if is_sweep and step is not None:
        raise ParameterError(
            "a step of a sweep cannot be selected; select it by tick, or query one of its runs"
        )
    views = _of_sweep(folder) if is_sweep else _of_run(folder, step)
    if worker is not None:
        return worker.answer(views, select)
    if limits is not None:
        with QueryWorker(limits) as own:
            return own.answer(views, select)
    try:
        return answer(views, select)
    except MemoryError:
        raise ParameterError(
            "the query needs more memory than this machine has; select fewer rows or columns"
        ) from None


def _of_run(folder: Path, step: int | None) -> Views:
    """Return the views of a run that has ended, or of a run at a step."""
    if not (folder / MANIFEST).is_file():
        raise RunFolderError(
            f"{folder} is neither the folder of a run (no {MANIFEST}) nor of a sweep (no {DESIGN})"
        )
    run = load_run(folder, so_far=step is not None)  # refuses broken runs
    if step is None:
        return Views(_files(folder))
    # The memories that agents held at a step are not recorded.
    files = run.reader.files()
    return Views(files, until={n: min(step, run.ticks) for n in files if grows_by_step(n)})


def _of_sweep(folder: Path) -> Views:
    """Return the views of the succeeded runs of a sweep."""
    from memopolis.analysis.sweep.results import load_sweep

    results = load_sweep(folder)
    runs = results.runs
    files: dict[str, list[Path]] = {}
    for run in runs.loc[runs["status"] == "succeeded", "run"].unique():
        for name, own in _files(results.folder_of(str(run))).items():
            files.setdefault(name, []).extend(own)
    return Views(files, runs)


def _files(run: Path) -> dict[str, list[Path]]:
    held = sorted((run / "memory").glob("*.parquet"))
    return TableReader(run).files() | {f"memory_{path.stem}": [path] for path in held}
