"""Read tables from CSV, Parquet or JSON files, or from a DataFrame."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from memopolis.sim.errors import DataFileError, reason_of
from memopolis.sim.files import check_regular
from memopolis.sim.world.columns import check_filled
from memopolis.sim.world.csv_files import LARGEST, read_csv, strip_names

_SURROGATE = re.compile("[\ud800-\udfff]")

type Source = str | Path | pd.DataFrame


def read_frame(source: Source) -> tuple[pd.DataFrame, str]:
    """Read a table, with rows numbered from 0, and its name for messages, which count rows from 1.

    The source is a DataFrame, or a file ending in .csv, .parquet or .json (a list of objects, or
    one object per line), UTF-8. Blanks around the names of columns are removed. Raises
    DataFileError if the file is missing, broken, no regular file or of another format, or the table
    has no rows or duplicate columns.
    """
    if isinstance(source, pd.DataFrame):
        table, name = source, "the table"
    elif isinstance(source, str | Path):
        table, name = _read(Path(source)), str(source)
    else:
        raise DataFileError(f"the table is {source!r}; the path of a file or a DataFrame is needed")
    table = table.reset_index(drop=True)
    table.columns = strip_names(table.columns)
    check_filled(table, name)
    return table, name


def _read(path: Path) -> pd.DataFrame:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataFileError(f"{path}: tables are read from files that end in {', '.join(_READERS)}")
    try:
        check_regular(path, largest=LARGEST)
        return reader(path)
    except DataFileError:
        raise
    except FileNotFoundError:
        raise DataFileError(f"{path}: no such file") from None
    except OSError as error:
        reason = reason_of(error)
    except UnicodeDecodeError as error:
        reason = f"no UTF-8 ({error.reason} at byte {error.start})"
    except (ValueError, RecursionError) as error:
        reason = str(error)
    raise DataFileError(f"{path}: not readable: {' '.join(reason.split())}")


def _read_parquet(path: Path) -> pd.DataFrame:
    import pyarrow.parquet as pq

    # An open file, since pyarrow would read a folder as a table of many files.
    with path.open("rb") as file:
        table = pq.read_table(file)
    # Converted by pyarrow, since pandas would convert integers with missing values to floats.
    columns = {
        name: pd.Series(table[name].to_pylist(), dtype=object) for name in table.column_names
    }
    return pd.DataFrame(columns)


def _read_json(path: Path) -> pd.DataFrame:
    return parse_rows(path.read_text(encoding="utf-8-sig"))


def parse_rows(text: str) -> pd.DataFrame:
    """Parse JSON, a list of objects or one object per line; raises ValueError or RecursionError."""
    try:
        rows = json.loads(text)
    except json.JSONDecodeError:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    rows = [rows] if isinstance(rows, dict) else rows
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("a list of objects is needed, one per row")
    names = dict.fromkeys(name for row in rows for name in row)
    # dtype object keeps whole numbers whole where a cell of the column is empty.
    return pd.DataFrame(
        {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
    )


_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": read_csv,
    ".parquet": _read_parquet,
    ".json": _read_json,
    ".jsonl": _read_json,
}


def plain_cells(column: "pd.Series[Any]", *, source: str) -> list[Any]:
    """Return texts, numbers, bools, lists and mappings as plain values; None for empty cells."""
    cells = [_plain(cell) for cell in column.tolist()]
    for number, cell in enumerate(cells, start=1):
        wrong = _complaint(cell)
        if wrong:
            raise DataFileError(f"{source}, row {number}, column {column.name}: {cell!r} {wrong}")
    return cells


def _complaint(cell: Any) -> str:
    if isinstance(cell, str):
        half = not cell.isascii() and _SURROGATE.search(cell)
        return "has half of a surrogate pair, which UTF-8 cannot hold" if half else ""
    if cell is None or isinstance(cell, bool | int | float | list | dict | set):
        return ""
    return (
        f"is of type {type(cell).__name__}; texts, numbers, true and false, lists and mappings "
        "can be read"
    )


def _plain(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell.strip() or None
    if isinstance(cell, np.ndarray | np.generic):
        cell = cell.tolist()
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return None
    if isinstance(cell, float) and math.isnan(cell):
        return None
    return list(cell) if isinstance(cell, tuple) else cell
