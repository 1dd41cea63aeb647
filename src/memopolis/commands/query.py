"""`memopolis query`: query the tables of a run or a sweep with SQL."""

import pandas as pd

from memopolis.analysis.sql.query import query
from memopolis.analysis.sql.query_process import QueryLimits
from memopolis.commands.options.reading import QueryOptions
from memopolis.commands.terminal import print_line, print_table
from memopolis.sim.errors import ParameterError

MOST = 40  # maximum number of rows that are printed
LIMITS = QueryLimits(seconds=600.0, lifted_by="--no-limit")
"""Limits of a query unless --no-limit is given."""
_WIDE = 200
_EXACT = 2.0**53
_FORMATS = (".csv", ".parquet")


def answer(options: QueryOptions) -> None:
    """Print the first rows of a query, or write all rows to a file."""
    out = options.out
    if out is not None and out.suffix not in _FORMATS:
        raise ParameterError(f"--out is {out}; allowed are {' and '.join(_FORMATS)} files")
    frame = query(options.folder, options.sql, limits=LIMITS if options.limit else None)
    if out is None:
        _print(frame)
        return
    if out.suffix == ".csv":
        frame.to_csv(out, index=False)
    else:
        frame.to_parquet(out, index=False)
    print_line(f"{_rows(frame)} in {out}")


def _print(frame: pd.DataFrame) -> None:
    first = f"; the first {MOST} are shown, --out FILE writes all" if len(frame) > MOST else ""
    print_line(f"{_rows(frame)}{first}")
    numbers = [str(name) for name, kind in frame.dtypes.items() if kind.kind in "iuf"]
    rows = (map(_cell, row) for row in frame.head(MOST).itertuples(index=False))
    print_table("", [*map(str, frame)], map(tuple, rows), numbers=numbers, width=_WIDE)


def _rows(frame: pd.DataFrame) -> str:
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
