"""Read CSV files as spreadsheets and programs write them, as tables of texts.

Cells are separated by commas, semicolons, tabs or vertical bars, see `find_separator`. With a
separator other than a comma, numbers may have decimal commas.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from os import PathLike
from pathlib import Path

import pandas as pd

from memopolis.sim.errors import DataFileError, reason_of
from memopolis.sim.files import read_regular

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""Separators that are detected, by their names in messages."""
LARGEST = 1_000_000_000  # maximum number of bytes of a table
_SAMPLE = 1_000  # rows by which a separator is chosen if the header contains several
_STATED = re.compile(r"sep=([,;\t|])\r?\n", re.IGNORECASE)  # first line that Excel understands

type Rows = list[list[str]]


def read_csv(path: str | PathLike[str]) -> pd.DataFrame:
    """Read a CSV file, UTF-8 with a header, as texts; lines that start with # are skipped.

    Blanks around the names of columns are removed. Raises DataFileError if the file is missing or
    not CSV, its separator or its decimal commas are ambiguous, or rows differ in their number of
    cells.
    """
    file = Path(path)
    text = _read_text(file)
    stated = _STATED.match(text)
    text = text[stated.end() :] if stated else text
    separator = stated[1] if stated else find_separator(text, str(file))
    try:
        rows = list(_parse(text, separator))
    except csv.Error as error:
        raise DataFileError(f"{file}: not readable as a CSV file: {error}") from None
    header, rows = (rows[0], rows[1:]) if rows else ([], [])
    for number, cells in enumerate(rows, start=1):
        if len(cells) != len(header):
            raise DataFileError(_describe_ragged(str(file), number, cells, header, separator))
    if separator != ",":
        _replace_decimal_commas(rows, header, str(file))
    return _without_empty_columns(pd.DataFrame(rows, columns=strip_names(header)), str(file))


def strip_names(names: Iterable[object]) -> list[str]:
    """Return names of columns as texts without blanks around them."""
    return [str(name).strip() for name in names]


def find_separator(text: str, source: str) -> str:
    """Return the separator of the cells of a CSV text; a comma if there is only one column.

    The separators that divide the header are candidates. If there are several, those remain that
    divide each of the first rows into as many cells as the header. Raises DataFileError if several
    remain: the text can be read in more than one way.
    """
    headers = {separator: _parse_sample(text, separator, 1) for separator in SEPARATORS}
    cells = {s: len(rows[0]) for s, rows in headers.items() if rows}
    candidates = [separator for separator, count in cells.items() if count > 1]
    if len(candidates) > 1:
        fitting = [s for s in candidates if _is_even(_parse_sample(text, s, _SAMPLE))]
        # If none fits, the message on uneven rows is best about the likeliest.
        candidates = fitting or [max(candidates, key=cells.__getitem__)]
    if len(candidates) > 1:
        choices = " or ".join(
            f"{SEPARATORS[s]} (columns {', '.join(strip_names((headers[s] or [[]])[0]))})"
            for s in candidates
        )
        raise DataFileError(
            f"{source}: the separator of cells can be a {choices}; put names of columns with such "
            "a character in double quotes"
        )
    return candidates[0] if candidates else ","


def _parse(text: str, separator: str) -> Iterable[list[str]]:
    lines = _without_comments(StringIO(text, newline=""))
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    return filter(None, reader)


def _without_comments(lines: Iterable[str]) -> Iterator[str]:
    is_quoted = False  # whether the line begins within a quoted cell of several lines
    for line in lines:
        if is_quoted or not line.startswith("#"):
            is_quoted ^= line.count('"') % 2 == 1
            yield line


def _parse_sample(text: str, separator: str, count: int) -> Rows | None:
    """Return the header and the first rows; None if they cannot be parsed with a separator."""
    rows: Rows = []
    try:
        for cells in _parse(text, separator):
            rows.append(cells)
            if len(rows) == count:
                break
    except csv.Error:
        return None
    return rows


