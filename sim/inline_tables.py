"""Tables as values of settings: the path of a file, or rows as JSON text.

A DataFrame given for such a setting becomes rows, so that the manifest of a run contains them, and
the run is resumed, repeated and forked without the program that made the DataFrame.
"""

import json
from typing import TYPE_CHECKING

from memopolis.sim.errors import SettingsError

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 10_000_000  # maximum number of characters of rows, since each manifest contains them
_FIRST = "["  # first character of rows; a path that begins with it is never read


def is_inline(text: str) -> bool:
    """Return whether a setting contains rows instead of the path of a file."""
    return text.startswith(_FIRST)


def read_inline(text: str) -> "pd.DataFrame | str":
    """Return the table of rows, or the path of a file unchanged."""
    from memopolis.sim.world.frames import parse_rows

    if not is_inline(text):
        return text
    try:
        return parse_rows(text)
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise SettingsError(f"rows {text[:60]!r} of a table are not readable: {reason}") from None


def write_inline(value: object) -> object:
    """Return the rows of a DataFrame as text, and other values unchanged."""
    if type(value).__name__ != "DataFrame":  # without importing pandas
        return value
    from memopolis.sim.world.frames import plain_cells, read_frame

    table, name = read_frame(value)  # type: ignore[arg-type]
    columns = {column: plain_cells(table[column], source=name) for column in table}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    try:
        text = json.dumps(rows, ensure_ascii=False, allow_nan=False, default=list)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{name} cannot be saved with the settings: {error}") from None
    if len(text) > LARGEST:
        raise SettingsError(
            f"{name} has {len(text):,} characters as JSON, and the settings of a run contain at "
            f"most {LARGEST:,}; save it with to_parquet or to_csv, and give the path of the file"
        )
    return text
