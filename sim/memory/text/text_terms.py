"""Terms that compare a query with a whole text: BM25, the keyword score, and the cosine.

Each is a table [query, text] over all distinct texts, in float32. A value follows from the
query and the living texts alone: not from their order, nor from what else is asked.
"""

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memopolis.sim.memory.text.dense_terms import DenseTerms
from memopolis.sim.memory.text.term_table import Table
from memopolis.sim.memory.text.word_terms import WordTerms
from memopolis.sim.memory.text.words import TextWords

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

# Terms keep what they follow alive, so while they live its id is not used again.
_word_terms: "weakref.WeakValueDictionary[int, WordTerms]" = weakref.WeakValueDictionary()
_dense_terms: "weakref.WeakValueDictionary[int, DenseTerms]" = weakref.WeakValueDictionary()


class TextTerms:
    """The terms of one memory; memories of the same texts and embedder share them."""

    def __init__(self, memory: "Memory") -> None:
        """Take the shared terms of the memory's texts; vectors are made when first needed."""
        texts = memory.texts
        self._memory = weakref.ref(memory)
        self._words = _word_terms.get(id(texts)) or WordTerms(texts)
        _word_terms[id(texts)] = self._words
        self._dense: DenseTerms | None = None

    def words(self) -> TextWords:
        """As `WordTerms.words`."""
        return self._words.words()

    def asked(self, queries: Sequence[str]) -> TextWords:
        """As `WordIndex.asked`."""
        self._words.words()
        return self._words.index.asked(queries)

    def bm25(self, queries: Sequence[str]) -> Table:
        """As `WordTerms.bm25`."""
        return self._words.bm25(queries)

    def keyword(self, queries: Sequence[str]) -> Table:
        """As `WordTerms.keyword`."""
        return self._words.keyword(queries)

    def dense(self, queries: Sequence[str]) -> Table:
        """As `DenseTerms.dense`, by the memory's embedder."""
        memory = self._memory()
        assert memory is not None  # noqa: S101  the memory holds these terms, not they it
        vectors = memory.vectors
        if self._dense is None or self._dense.vectors is not vectors:
            self._dense = _dense_terms.get(id(vectors)) or DenseTerms(memory.texts, vectors)
            _dense_terms[id(vectors)] = self._dense
        return self._dense.dense(queries)


def text_terms(memory: "Memory") -> TextTerms:
    """The terms of a memory's texts, made when they are first asked for."""
    if memory.terms is None:
        memory.terms = TextTerms(memory)
    return memory.terms
