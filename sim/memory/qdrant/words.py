"""Sparse vectors of memories and of the status for Qdrant: word weights of BM25 by FastEmbed.

    SparseWords().of(["A hurricane is coming"])  # one SparseVector

FastEmbed would download its lists of stop words; the English one of this package replaces them, so
no network is needed. Qdrant multiplies the weights by the inverse document frequency.

The status has one point for each embedded attribute of each agent. Its id is row * 2**32 + the
number of the attribute, its payload the row, the name of the attribute and its text.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from qdrant_client import models
from qdrant_client.models import SparseVector

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.text.pieces import STOP_WORDS
from memopolis.sim.memory.views.status_search import embedded_names, texts_of

if TYPE_CHECKING:
    from fastembed.sparse.bm25 import Bm25
    from fastembed.sparse.sparse_embedding_base import SparseEmbedding

    from memopolis.sim.arrays import Objects

SPARSE = "words"
"""Name of the sparse vector of a point; the dense one has no name."""
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
    def _model(self) -> "Bm25":
        from fastembed.sparse.bm25 import Bm25

        # With a folder, which is not read if there are stop words, nothing is downloaded.
        here = str(Path(__file__).parent)
        return Bm25("Qdrant/bm25", specific_model_path=here, stopwords=set(STOP_WORDS))


def _vector(embedding: "SparseEmbedding") -> SparseVector:
    return SparseVector(indices=embedding.indices.tolist(), values=embedding.values.tolist())


class SentStatus:
    """The texts of the status as they were sent last, so that only changes are sent."""

    def __init__(self) -> None:
        self.tick = -1
        self._texts: dict[str, Objects] = {}

    def changed_points(self, memory: Memory, words: SparseWords) -> Iterator[models.PointStruct]:
        """Iterate over the points of attributes whose texts have changed; they count as sent."""
        self.tick = memory.now
        rows = np.arange(len(memory))
        for number, name in enumerate(embedded_names(memory._columns, None)):
            distinct, which = texts_of(memory, rows, name)
            texts = np.array(distinct, object)[which]
            present = memory._columns.presence(name)
            if present is not None:
                texts[~present] = ""
            before = self._texts.get(name, np.full(0, "", object))
            changed = np.ones(len(rows), np.bool_)
            changed[: len(before)] = texts[: len(before)] != before
            self._texts[name] = texts
            new = texts[changed].tolist()
            for row, text, vector in zip(rows[changed].tolist(), new, words.of(new), strict=True):
                payload = {"row": row, "attribute": name, "text": text}
                yield models.PointStruct(
                    id=row << 32 | number, vector={SPARSE: vector}, payload=payload
                )
