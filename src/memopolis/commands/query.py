"""`memopolis query`: query the tables of a run or a sweep with SQL."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from memopolis.analysis.sql.query_process import QueryLimits
from memopolis.commands.terminal import stdout_console, table
from memopolis.sim.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd

MOST = 40
"""Maximum number of rows that are printed."""
LIMITS = QueryLimits(seconds=600.0, lifted_by="--no-limit")
"""Limits of a query unless --no-limit is given."""
_WIDE = 200
_EXACT = 2.0**53
_FORMATS = (".csv", ".parquet")


def answer(folder: Path, sql: str, out: Path | None, *, limited: bool) -> None:
    """Print the first rows of a query, or write all rows to a file.

    Args:
        folder: Folder of a run or a sweep.
        sql: The query.
        out: A .csv or .parquet file to write or replace; None to print.
        limited: Whether `LIMITS` apply.

    Raises:
        MemopolisError: If the query fails, or the file has another extension.
    """
    from memopolis.analysis.sql.query import query

    if out is not None and out.suffix not in _FORMATS:
        raise ParameterError(f"--out is {out}; allowed are {' and '.join(_FORMATS)} files")
    frame = query(folder, sql, limits=LIMITS if limited else None)
    if out is None:
        _print(frame)
        return
    if out.suffix == ".csv":
        frame.to_csv(out, index=False)
    else:
        frame.to_parquet(out, index=False)
    stdout_console().print(f"{_rows(frame)} in {out}", soft_wrap=True, markup=False)


def _print(frame: "pd.DataFrame") -> None:
    console = stdout_console(width=_WIDE)
    names = [str(name) for name in frame]
    numbers = tuple(str(n) for n, kind in frame.dtypes.items() if kind.kind in "iuf")
    first = f"; the first {MOST} are shown, --out FILE writes all" if len(frame) > MOST else ""
    console.print(f"{_rows(frame)}{first}", soft_wrap=True, markup=False)
    shown = table("", *map(escape, names), numbers=numbers)
    for row in frame.head(MOST).itertuples(index=False):
        shown.add_row(*(escape(_cell(value)) for value in row))
    console.print(shown)


def _rows(frame: "pd.DataFrame") -> str:
    return f"{len(frame):,} {'row' if len(frame) == 1 else 'rows'}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124 - not a number
            return ""
        # DuckDB returns sums of integers as floats.
        whole = value.is_integer() and abs(value) < _EXACT
        return f"{value:.0f}" if whole else f"{value:.6g}"
    if hasattr(value, "tolist"):
        return str(value.tolist())
    return "" if value is None or str(value) in {"NaT", "<NA>"} else str(value)
