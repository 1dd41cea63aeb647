"""Open values of a status (lists, sets, dicts, anything plain) as JSON text, and back."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from memopolis.sim.errors import SchemaError

_SET, _PAIRS = "__set__", "__pairs__"
"""Keys that mark what JSON has no form for: sets, and dicts whose keys are not all texts."""


def to_json(value: Any) -> str:
    """Text that an open dict, list, set or any other plain value is kept as.

    Tuples become lists, sets are sorted, numbers and arrays of NumPy become plain ones.

    Raises:
        SchemaError: If it holds anything but plain values.
    """
    try:
        return json.dumps(_plain(value))
    except RecursionError:
        raise SchemaError("a status keeps plain values; given one that holds itself") from None


def from_json(text: str) -> Any:
    """The value that `to_json` kept."""
    if _SET not in text and _PAIRS not in text:
        return json.loads(text)
    return json.loads(text, object_hook=_marked)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return {_SET: _sorted(value)}
    if not isinstance(value, Mapping):
        raise SchemaError(
            f"a status keeps numbers, texts, lists, sets and dicts, given {type(value).__name__} "
            f"{value!r}"
        )
    if all(type(key) is str for key in value) and not value.keys() & {_SET, _PAIRS}:
        return {key: _plain(item) for key, item in value.items()}
    return {_PAIRS: [[_plain(key), _plain(item)] for key, item in value.items()]}


def _sorted(items: Iterable[Any]) -> list[Any]:
    """Items of a set in an order that does not depend on the order of adding."""
    plain = [_plain(item) for item in items]
    try:
        return sorted(plain)
    except TypeError:
        return sorted(plain, key=json.dumps)


def _marked(found: dict[str, Any]) -> Any:
    if found.keys() == {_SET}:
        return {_hashable(item) for item in found[_SET]}
    if found.keys() == {_PAIRS}:
        return {_hashable(key): item for key, item in found[_PAIRS]}
    return found


def _hashable(item: Any) -> Any:
    return tuple(map(_hashable, item)) if isinstance(item, list) else item
