"""From a cell of a table to the value of an attribute."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from memopolis.sim.memory.status.schema import Attribute, Kind

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class CellError(Exception):
    """What a cell was expected to hold."""


def value_of_cell(attribute: Attribute, cell: Any) -> Any:
    """Read a cell as a value of an attribute.

    Args:
        attribute: Whose value it is.
        cell: A plain value, not None; texts are read as numbers, flags or JSON where the
            attribute holds these.

    Raises:
        CellError: With what is expected instead.
    """
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
    number = None if isinstance(cell, bool) else _parsed(cell)
    if number is None or not low <= number <= high or (whole and number != math.floor(number)):
        raise CellError(expected)
    return int(number) if whole else number


def _range(attribute: Attribute) -> tuple[float, float]:
    """Least and greatest number that is sensible, and fits the column."""
    dtype = np.dtype(attribute.dtype)
    info = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    low = float(info.min) if attribute.low is None else attribute.low
    high = float(info.max) if attribute.high is None else attribute.high
    if attribute.labels:
        low, high = max(low, 0), min(high, len(attribute.labels) - 1)
    return low, high


def _parsed(cell: Any) -> float | None:
    try:
        if isinstance(cell, str):
            if "_" in cell:  # which Python would read as a number
                return None
            cell = int(cell) if cell.lstrip("+-").isdecimal() else cell
        number: float = cell if isinstance(cell, int) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _open(attribute: Attribute, cell: Any) -> Any:
    value = _from_text(cell) if isinstance(cell, str) else cell
    if attribute.kind == "set" and isinstance(value, list | set):
        return set(value)
    fits = {"list": isinstance(value, list), "dict": isinstance(value, dict), "any": True}
    if not fits.get(attribute.kind, False):
        expected = {"list": 'a list such as ["a", "b"]', "set": 'a list such as ["a", "b"]'}
        raise CellError(expected.get(attribute.kind, 'a mapping such as {"a": 1}'))
    return value


def _from_text(cell: str) -> Any:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def kind_of_cells(cells: Sequence[Any]) -> Kind:
    """Name the kind of an attribute that nobody declared by the cells of its column.

    Args:
        cells: Plain values, None for those that are empty; texts that are all numbers, or all
            true and false, are taken for these.

    Raises:
        CellError: If cells are of several kinds.
    """
    there = [cell for cell in cells if cell is not None]
    if there and all(isinstance(cell, str) for cell in there):
        return _kind_of_texts(there)
    kinds = {type(cell) for cell in there}
    names: dict[frozenset[type], Kind] = {
        frozenset({bool}): "bool",
        frozenset({int}): "int",
        frozenset({float}): "float",
        frozenset({int, float}): "float",
        frozenset({list}): "list",
        frozenset({set}): "set",
        frozenset({dict}): "dict",
    }
    kind = names.get(frozenset(kinds))
    if kind is None:
        given = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise CellError(f"the cells of a column are of one type, given {given}")
    return kind


def _kind_of_texts(texts: Sequence[str]) -> Kind:
    if all(text.lower() in ("true", "false") for text in texts):
        return "bool"
    numbers = [_parsed(text) for text in texts]
    if any(number is None for number in numbers):
        return "text"
    whole = all(text.lstrip("+-").isdecimal() for text in texts)
    # A code with a leading zero, such as that of a zone, is no number.
    if any(len(text.lstrip("+-")) > 1 and text.lstrip("+-").startswith("0") for text in texts):
        return "text" if whole else "float"
    return "int" if whole else "float"
