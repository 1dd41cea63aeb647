"""Read TOML files that users write, with errors in one line."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from memopolis.sim.errors import DataFileError, ParameterError, did_you_mean, reason_of
from memopolis.sim.files import read_regular
from memopolis.sim.validation import quote_value


def read_toml(path: Path, *, unreadable: str, invalid: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a file and its parsed content.

    A DataFileError begins with `unreadable`, or with `invalid` if the file is not TOML.
    """
    try:
        text = read_regular(path).decode("utf-8-sig").replace("\r\n", "\n")
        return text, tomllib.loads(text)
    except OSError as error:
        raise DataFileError(f"{unreadable}: {reason_of(error)}") from None
    except ValueError as error:  # invalid TOML or UTF-8
        raise DataFileError(f"{invalid}: {error}") from None
    except RecursionError:
        raise DataFileError(f"{invalid}: nested too deeply") from None


class Entry(BaseModel):
    """A table of a file that a user writes, or a mapping of the same form."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, content: object) -> object:
        known = [one.alias or name for name, one in cls.model_fields.items()]
        for key in content if isinstance(content, Mapping) else ():
            if key not in known:
                advice = did_you_mean(str(key), known)
                raise ValueError(f"unknown key {key!r}; {advice}allowed are {', '.join(known)}")
        return content


def read_entry[T: Entry](kind: type[T], content: object, place: str) -> T:
    """Validate a table of a file. Raises ParameterError with the place and the first mistake."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    if first["type"] == "missing":
        message = f"{where} is missing"
    elif first["type"] != "value_error":
        message = f"{where} is {quote_value(first['input'])}; {message}".removeprefix(" ")
    elif where:
        message = f"{where}: {message}"
    raise ParameterError(f"{place}: {message}")
