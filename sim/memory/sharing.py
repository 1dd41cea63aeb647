"""Texts that several memories share: one index for all, and one sweep."""

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from memopolis.sim.memory.relevance import Relevance
from memopolis.sim.memory.texts import Texts

if TYPE_CHECKING:
    from memopolis.sim.memory.lexical import LexicalIndex
    from memopolis.sim.memory.memory import Memory


class Index(Protocol):
    """What tells how relevant texts are to queries."""

    def relevance(self, queries: Sequence[str], pairs: int) -> Relevance:
        """R of the queries and all texts; `pairs` is how many values will be looked at."""
        ...


# An index keeps its texts alive, so while it lives no other texts can have their id.
_indices: "weakref.WeakValueDictionary[int, LexicalIndex]" = weakref.WeakValueDictionary()


def index_of(texts: Texts) -> Index:
    """The soft lexical index of some texts, made when it is first asked for."""
    from memopolis.sim.memory.lexical import LexicalIndex

    index = _indices.get(id(texts))
    if index is None:
        index = _indices[id(texts)] = LexicalIndex(texts)
    return index


def sweep_texts(memories: "Sequence[Memory]") -> int:
    """Forget the texts that none of the memories that share them uses any more.

    Args:
        memories: All memories of the same texts, at least one.

    Returns:
        How many texts were forgotten.
    """
    texts = memories[0].texts
    for memory in memories:
        memory.flush()
    used = np.zeros(texts.capacity, np.bool_)
    for memory in memories:
        memory.mark_texts(used)
    return texts.sweep(used)
