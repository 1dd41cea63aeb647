"""Describe the errors of pydantic models in one line."""

import re

from pydantic import ValidationError

_LONGEST = 80  # maximum number of characters of a value in a message
_INSTANCE = re.compile(r" or instance of \w+")


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
