"""Read the entries of a large JSON list one at a time, from a file that is not trusted.

    file -> characters of one entry, up to a limit -> JSON -> pydantic model

Only one entry is in memory at a time. An error in a file is reported in one line.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TextIO

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from memopolis.sim.errors import DataFileError, reason_of

LARGEST_FILE = 4 * 2**30
"""Most bytes of a file; the largest public one, `longmemeval_m.json`, has 2.7 GB."""
LARGEST_ENTRY = 2**24
"""Most characters of an entry; the largest public ones have about 6 million."""
MOST_ENTRIES = 10_000
LONGEST_TEXT = 100_000

_CHUNK = 2**20
_SHOWN = 100


def _text(value: object) -> object:
    """Convert a number to a text; replace lone surrogates, which no file can contain, by "?"."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.encode("utf-8", "replace").decode().strip() if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_text), Field(max_length=LONGEST_TEXT)]
"""A text or number, of limited length, without white space at its ends."""
Name = Annotated[str, BeforeValidator(_text), Field(min_length=1, max_length=200)]
"""A name or mark."""


def read_entries[M: BaseModel](
    path: Path, model: type[M], *, label: str
) -> Iterator[tuple[M, str]]:
    """Read the entries of a JSON list.

    Args:
        path: The file.
        model: Model of an entry.
        label: Field that names an entry in messages.

    Yields:
        Each entry and its name in messages.

    Raises:
        DataFileError: If the file cannot be read, or an entry is invalid.
    """
    number = 0
    for number, value in enumerate(_values(path), start=1):
        name = value.get(label)
        entry = f"{path}: entry {number}" + (f" ({shown(name)})" if isinstance(name, str) else "")
        if number > MOST_ENTRIES:
            raise DataFileError(f"{path} has more than {MOST_ENTRIES:,} entries, the maximum")
        try:
            one = model.model_validate(value)
        except ValidationError as error:
            raise DataFileError(f"{entry}: {_first(error)}") from None
        yield one, entry
    if not number:
        raise DataFileError(f"{path} is an empty list; it needs at least one entry")


def _first(error: ValidationError) -> str:
    """Return the location of the first error and its message."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    return shown(f"{place}: {message}" if place else message, most=400)


def shown(text: str, *, most: int = _SHOWN) -> str:
    """Shorten a text for a message to one line of printable characters."""
    line = "".join(mark if mark.isprintable() else " " for mark in text[: most + 1])
    return line if len(line) <= most else f"{line[:most]}..."


def _values(path: Path) -> Iterator[dict[str, Any]]:
    try:
        if not path.is_file():
            raise DataFileError(f"{path} is not a file; give the path of the JSON file")
        if path.stat().st_size > LARGEST_FILE:
            raise DataFileError(f"{path} has more than {LARGEST_FILE // 2**30} GB, the maximum")
        with path.open(encoding="utf-8-sig") as file:
            yield from _List(path, file)
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise DataFileError(f"{path} is not a text in UTF-8; a JSON file is needed") from None


class _List:
    """Decoder of the objects of a JSON list, one at a time."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._text = ""
        self._at = 0
        self._decoder = json.JSONDecoder()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self._next() != "[":
            raise DataFileError(f"{self._path} does not begin with '['; a JSON list is needed")
        self._at += 1
        number = 0
        while (mark := self._next()) != "]":
            number += 1
            if number > 1:
                if mark != ",":
                    self._refuse(number, "the list ends without ']'" if not mark else "no ','")
                self._at += 1
                mark = self._next()
            if mark != "{":
                self._refuse(number, "it is not a JSON object" if mark else "the file ends here")
            yield self._object(number)

    def _refuse(self, number: int, why: str) -> None:
        raise DataFileError(f"{self._path}: entry {number}: {why}; the file is no complete list")

    def _next(self) -> str:
        """Skip white space and return the next character, "" at the end of the file."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read():
                return ""

    def _read(self) -> bool:
        """Double the buffered characters, so that decoding takes linear time."""
        left = self._text[self._at :]
        piece = self._file.read(max(_CHUNK, len(left)))
        self._text, self._at = left + piece, 0
        return bool(piece)

    def _object(self, number: int) -> dict[str, Any]:
        value: dict[str, Any]
        while True:
            try:
                value, self._at = self._decoder.raw_decode(self._text, self._at)
            except ValueError as error:  # perhaps the object is incomplete
                if len(self._text) - self._at > LARGEST_ENTRY:
                    self._refuse(number, f"more than {LARGEST_ENTRY:,} characters, or no JSON")
                if not self._read():
                    self._refuse(number, shown(str(error)))
            except RecursionError:
                self._refuse(number, "it is nested too deeply")
            else:
                return value
