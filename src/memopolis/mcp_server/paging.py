"""Answers of bounded size: values as JSON, pages of rows, cut texts."""

import json
import math
from collections.abc import Callable, Collection, Mapping
from datetime import date
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from pydantic import BaseModel, Field

MOST_ROWS = 500  # maximum rows of a page
MOST_TEXT = 2_000  # maximum characters of a text; a longer one is cut and marked
MOST_SIZE = 100_000  # approximate maximum JSON characters of a page; longer pages have fewer rows
USUAL_KB, MOST_KB = 8, 100  # maximum size of an answer in kB: unless more is requested, and at all
_NOTE = 400  # bytes of an answer that are kept for the note that it was shortened
_SHORT = 1e6
_LARGEST_EXACT = 2**53 - 1  # largest whole number that JavaScript keeps apart from the next one
_MOST_ENTRIES = 200
_DEEPEST = 6
_LEAST = 32  # bytes that each entry of a shortened mapping gets at least
_CUT = "... (cut)"


class Answer(BaseModel):
    """An answer of a tool."""

    paged: ClassVar[str] = ""  # the field that continues at `next_offset`
    alternative: ClassVar[str] = ""  # how to get the rest without a longer answer

    note: str = Field(
        default="",
        description="What was shortened and how to get the rest; up to which step a run that has "
        "not ended was read; empty if neither",
    )

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Return the answer with some values, of which tables and single ones are made JSON."""
        for name, value in values.items():
            if isinstance(value, pd.DataFrame):
                values[name] = rows_of(value)
            elif not isinstance(value, list | dict):
                values[name] = plain(value)
        return cls(**values)

    def within(self, most: int) -> Self:
        """Return the answer in at most `most` bytes of compact JSON; `note` says what is missing.

        At least 4,000 bytes are needed.
        """
        whole = self.model_dump(mode="json")
        size = size_of(whole)
        if size <= most:
            return self
        short = self._shorten(whole, most - _NOTE)
        fields = [_missing(name, one, whole[name]) for name, one in short.items()]
        missing = ", ".join(filter(None, fields))
        how = f"pass max_kb={min(MOST_KB, -(-size // 1000))}{self.alternative} for the rest"
        note = f"Shortened to {most // 1000} kB ({missing}); {how}"
        return self.model_validate(short | {"note": "; ".join(filter(None, [self.note, note]))})

    def _shorten(self, whole: dict[str, Any], most: int) -> dict[str, Any]:
        """Shorten the fields of the answer to a number of bytes."""
        short: dict[str, Any] = shorten(whole, most)
        if self.paged:
            short["next_offset"] = short["offset"] + len(short[self.paged])
        return short


class Page(Answer):
    """Some rows of a longer answer."""

    paged = "rows"
    alternative = ", or next_offset as offset,"

    rows: list[dict[str, Any]] = Field(description="The rows, each with its columns by name")
    total: int = Field(description="Total number of rows")
    offset: int = Field(description="Position of the first returned row, from 0")
    next_offset: int | None = Field(description="Offset for the next rows; null if there are none")


def page_of(
    frame: pd.DataFrame,
    *,
    offset: int,
    limit: int,
    total: int | None = None,
    note: str = "",
    wide: Collection[str] = (),
) -> Page:
    """Return a page of a table: at most `limit` rows, and `MOST_ROWS`, from `offset` on.

    With `total`, the total number of rows, `frame` begins at `offset`. `note` is about an
    unfinished run, and `wide` are columns as in `rows_of`.
    """
    start = offset if total is None else 0
    total = len(frame) if total is None else total
    rows = rows_of(frame.iloc[start : start + min(limit, MOST_ROWS)], wide)
    last = offset + len(rows)
    next_offset = last if rows and last < total else None
    return Page(rows=rows, total=total, offset=offset, next_offset=next_offset, note=note)


def rows_of(frame: pd.DataFrame, wide: Collection[str] = ()) -> list[dict[str, Any]]:
    """Convert rows to JSON values; a named index becomes a column.

    Whole numbers in the columns `wide`, such as hashes, become texts. Stops before the row that
    would make the answer longer than `MOST_SIZE`, but always returns the first row.
    """
    named = frame.reset_index() if frame.index.name is not None else frame
    columns = {str(name): _cells(named[name], wide) for name in named}
    rows: list[dict[str, Any]] = []
    size = 0
    for values in zip(*columns.values(), strict=True):
        row = {name: plain(value) for name, value in zip(columns, values, strict=True)}
        size += len(compact(row))
        if rows and size > MOST_SIZE:
            break
        rows.append(row)
    return rows


def _cells(column: pd.Series, wide: Collection[str]) -> list[Any]:
    """Return the values of a column; all its whole numbers are texts if one has to be.

    So a column that SQL computed, such as the least hash, has one type in an answer, too.
    """
    values: list[Any] = column.tolist()
    whole = [isinstance(one, int) and not isinstance(one, bool) for one in values]
    pairs = list(zip(values, whole, strict=True))
    if column.name in wide or any(
        is_whole and abs(one) > _LARGEST_EXACT for one, is_whole in pairs
    ):
        return [str(one) if is_whole else one for one, is_whole in pairs]
    return values


def _whole(value: int) -> int | str:
    """Return a whole number, as a text if JavaScript, whose numbers are floats, would round it."""
    number = int(value)
    return number if abs(number) <= _LARGEST_EXACT else str(number)


def plain(value: Any, deep: int = 0) -> Any:
    """Convert a value to JSON: cut texts, shortened lists and mappings, no NaN, exact numbers.

    `deep` is the number of lists and mappings around it.
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    for kinds, label in _PLAIN:
        if isinstance(value, kinds):
            return label(value)
    if deep < _DEEPEST and isinstance(value, Mapping):
        shown = islice(value.items(), _MOST_ENTRIES)
        return {cut(str(name)): plain(one, deep + 1) for name, one in shown}
    if deep < _DEEPEST and isinstance(value, list | tuple | set | np.ndarray):
        return [plain(one, deep + 1) for one in islice(value, _MOST_ENTRIES)]
    return cut(str(value))


