"""Query tables of runs as views of DuckDB (extra `query`)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from pandas.api.types import is_object_dtype

from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    import duckdb

_UNKNOWN = re.compile(r"(?:Table|View) with name (.+?) does not exist")
_ERROR_PREFIX = re.compile(r"^[\w ]+ Error: ")


@dataclass(frozen=True)
class Select:
    """An SQL query; its result is returned up to `most` rows, or its rows are counted."""

    sql: str
    most: int | None = None
    count: bool = False


@dataclass(frozen=True)
class Views:
    """The tables that a query can read."""

    files: Mapping[str, Sequence[Path]]  # files of each view, by its name
    runs: pd.DataFrame | None = None  # one row per run of a sweep; None for a single run
    # Step before which rows are included, by view; other views are whole
    until: Mapping[str, int] = field(default_factory=dict)


def check_select(sql: str) -> None:
    """Refuse SQL that is not exactly one select statement."""
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        _parse(connection, sql)
    except duckdb.Error as error:
        raise _error_of(str(error), ()) from None
    finally:
        connection.close()


def _parse(connection: "duckdb.DuckDBPyConnection", sql: str) -> "duckdb.Statement":
    """Return the only statement of a query, which must be a select."""
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise ParameterError(f"the SQL has {len(statements)} statements; give exactly one")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = statements[0].type.name
        raise ParameterError(f"{kind} would change something; only select is allowed")
    return statements[0]


def answer(views: Views, select: Select, *, memory: float | None = None) -> pd.DataFrame:
    """Run a query that can only read the views.

    `memory` limits the gigabytes that DuckDB may use, without temporary files.

    Raises:
        RunFolderError: If a table is broken.
        UnknownNameError: If there is no view of that name.
        ParameterError: If the SQL is wrong, has several statements, would change something or
            reads other files.
        MemoryError: If it needs more memory than allowed.
    """
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        if memory is not None:
            connection.execute("SET temp_directory = ''")
            connection.execute(f"SET memory_limit = '{memory * 1_000:.0f}MB'")
        names = _make_views(connection, views)
        return _answer(connection, select, names)
    finally:
        connection.close()


def _make_views(connection: "duckdb.DuckDBPyConnection", views: Views) -> list[str]:
    """Create the views, then deny access to all files but theirs."""
    import duckdb

    runs = views.runs
    for name, files in views.files.items():
        # Everything inserted here is quoted, and comes from file names, not from the query.
        # In a sweep, runs/RUN/tables/NAME/part-00000.parquet or runs/RUN/memory/NAME.parquet.
        up = 3 if name.startswith("memory_") else 4
        columns = (
            "*"
            if runs is None
            else f"string_split(filename, '/')[-{up}] AS run, * EXCLUDE (filename)"
        )
        named = _quote_paths(map(_escape_pattern, files))
        read = f"read_parquet({named}, union_by_name=true, filename={runs is not None})"
        if name in views.until:
            read += f" WHERE tick < {views.until[name]}"
        try:
            connection.execute(f"CREATE VIEW {_quote_name(name)} AS SELECT {columns} FROM {read}")  # noqa: S608
        except duckdb.Error as error:
            raise RunFolderError(f"table {name!r} is broken: {_first_line(str(error))}") from None
    if runs is not None:
        try:
            connection.register("frame", _one_type_per_column(runs))
            connection.execute("CREATE TABLE runs AS SELECT * FROM frame")
            connection.unregister("frame")
        except duckdb.Error as error:
            raise RunFolderError(f"the runs cannot be listed: {_first_line(str(error))}") from None
    every = [path for files in views.files.values() for path in files]
    # DuckDB checks the pattern of a file as well as the file.
    connection.execute(
        f"SET allowed_paths = {_quote_paths([*every, *map(_escape_pattern, every)])}"
    )
    for setting in ("enable_external_access = false", "python_enable_replacements = false"):
        connection.execute(f"SET {setting}")
    connection.execute("SET lock_configuration = true")
    return sorted([*views.files, *([] if runs is None else ["runs"])])


def _one_type_per_column(runs: pd.DataFrame) -> pd.DataFrame:
    """Convert columns with values of several types, such as factors, to numbers or text."""
    frame = runs.copy()
    for name in [name for name in frame if is_object_dtype(frame[name])]:
        types = {type(value) for value in frame[name].dropna()}
        if types and types <= {int, float}:
            frame[name] = pd.to_numeric(frame[name])
        elif types != {str}:
            frame[name] = frame[name].map(str, na_action="ignore")
    return frame


def _answer(
    connection: "duckdb.DuckDBPyConnection", select: Select, names: Sequence[str]
) -> pd.DataFrame:
    import duckdb

    try:
        statement = _parse(connection, select.sql)
        if select.count:
            frame: pd.DataFrame = connection.sql(select.sql).aggregate("count(*) AS rows").df()
        elif select.most is None:
            frame = connection.execute(statement).df()
        else:  # a relation fetches only the rows of its limit
            frame = connection.sql(select.sql).limit(select.most).df()
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.Error as error:
        raise _error_of(str(error), names) from None
    return frame


def _error_of(message: str, names: Sequence[str]) -> Exception:
    unknown = _UNKNOWN.search(message)
    if unknown is not None:
        advice = did_you_mean(unknown[1], names)
        return UnknownNameError(
            f"there is no table {unknown[1]!r}; {advice}there are "
            f"{', '.join(names) or 'none'} (what a run records is set by record.tables)"
        )
    if "operations are disabled" in message:
        return ParameterError("the query reads other files; only the recorded tables can be read")
    return ParameterError(f"the query failed: {_first_line(message)}")


def _first_line(message: str) -> str:
    return " ".join(_ERROR_PREFIX.sub("", message.partition("\n\nLINE")[0]).split())


def _quote_name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _escape_pattern(path: Path) -> str:
    """Return a glob pattern that matches only this path."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))


def _quote_paths(paths: Iterable[Path | str]) -> str:
    return "[" + ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths) + "]"
