"""Strict pydantic models of saved plain values, and their errors in one line."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

_LONGEST = 80  # maximum number of characters of a value in a message
_INSTANCE = re.compile(r" or instance of \w+")


class Plain(BaseModel):
    """Values that were saved as JSON: exactly the declared ones, and of the declared types."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _are_distinct(texts: list[str]) -> list[str]:
    if len(set(texts)) < len(texts):
        raise ValueError("a text is listed twice")
    return texts


Distinct = Annotated[list[str], AfterValidator(_are_distinct)]
"""Texts of which none is listed twice."""


def describe_error(error: ValidationError) -> str:
    """Describe the first error: its place, what is needed, and the actual value."""
    errors = error.errors(include_url=False)
    first = errors[0]
    where = ".".join(map(str, first["loc"]))
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    message = _INSTANCE.sub("", str(first["msg"])).replace("valid dictionary", "JSON object")
    if first["type"] == "missing":
        return f"it lacks {where}{more}"
    if first["type"] == "too_short":
        return f"{where} is empty{more}"
    if first["type"] == "value_error":
        message = message.removeprefix("Value error, ")
        where = f"{where}: " if where else ""
    value = f", given {quote_value(first['input'])}" if where else ""
    return f"{where}{message.removeprefix('Input')}{value}{more}".strip()


def quote_value(value: object) -> str:
    """Return a value as shown in a message, in ASCII and of limited length."""
    try:
        text = ascii(value)
    except ValueError:  # an integer with too many digits
        text = "a number with too many digits"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
