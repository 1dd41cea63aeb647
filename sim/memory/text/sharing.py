"""Texts that several memories share: one index for all, and one sweep."""

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memopolis.sim.memory.text.relevance import Relevance
from memopolis.sim.memory.text.texts import Texts

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.text.lexical import LexicalIndex
    from memopolis.sim.memory.vectors.embedding import TextVectors


class Index(Protocol):
    """What tells how relevant texts are to queries."""

    def relevance(self, queries: Sequence[str], pairs: int) -> Relevance:
        """R of the queries and all texts; `pairs` is how many values will be looked at."""
        ...


# An index keeps its texts alive, so while it lives no other texts can have their id.
_indices: "weakref.WeakValueDictionary[int, LexicalIndex]" = weakref.WeakValueDictionary()


def index_of(texts: Texts) -> Index:
    """The soft lexical index of some texts, made when it is first asked for."""
    from memopolis.sim.memory.text.lexical import LexicalIndex

    index = _indices.get(id(texts))
    if index is None:
        index = _indices[id(texts)] = LexicalIndex(texts)
    return index


_vectors: "weakref.WeakValueDictionary[tuple[int, int], TextVectors]"
_vectors = weakref.WeakValueDictionary()


def vectors_of(texts: Texts, embedder: Any) -> "TextVectors":
    """The vectors of some texts by an embedder, made when they are first asked for."""
    from memopolis.sim.memory.vectors.embedding import TextVectors

    # Vectors keep their texts and their embedder alive, so their ids cannot be used again.
    key = (id(texts), id(embedder))
    vectors = _vectors.get(key)
    if vectors is None:
        vectors = _vectors[key] = TextVectors(texts, embedder)
    return vectors


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
