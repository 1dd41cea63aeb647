"""Values of attributes from the cells of a table."""

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from memopolis.sim.memory.status.schema import Attribute, Kind, kind_of

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class CellError(Exception):
    """An invalid cell; the message says what is expected."""


def parse_cell(attribute: Attribute, cell: Any) -> Any:
    """Convert a plain value, not None, to a value of an attribute; parse text where necessary."""
    if attribute.kind == "text":
        if not isinstance(cell, str):
            raise CellError("a text")
        return cell
    if attribute.kind == "bool":
        flag = _FLAGS.get(str(cell).lower())
        if flag is None:
            raise CellError("true or false")
        return flag
    if attribute.kind in ("int", "float"):
        return _number(attribute, cell)
    return _open(attribute, cell)


def _number(attribute: Attribute, cell: Any) -> float:
    whole = attribute.kind == "int"
    if cell in attribute.labels:
        return attribute.labels.index(cell)
    low, high = _range(attribute)
    expected = "a whole number" if whole else "a number"
    if math.isfinite(low):
        expected += f", at least {low:g}"
    if math.isfinite(high):
        expected += f", at most {high:g}"
    if attribute.labels:
        expected += f", or one of {', '.join(attribute.labels)}"
    number = None if isinstance(cell, bool) else _parse_number(cell)
    if number is None or not low <= number <= high or (whole and number != math.floor(number)):
        raise CellError(expected)
    return int(number) if whole else number


def _range(attribute: Attribute) -> tuple[float, float]:
    """Return the least and greatest sensible number that fits into the column."""
    dtype = np.dtype(attribute.dtype)
    info = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    low = float(info.min) if attribute.low is None else attribute.low
    high = float(info.max) if attribute.high is None else attribute.high
    if attribute.labels:
        low, high = max(low, 0), min(high, len(attribute.labels) - 1)
    return low, high


def _parse_number(cell: Any) -> float | None:
    try:
        if isinstance(cell, str):
            if "_" in cell:  # Python would parse it as a number
                return None
            cell = int(cell) if cell.lstrip("+-").isdecimal() else cell
        number: float = cell if isinstance(cell, int) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _open(attribute: Attribute, cell: Any) -> Any:
    value = cell
    if isinstance(cell, str):
        with suppress(ValueError):
            value = json.loads(cell)
    if attribute.kind == "set" and isinstance(value, list | set):
        return set(value)
    fits = {"list": isinstance(value, list), "dict": isinstance(value, dict), "any": True}
    if not fits.get(attribute.kind, False):
        expected = {"list": 'a list such as ["a", "b"]', "set": 'a list such as ["a", "b"]'}
        raise CellError(expected.get(attribute.kind, 'a mapping such as {"a": 1}'))
    return value


def infer_kind(cells: Sequence[Any]) -> Kind:
    """Infer the kind of an undeclared attribute from its cells; texts of numbers are numbers."""
    filled = [cell for cell in cells if cell is not None]
    if filled and all(isinstance(cell, str) for cell in filled):
        return _kind_of_texts(filled)
    kinds = {kind_of(cell) for cell in filled}
    if kinds == {"int", "float"}:
        return "float"
    if len(kinds) != 1:
        types = ", ".join(sorted({type(cell).__name__ for cell in filled}))
        raise CellError(f"the cells of a column are of one type, got {types}")
    return kinds.pop()


def _kind_of_texts(texts: Sequence[str]) -> Kind:
    if all(text.lower() in ("true", "false") for text in texts):
        return "bool"
    numbers = [_parse_number(text) for text in texts]
    if any(number is None for number in numbers):
        return "text"
    whole = all(text.lstrip("+-").isdecimal() for text in texts)
    # A code with a leading zero, such as a zone number, is text.
    if any(len(text.lstrip("+-")) > 1 and text.lstrip("+-").startswith("0") for text in texts):
        return "text" if whole else "float"
    return "int" if whole else "float"
