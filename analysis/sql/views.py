"""Tables of runs as views of DuckDB (extra `query`), and a question to them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    import duckdb

_UNKNOWN = re.compile(r"(?:Table|View) with name (.+?) does not exist")
_ALL = 2**62
_WORDS = re.compile(r"^[\w ]+ Error: ")


@dataclass(frozen=True)
class Select:
    """A question in SQL, and how much of the answer is wanted.

    Attributes:
        sql: The question.
        first: Rows of the answer that are passed over, >= 0.
        most: Most rows wanted, >= 1; None for all.
    """

    sql: str
    first: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Views:
    """What is asked.

    Attributes:
        files: Files of each view, by its name.
        runs: One row per run of a sweep; None for one run.
        until: The step that no row reaches, by the name of a view; all rows are there else.
    """

    files: Mapping[str, Sequence[Path]]
    runs: pd.DataFrame | None = None
    until: Mapping[str, int] = field(default_factory=dict)


def check_select(sql: str) -> None:
    """Refuse what is not one question, before anything is read for it.

    Args:
        sql: The question.

    Raises:
        ParameterError: If it cannot be read, asks several things, or would change something.
    """
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        _statement(connection, sql)
    except duckdb.Error as error:
        raise _in_one_line(str(error), ()) from None
    finally:
        connection.close()


def _statement(connection: "duckdb.DuckDBPyConnection", sql: str) -> "duckdb.Statement":
    """The one statement of a text, which selects."""
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise ParameterError(f"{len(statements)} questions were asked; ask one at a time")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = statements[0].type.name
        raise ParameterError(f"{kind} would change something; a question begins with select")
    return statements[0]


def answer(views: Views, select: Select, *, memory: float | None = None) -> pd.DataFrame:
    """Answer a question; all that it can read are the views.

    Args:
        views: What is asked.
        select: The question.
        memory: Gigabytes that DuckDB's tables may take, without a file for what finds no room;
            None for its own measure.

    Raises:
        RunFolderError: If a table is broken.
        UnknownNameError: If there is no view of that name.
        ParameterError: If the question cannot be read, asks several things, or would change or
            read anything else.
        MemoryError: If it takes more memory than it may.
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
    """Make the views, then lock everything but the files they read."""
    import duckdb

    runs = views.runs
    for name, files in views.files.items():
        # What is joined here is quoted, and comes from names of files and not from the question.
        # In a sweep, runs/RUN/tables/NAME/part-00000.parquet or runs/RUN/memory/NAME.parquet.
        up = 3 if name.startswith("memory_") else 4
        columns = (
            "*"
            if runs is None
            else f"string_split(filename, '/')[-{up}] AS run, * EXCLUDE (filename)"
        )
        named = _quoted(map(_named, files))
        read = f"read_parquet({named}, union_by_name=true, filename={runs is not None})"
        if name in views.until:
            read += f" WHERE tick < {views.until[name]}"
        try:
            connection.execute(f"CREATE VIEW {_name(name)} AS SELECT {columns} FROM {read}")  # noqa: S608
        except duckdb.Error as error:
            raise RunFolderError(f"table {name!r} is broken: {_plainly(str(error))}") from None
    if runs is not None:
        try:
            connection.register("given", _plain(runs))
            connection.execute("CREATE TABLE runs AS SELECT * FROM given")
            connection.unregister("given")
        except duckdb.Error as error:
            raise RunFolderError(f"the runs cannot be listed: {_plainly(str(error))}") from None
    every = [path for files in views.files.values() for path in files]
    # A file's pattern is looked at as well as the file.
    connection.execute(f"SET allowed_paths = {_quoted([*every, *map(_named, every)])}")
    for setting in ("enable_external_access = false", "python_enable_replacements = false"):
        connection.execute(f"SET {setting}")
    connection.execute("SET lock_configuration = true")
    return sorted([*views.files, *([] if runs is None else ["runs"])])


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
    connection: "duckdb.DuckDBPyConnection", select: Select, names: Sequence[str]
) -> pd.DataFrame:
    import duckdb

    sql, first, most = select.sql, select.first, select.most
    try:
        statement = _statement(connection, sql)
        if most is None and not first:
            whole: pd.DataFrame = connection.execute(statement).df()
            return whole
        # A relation fetches no more than is wanted of it.
        rows = connection.sql(sql).limit(_ALL if most is None else most, first)
        part: pd.DataFrame = rows.df()
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.Error as error:
        raise _in_one_line(str(error), names) from None
    return part


def _in_one_line(message: str, names: Sequence[str]) -> Exception:
    unknown = _UNKNOWN.search(message)
    if unknown is not None:
        advice = did_you_mean(unknown[1], names)
        return UnknownNameError(
            f"there is no table {unknown[1]!r}; {advice}there are "
            f"{', '.join(names) or 'none'} (what a run records is set by record.tables)"
        )
    if "operations are disabled" in message:
        return ParameterError("the question reads other files; only the recorded tables are asked")
    return ParameterError(f"the question cannot be answered: {_plainly(message)}")


def _plainly(message: str) -> str:
    return " ".join(_WORDS.sub("", message.partition("\n\nLINE")[0]).split())


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _named(path: Path) -> str:
    """A path as a pattern that fits nothing else."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))


def _quoted(paths: Iterable[Path | str]) -> str:
    return "[" + ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths) + "]"
