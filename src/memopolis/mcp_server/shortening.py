"""Shorten JSON values to a number of bytes."""

import json
from typing import Any

_LEAST = 32  # bytes that each entry of a shortened mapping gets at least
_CUT = "... (cut)"


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