def cut(text: str, most: int = MOST_TEXT) -> str:
    """Shorten a text to a maximum number of characters, and state how many were removed.

    A lone surrogate, such as in a file name that is not valid UTF-8, is replaced by its code,
    because an answer with it could not be sent.
    """
    if len(text) > most:
        text = f"{text[:most]}... ({len(text) - most:,} more characters)"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_text(value: object) -> bool:
    """Return whether no text in a JSON value contains a lone surrogate."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def compact(value: object) -> str:
    """Return a value as JSON without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size_of(value: object) -> int:
    """Return the number of bytes of a value as compact JSON in UTF-8."""
    return len(compact(value).encode())


def shorten(value: Any, most: int) -> Any:
    """Return a JSON value in at most `most` bytes, at least 32.

    Lists lose their last entries and texts their ends. A mapping divides the bytes evenly among
    its large values, and loses its last entries only if there are too many names.
    """
    size = size_of(value)
    if size <= most:
        return value
    match value:
        case str():
            # Characters differ in bytes, so a proportional part may still be too long.
            characters = (most - len(_CUT) - 2) * len(value) // size
            while size_of(value[:characters]) > most - len(_CUT):
                characters = characters * 9 // 10
            return value[:characters] + _CUT
        case list():
            return _shorten_list(value, most - 2)
        case dict():
            return _shorten_mapping(value, most - 2)
        case _:
            return value


def _shorten_list(values: list[Any], left: int) -> list[Any]:
    kept = []
    for one in values:
        left -= size_of(one) + 1
        if left < 0:
            break
        kept.append(one)
    return kept or [shorten(values[0], left + size_of(values[0]) + 1)]


def _shorten_mapping(values: dict[str, Any], left: int) -> dict[str, Any]:
    kept, most = {}, left
    for name, one in values.items():
        left -= size_of(name) + 2 + min(size_of(one), _LEAST)
        if left < 0:
            break
        kept[name] = one
    left = most - sum(size_of(name) + 2 for name in kept)
    # From the smallest to the largest: each gets an equal part of what the smaller ones left.
    for number, name in enumerate(sorted(kept, key=lambda name: size_of(kept[name]))):
        kept[name] = shorten(kept[name], left // (len(kept) - number))
        left -= size_of(kept[name])
    return kept


def _missing(name: str, short: object, whole: object) -> str:
    """Describe what a shortened field of an answer lacks; "" if nothing."""
    if short == whole or not isinstance(short, str | list | dict):
        return ""
    if isinstance(short, list) and isinstance(whole, list) and len(short) < len(whole):
        return f"{name}: {len(short)} of {len(whole)}"
    return name


def _number(value: float) -> float | None:
    """Return a finite number, None for others; 32-bit numbers as 0.1, not 0.10000000149."""
    exact = float(value)
    if not math.isfinite(exact):
        return None
    short = abs(exact) < _SHORT and not exact.is_integer() and float(np.float32(exact)) == exact
    return float(str(np.float32(exact))) if short else exact


# bool is a subclass of int, and a timestamp of a date, so the order matters.
_PLAIN: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, cut),
    (bool | np.bool_, bool),
    (int | np.integer, _whole),
    (float | np.floating, _number),
    (date, lambda value: value.isoformat()),
)
