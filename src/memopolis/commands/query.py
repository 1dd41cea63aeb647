"""`memopolis query`: a question in SQL to the tables of a run or a sweep."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from memopolis.analysis.sql.query_process import QueryLimits
from memopolis.commands.terminal import results, table
from memopolis.sim.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd

MOST = 40
"""Rows that are printed."""
LIMITS = QueryLimits(seconds=600.0, lifted_by="--no-limit")
"""What a question may take, if nobody lifts the limits."""
_WIDE = 200
_EXACT = 2.0**53
_FORMATS = (".csv", ".parquet")


def answer(folder: Path, sql: str, out: Path | None, *, limited: bool) -> None:
    """Print the answer to a question, or write all of it into a file.

    Args:
        folder: Of a run or a sweep.
        sql: The question.
        out: A file, .csv or .parquet, which is replaced; None to print.
        limited: Whether it may take `LIMITS` only.

    Raises:
        MemopolisError: If the question cannot be answered, or the file has another ending.
    """
    from memopolis.analysis.sql.query import query

    if out is not None and out.suffix not in _FORMATS:
        raise ParameterError(f"--out is {out}; answers are written as {' or '.join(_FORMATS)}")
    found = query(folder, sql, limits=LIMITS if limited else None)
    if out is None:
        _print(found)
        return
    if out.suffix == ".csv":
        found.to_csv(out, index=False)
    else:
        found.to_parquet(out, index=False)
    results().print(f"{_rows(found)} in {out}", soft_wrap=True, markup=False)


def _print(found: "pd.DataFrame") -> None:
    console = results(width=_WIDE)
    names = [str(name) for name in found]
    numbers = tuple(str(n) for n, kind in found.dtypes.items() if kind.kind in "iuf")
    first = f"; the first {MOST}, all of them by --out FILE" if len(found) > MOST else ""
    console.print(f"{_rows(found)}{first}", soft_wrap=True, markup=False)
    shown = table("", *map(escape, names), numbers=numbers)
    for row in found.head(MOST).itertuples(index=False):
        shown.add_row(*(escape(_cell(value)) for value in row))
    console.print(shown)


def _rows(found: "pd.DataFrame") -> str:
    return f"{len(found):,} {'row' if len(found) == 1 else 'rows'}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124 - not a number
            return ""
        # DuckDB's sums of whole numbers come as floats.
        whole = value.is_integer() and abs(value) < _EXACT
        return f"{value:.0f}" if whole else f"{value:.6g}"
    if hasattr(value, "tolist"):
        return str(value.tolist())
    return "" if value is None or str(value) in {"NaT", "<NA>"} else str(value)
