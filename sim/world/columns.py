"""Check tables from users column by column and convert them to types."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from memopolis.sim.errors import DataFileError, did_you_mean
from memopolis.sim.world.csv_files import read_csv


@dataclass(frozen=True)
class Column:
    """Rules for a column of a table from a user."""

    # "text", "number", "whole" (whole number), "date" (ISO, local), "utc" (ISO, with or without a
    # Z) or "flag" (0 or 1)
    kind: Literal["text", "number", "whole", "date", "utc", "flag"]
    # Whether the column is required; an optional one is filled with `default`
    required: bool = True
    blank: bool = False  # whether cells may be empty; they become `default`
    default: str | float | None = None  # value of missing cells
    least: float = -np.inf  # smallest number allowed
    most: float = np.inf  # largest number allowed
    options: tuple[str, ...] = ()  # the only texts allowed; any if empty


def read_rules(module: str, table: str) -> dict[str, Column]:
    """Read the rules of a table from `columns.toml` in the folder of a module, its `__file__`."""
    file = Path(module).with_name("columns.toml")
    rules = tomllib.loads(file.read_text(encoding="utf-8"))[table]
    return {
        name: Column(**rule | {"options": tuple(rule.get("options", ()))})
        for name, rule in rules.items()
    }


_ZONE = r"(?:[Zz]|[+-]\d{2}:?\d{2})$"


def read_table(
    path: str | PathLike[str], columns: Mapping[str, Column], *, others_kept: bool = False
) -> pd.DataFrame:
    """Read and check a CSV file, see `read_csv` and `check_table`."""
    return check_table(read_csv(path), columns, source=str(path), others_kept=others_kept)


ROWS = ("row", "column")  # words for the rows and columns of a table in messages


def check_table(
    table: pd.DataFrame,
    columns: Mapping[str, Column],
    *,
    source: str,
    words: tuple[str, str] = ROWS,
    others_kept: bool = False,
) -> pd.DataFrame:
    """Check a table and convert its columns to their types.

    `source` names the file or table in messages, and `words` are those for a row and a column.
    Columns without a rule are kept if `others_kept`, else refused. Returns a copy: text as str,
    number as float64, whole as int64, date as datetime64, flag as bool; rows numbered from 0.
    Raises DataFileError if a cell is invalid; it names the source, the row (the first after the
    header is 1) and the column.
    """
    missing = [name for name, rule in columns.items() if rule.required and name not in table]
    near = any(did_you_mean(str(name), missing) for name in table.columns if name not in columns)
    if missing and (others_kept or not near):
        raise DataFileError(
            f"{source}: {words[1]} {', '.join(missing)} is missing; the {words[1]}s are "
            f"{', '.join(map(str, table.columns)) or 'none'}, needed are "
            f"{', '.join(name for name, rule in columns.items() if rule.required)}"
        )
    if not others_kept:
        check_names(table, columns, source, words=words)
    check_filled(table, source, words=words)
    checked = table.reset_index(drop=True).copy()
    for name, rule in columns.items():
        cells = checked[name] if name in checked else pd.Series([""] * len(checked))
        may_be_blank = rule.blank or name not in checked
        place = f"{source}, {words[0]} {{}}, {words[1]} {name}"
        checked[name] = _typed(cells, rule, place, may_be_blank=may_be_blank)
    return checked


def check_names(
    table: pd.DataFrame, known: Collection[str], source: str, *, words: tuple[str, str] = ROWS
) -> None:
    """Refuse a table with a column other than known ones."""
    for name in table.columns:
        if name not in known:
            advice = did_you_mean(str(name), known)
            raise DataFileError(
                f"{source}: unknown {words[1]} {name!r}; {advice}allowed are {', '.join(known)}"
            )


def check_filled(table: pd.DataFrame, source: str, *, words: tuple[str, str] = ROWS) -> None:
    """Refuse a table without rows, or with two columns of one name."""
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise DataFileError(f"{source}: {words[1]} {twice[0]} occurs twice; use each name once")
    if table.empty:
        raise DataFileError(f"{source}: the table has no {words[0]}s; at least one is needed")


def _typed(cells: pd.Series, rule: Column, place: str, *, may_be_blank: bool) -> pd.Series:
    text = cells.astype(str).str.strip().where(cells.notna(), "")
    blank = text == ""
    refuse = partial(_refuse_first, place=place, text=text, rule=rule)
    if not may_be_blank:
        refuse(blank)
    if rule.kind == "text":
        if rule.options:
            refuse(~text.isin(rule.options) & ~blank)
        return text.where(~blank, str(rule.default or ""))
    if rule.kind in {"date", "utc"}:
        if rule.kind == "date":
            # A local time with a time zone would be converted silently.
            refuse(text.str.contains(_ZONE) & ~blank)
        dates = pd.to_datetime(text.where(~blank), errors="coerce", format="ISO8601", utc=True)
        refuse(dates.isna() & ~blank)
        local: pd.Series = dates.dt.tz_localize(None)
        return local
    numbers: pd.Series = pd.to_numeric(text.where(~blank), errors="coerce").astype(float)
    wrong = numbers.isna() | (numbers < rule.least) | (numbers > rule.most)
    wrong |= numbers.abs() == np.inf
    if rule.kind in {"whole", "flag"}:
        wrong |= numbers != numbers.round()
    if rule.kind == "flag":
        wrong |= ~numbers.isin([0.0, 1.0])
    refuse(wrong & ~blank)
    numbers = numbers.where(~blank, np.nan if rule.default is None else float(rule.default))
    if numbers.isna().any():
        return numbers
    if rule.kind == "whole":
        return numbers.astype("int64")
    return numbers.astype("bool") if rule.kind == "flag" else numbers


def _refuse_first(wrong: pd.Series, *, place: str, text: pd.Series, rule: Column) -> None:
    """Refuse the first wrong cell; the place has braces for the number of its row."""
    if not wrong.any():
        return
    allowed = {
        "text": "a text",
        "number": "a number",
        "whole": "a whole number",
        "date": "a date and time, local and without a zone, such as 2019-09-01 18:30",
        "utc": "a date and time in UTC such as 2019-09-01T18:30Z",
        "flag": "0 or 1",
    }[rule.kind]
    if rule.options:
        allowed = f"one of {', '.join(rule.options)}"
    if np.isfinite(rule.least):
        allowed += f", at least {rule.least:g}"
    if np.isfinite(rule.most):
        allowed += f", at most {rule.most:g}"
    row = int(np.argmax(wrong))
    shown = f"'{text.iloc[row]}'" if text.iloc[row] else "empty"
    raise DataFileError(f"{place.format(row + 1)}: {shown}, expected {allowed}")
