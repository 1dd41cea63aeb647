"""Sparse vectors of texts for Qdrant: the word weights of BM25 by FastEmbed.

    SparseWords().of(["A hurricane is coming"])  # one SparseVector

FastEmbed would download its lists of stop words; the English one of this package replaces them, so
no network is needed. Qdrant multiplies the weights by the inverse document frequency.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from qdrant_client.models import SparseVector

from memopolis.sim.memory.text.pieces import STOP_WORDS

_KEPT = 100_000
"""Number of texts whose vectors are kept, since most texts are stored several times."""


class SparseWords:
    """Sparse vectors of texts and queries, computed once for each distinct text."""

    def __init__(self) -> None:
        self._kept: dict[str, SparseVector] = {}

    def of(self, texts: Sequence[str]) -> list[SparseVector]:
        """Return the vectors of texts: hashes of word stems, and their weights."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if len(self._kept) + len(new) > _KEPT:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        self._kept |= zip(new, map(_vector, self._model.embed(new)), strict=True)
        return [self._kept[text] for text in texts]

    def of_query(self, query: str) -> SparseVector:
        """Return the vector of a query, in which each word weighs 1."""
        return _vector(next(iter(self._model.query_embed(query))))

    @cached_property
    def _model(self) -> Any:
        from fastembed.sparse.bm25 import Bm25

        # With a folder, which is not read if there are stop words, nothing is downloaded.
        here = str(Path(__file__).parent)
        return Bm25("Qdrant/bm25", specific_model_path=here, stopwords=set(STOP_WORDS))


def _vector(embedding: Any) -> SparseVector:
    return SparseVector(indices=embedding.indices.tolist(), values=embedding.values.tolist())
