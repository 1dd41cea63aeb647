"""Questions in SQL to the tables of a run or of a sweep, answered by DuckDB (extra `query`)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

import pandas as pd

from memopolis.analysis.load import load_run
from memopolis.analysis.tables import table_names
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError, did_you_mean
from memopolis.sim.memory.vectors.embedders.extras import require
from memopolis.sim.running.folder import parts_of

if TYPE_CHECKING:
    import duckdb

_UNKNOWN = re.compile(r"(?:Table|View) with name (.+?) does not exist")
_ALL = 2**62
_WORDS = re.compile(r"^[\w ]+ Error: ")


def query(
    folder: str | Path,
    sql: str,
    *,
    first: int = 0,
    most: int | None = None,
    seconds: float | None = None,
) -> pd.DataFrame:
    """Ask the tables of a run, or of all succeeded runs of a sweep.

    Every table is a view of its name (`memories`, `agents_citizen`); what agents remember at the
    end is `memory_citizen` and so on. In a sweep each has the column `run` in front, and the view
    `runs` has a row a run: run, point, replication, seed, factors, status, outcomes.

    Args:
        folder: Of a run or of a sweep.
        sql: One question in DuckDB's SQL; it reads and changes nothing.
        first: Rows of the answer that are passed over, >= 0.
        most: Most rows wanted, >= 1; None for all.
        seconds: Time that the answer may take, > 0, which then may take no disk and at most 4 GB
            of memory; None for any.

    Returns:
        The answer; sums of whole numbers and whole numbers with gaps come as floats.

    Raises:
        ExtraError: If duckdb is not installed.
        RunFolderError: If there is no run that has ended, and no sweep, or a table is broken.
        UnknownNameError: If there is no view of that name.
        ParameterError: If the question cannot be read, asks several things, would change or
            read anything else, or takes too long.
    """
    folder = Path(folder).resolve()
    require("query", "duckdb", what="a question in SQL")
    import duckdb

    views, runs = _of_sweep(folder) if (folder / "design.json").is_file() else _of_run(folder)
    connection = duckdb.connect(":memory:")
    try:
        if seconds is not None:
            connection.execute("SET temp_directory = ''")
            connection.execute("SET memory_limit = '4GB'")
        names = _make_views(connection, views, runs)
        with _ended_after(connection, seconds):
            return _answer(connection, sql, names, first, most)
    finally:
        connection.close()


def _of_run(folder: Path) -> tuple[dict[str, list[Path]], None]:
    """Files of each view of one run."""
    if not (folder / "manifest.json").is_file():
        raise RunFolderError(
            f"{folder} is neither the folder of a run (no manifest.json) nor of a sweep (no "
            "design.json)"
        )
    load_run(folder)  # refuses what is broken or still going on
    return _files(folder), None


def _of_sweep(folder: Path) -> tuple[dict[str, list[Path]], pd.DataFrame]:
    """Files of each view of the succeeded runs of a sweep, and a row a run."""
    from memopolis.analysis.sweep.results import load_sweep

    found = load_sweep(folder)
    runs = found.runs
    views: dict[str, list[Path]] = {}
    for run in runs.loc[runs["status"] == "succeeded", "run"].unique():
        for name, files in _files(found.folder_of(str(run))).items():
            views.setdefault(name, []).extend(files)
    return views, runs


def _files(run: Path) -> dict[str, list[Path]]:
    found = {name: parts_of(run, name) for name in table_names(run)}
    held = sorted((run / "memory").glob("*.parquet"))
    return found | {f"memory_{path.stem}": [path] for path in held}


def _make_views(
    connection: "duckdb.DuckDBPyConnection",
    views: Mapping[str, Sequence[Path]],
    runs: pd.DataFrame | None,
) -> list[str]:
    """Make the views, then lock everything but the files they read."""
    import duckdb

    for name, files in views.items():
        # What is joined here is quoted, and comes from names of files and not from the question.
        # In a sweep, runs/RUN/tables/NAME/part-00000.parquet or runs/RUN/memory/NAME.parquet.
        up = 3 if name.startswith("memory_") else 4
        columns = (
            "*"
            if runs is None
            else f"string_split(filename, '/')[-{up}] AS run, * EXCLUDE (filename)"
        )
        read = f"read_parquet({_quoted(files)}, union_by_name=true, filename={runs is not None})"
        try:
            connection.execute(f"CREATE VIEW {_name(name)} AS SELECT {columns} FROM {read}")  # noqa: S608
        except duckdb.Error as error:
            raise RunFolderError(f"table {name!r} is broken: {_plainly(str(error))}") from None
    if runs is not None:
        connection.register("given", _plain(runs))
        connection.execute("CREATE TABLE runs AS SELECT * FROM given")
        connection.unregister("given")
    every = [path for files in views.values() for path in files]
    connection.execute(f"SET allowed_paths = {_quoted(every)}")
    for setting in ("enable_external_access = false", "python_enable_replacements = false"):
        connection.execute(f"SET {setting}")
    connection.execute("SET lock_configuration = true")
    return sorted([*views, *([] if runs is None else ["runs"])])


def _plain(runs: pd.DataFrame) -> pd.DataFrame:
    """Columns of one kind each: what holds several kinds, such as a factor, becomes text."""
    plain = runs.copy()
    for name in plain:
        kinds = {type(value) for value in plain[name].dropna()}
        if plain[name].dtype == object and kinds != {str}:
            numbers = kinds <= {int, float} and bool(kinds)
            texts = plain[name].map(str, na_action="ignore")
            plain[name] = pd.to_numeric(plain[name]) if numbers else texts
    return plain


def _answer(
    connection: "duckdb.DuckDBPyConnection",
    sql: str,
    names: Sequence[str],
    first: int,
    most: int | None,
) -> pd.DataFrame:
    import duckdb

    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1:
            raise ParameterError(f"{len(statements)} questions were asked; ask one at a time")
        if statements[0].type != duckdb.StatementType.SELECT:
            kind = statements[0].type.name
            raise ParameterError(f"{kind} would change something; a question begins with select")
        if most is None and not first:
            whole: pd.DataFrame = connection.execute(statements[0]).df()
            return whole
        # A relation fetches no more than is wanted of it.
        rows = connection.sql(sql).limit(_ALL if most is None else most, first)
        part: pd.DataFrame = rows.df()
    except duckdb.InterruptException:
        raise ParameterError("the answer took too long; ask for less") from None
    except duckdb.Error as error:
        raise _in_one_line(str(error), names) from None
    return part


@contextmanager
def _ended_after(connection: "duckdb.DuckDBPyConnection", seconds: float | None) -> Iterator[None]:
    """Interrupt whatever a connection still does after some time."""
    if seconds is None:
        yield
        return
    timer = Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _in_one_line(message: str, names: Sequence[str]) -> Exception:
    unknown = _UNKNOWN.search(message)
    if unknown is not None:
        advice = did_you_mean(unknown[1], names)
        return UnknownNameError(
            f"there is no table {unknown[1]!r}; {advice}there are {', '.join(names) or 'none'}"
        )
    if "operations are disabled" in message:
        return ParameterError("the question reads other files; only the recorded tables are asked")
    return ParameterError(f"the question cannot be answered: {_plainly(message)}")


def _plainly(message: str) -> str:
    return " ".join(_WORDS.sub("", message.partition("\n\nLINE")[0]).split())


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _quoted(paths: Iterable[Path]) -> str:
    return "[" + ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths) + "]"
