"""Indices that are shared by all memories with the same texts."""

import weakref
from collections.abc import Sequence
from typing import Any, Protocol

from memopolis.sim.memory.text.relevance import Relevance
from memopolis.sim.memory.text.texts import Texts

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


class Index(Protocol):
    """An index of the lexical relevance of texts."""

    def relevance(self, queries: Sequence[str], pairs: int) -> Relevance:
        """Return R of the queries and all texts; `pairs` is the number of values to be read."""
        ...


def index_of(texts: Texts) -> Index:
    """Return the lexical index of some texts, created on first use."""
    from memopolis.sim.memory.text.lexical import LexicalIndex

    return shared(LexicalIndex, texts)
