"""Indices that are shared by all memories with the same texts."""

import weakref
from typing import Any

# An object owns what it was created from, so while it exists no id in its key is reused.
_shared: "weakref.WeakValueDictionary[tuple[Any, ...], Any]" = weakref.WeakValueDictionary()


def shared[T](kind: type[T], *parts: object) -> T:
    """Return the one object of a class that was created from these parts.

    Args:
        kind: A class whose objects hold references to their parts.
        parts: Arguments of the class, compared by identity.
    """
    key = (kind, *map(id, parts))
    known: T | None = _shared.get(key)
    if known is None:
        known = _shared[key] = kind(*parts)
    return known