def _is_even(rows: Rows | None) -> bool:
    return rows is not None and len({len(cells) for cells in rows}) == 1


def _read_text(file: Path) -> str:
    try:
        content = read_regular(file, largest=LARGEST)
    except FileNotFoundError:
        raise DataFileError(f"{file}: no such file; give the path of a CSV file") from None
    except OSError as error:
        raise DataFileError(f"{file}: not readable: {reason_of(error)}") from None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content:
        raise DataFileError(
            f"{file}: not readable as a CSV file: it is UTF-16 or binary; save it as CSV UTF-8"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataFileError(
            f"{file}: not readable as a CSV file: line {content.count(b'\n', 0, error.start) + 1} "
            f"is not UTF-8 (byte 0x{content[error.start]:02x}); save it as CSV UTF-8"
        ) from None


def _describe_ragged(
    source: str, number: int, cells: Sequence[str], header: Sequence[str], separator: str
) -> str:
    columns = f"{len(header)} column{'s' if len(header) > 1 else ''}"
    own = f"{len(cells)} cell{'s' if len(cells) > 1 else ''}"
    return (
        f"{source}, row {number}: {own}, but the header names {columns} with a "
        f"{SEPARATORS[separator]} as separator; put texts with a {SEPARATORS[separator]} in double "
        "quotes"
    )


def _without_empty_columns(table: pd.DataFrame, source: str) -> pd.DataFrame:
    """Drop columns without a name and without a cell, which spreadsheets append."""
    kept = []
    for place, name in enumerate(table.columns):
        if not name and any(cell.strip() for cell in table.iloc[:, place]):
            raise DataFileError(
                f"{source}: column {place + 1} of the header has no name; name it or leave it out"
            )
        if name:
            kept.append(place)
    return table if len(kept) == table.shape[1] else table.iloc[:, kept]


_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")  # 1,75 or 12,345
_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")  # its separator can be one of thousands
_BOTH = re.compile(r"[+-]?\d{1,3}(?:(?:\.\d{3})+,\d*|(?:,\d{3})+\.\d*)")  # 1.234,5 or 1,234.5


def _replace_decimal_commas(rows: Rows, header: Sequence[str], source: str) -> None:
    """Replace decimal commas, as in 1,75, in columns in which all cells are numbers.

    A number such as 12,345 can also be 12345: it has a decimal comma if another number of the file
    can only have one. Raises DataFileError if none has, or the file has decimal points too.
    """
    columns = {place: cells for place in range(len(header)) if (cells := _numbers(rows, place))}
    with_commas = [place for place, cells in columns.items() if any("," in c for c in cells)]
    if not with_commas:
        return
    is_certain = False
    for place, cells in columns.items():
        for cell in cells:
            own = "." in cell and (place in with_commas or _EITHER.fullmatch(cell))
            if own or _BOTH.fullmatch(cell):
                raise DataFileError(
                    f"{source}, column {header[place].strip()}: {cell!r} is ambiguous, since "
                    "numbers of the file have decimal commas; use one decimal separator, and no "
                    "separator of thousands"
                )
            is_certain |= "," in cell and not _EITHER.fullmatch(cell)
    if not is_certain:
        place = with_commas[0]
        cell = next(cell for cell in columns[place] if "," in cell)
        raise DataFileError(
            f"{source}, column {header[place].strip()}: {cell!r} can be {cell.replace(',', '.')} "
            f"or {cell.replace(',', '')}; use a decimal point, and no separator of thousands"
        )
    for row in rows:
        for place in with_commas:
            row[place] = row[place].replace(",", ".")


def _numbers(rows: Rows, place: int) -> list[str]:
    """Return the filled cells of a column; none if any of them is not a number."""
    cells = [cell for row in rows if (cell := row[place].strip())]
    kinds = (_POINT, _COMMA, _BOTH)
    return cells if all(any(k.fullmatch(cell) for k in kinds) for cell in cells) else []
