"""Vectors of the texts of a memory, as whole numbers, and cosines of queries with them."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arrays import Array, Float32, Float64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.lexical import Table, TermTable
from memopolis.sim.memory.text.texts import Numbers, TextChanges, Texts, shared
from memopolis.sim.memory.vectors.embedders.protocol import Embedder, dimensions_of, embed, name_of
from memopolis.sim.memory.vectors.embedders.registry import embedder_of
from memopolis.sim.memory.vectors.embedders.rounding import bits_of, round_vectors, unit
from memopolis.sim.memory.vectors.thresholds import Thresholds, thresholds_of

BATCH = 1024  # most texts per call of an embedder
CACHED = 4096  # most texts of a `VectorCache`, unless one call needs more


class TextVectors:
    """Whole-number vectors of the texts in use; each is embedded when first requested."""

    def __init__(self, texts: Texts, embedder: Any = "static") -> None:
        self._texts = texts
        self.embedder: Embedder = embedder_of(embedder)
        self._bits = bits_of(self.embedder)
        # Created with the first vector, so that a model is not loaded before it is needed.
        self._store: Array | None = None
        # Squared lengths of the vectors, -1 where a text has none yet.
        self._squares = np.zeros(0, np.int32)
        self._changes = TextChanges(texts)
        self._queries = VectorCache(self.of_queries)
        self._table = TermTable(texts, self._fill_cosines, blank=math.nan)

    @cached_property
    def thresholds(self) -> Thresholds:
        """Cosines above which texts are related, of one cluster, or duplicates."""
        return thresholds_of(self.embedder)

    @property
    def nbytes(self) -> int:
        """Bytes of the stored vectors, without reserved rows, which take no memory yet."""
        rows = min(len(self._squares), self._texts.capacity)
        return rows * (4 if self._store is None else self._store[:1].nbytes + 4)

    def rounded(self, numbers: ArrayLike) -> Array:
        """Return the vectors of texts as whole numbers, zero without a vector, (n, dimensions)."""
        indices = np.asarray(numbers, np.intp)
        if indices.size and (indices.min() < 0 or indices.max() >= self._texts.capacity):
            raise ParameterError(f"text numbers must be in 0..{self._texts.capacity - 1}")
        return self._embedded(indices)[indices]

    def _embedded(self, indices: NDArray[np.intp]) -> Array:
        """Return the vectors of all texts by number, with those of `indices`; not a copy."""
        self._follow()
        # Where all texts are needed, reading them in order is faster.
        known = self._squares[: self._texts.capacity]
        if indices.size < len(known) or (known < 0).any():
            indices = np.unique(indices[self._squares[indices] < 0])
            for begin in range(0, len(indices), BATCH):
                self._embed(indices[begin : begin + BATCH])
        return self._stored()

    def of_queries(self, queries: Sequence[str]) -> Array:
        """Return the vectors of texts that are not stored, as `rounded` does."""
        vectors = embed_rounded(self.embedder, queries)
        if self._store is not None and vectors.shape[1] != self._store.shape[1]:
            raise ParameterError(
                f"the embedder {name_of(self.embedder)} returned vectors of {vectors.shape[1]} "
                f"dimensions, before of {self._store.shape[1]}"
            )
        return vectors

    def _embed(self, numbers: NDArray[np.intp]) -> None:
        vectors = self.of_queries([self._texts[number] for number in numbers.tolist()])
        self._stored(vectors.shape[1])[numbers] = vectors
        self._squares[numbers] = np.einsum("ij,ij->i", vectors, vectors, dtype=np.int32)

    def _stored(self, dimensions: int | None = None) -> Array:
        """Return the stored vectors, a row per number, created with the first vector."""
        if self._store is None:
            width = dimensions_of(self.embedder) if dimensions is None else dimensions
            self._store = np.zeros((len(self._squares), width), f"i{self._bits // 8}")
        return self._store

    def vectors(self, numbers: ArrayLike) -> Float32:
        """Return the stored vectors of texts in use, normalised, float32, (n, dimensions)."""
        return unit(self.rounded(numbers)).astype(np.float32)

    def likeness(self, first: ArrayLike, second: ArrayLike) -> Float64:
        """Compute the cosines of texts in use pair by pair, -1..1; 0 without a vector."""
        return pair_cosines(self.rounded(first), self.rounded(second))

    def dense(self, queries: Sequence[str], numbers: Numbers | None = None) -> Table:
        """Compute the cosines of queries with texts, nan without a vector; as `TermTable.table`."""
        return self._table.table(queries, numbers)

    def _fill_cosines(self, queries: list[str], columns: Numbers, out: Array) -> None:
        from memopolis.sim.memory.vectors import text_likeness_kernels as kernels

        stored = self._embedded(columns)
        for vector, line in zip(self._queries.get(queries), out, strict=True):
            kernels.fill_cosines(vector, stored, self._squares, columns, line)

    def _follow(self) -> None:
        if not self._changes.waiting:
            return
        known = len(self._squares)
        if self._texts.capacity > known:
            # Reserved zeros take no memory before they are written, and a copy takes long.
            length = self._texts.capacity * 3 // 2
            if self._store is not None:
                store = np.zeros((length, self._store.shape[1]), self._store.dtype)
                store[:known] = self._store
                self._store = store
            self._squares = np.append(self._squares, np.full(length - known, -1, np.int32))
        fresh, gone = self._changes.take()
        self._squares[fresh] = self._squares[gone] = -1


def vectors_of(texts: Texts, embedder: Embedder) -> TextVectors:
    """Return the vectors of some texts by an embedder, created on first use."""
    return shared(TextVectors, texts, embedder)


def embed_rounded(embedder: Embedder, texts: Sequence[str]) -> Array:
    """Return the vectors of texts as whole numbers, shape (texts, dimensions)."""
    return round_vectors(embed(embedder, texts), bits_of(embedder))


class VectorCache:
    """Whole-number vectors of texts that have no number, such as queries, by text."""

    def __init__(self, embed: Callable[[Sequence[str]], Array]) -> None:
        self._embed = embed
        self._vectors: dict[str, Array] = {}

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, texts: Sequence[str]) -> Array:
        """Return the vectors of texts; a full cache drops those of earlier calls."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            if len(self._vectors) + len(new) > CACHED:
                known = self._vectors
                self._vectors = {text: known[text] for text in texts if text in known}
            self._vectors.update(zip(new, self._embed(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])


def pair_cosines(first: Array, second: Array) -> Float64:
    """Compute the cosines of whole-number vectors pair by pair; 0 for a zero vector."""
    # Sums of whole numbers are exact in float64, in any order.
    a, b = first.astype(np.float64), second.astype(np.float64)
    norms = (a * a).sum(axis=-1) * (b * b).sum(axis=-1)
    cosine = (a * b).sum(axis=-1) / np.sqrt(np.where(norms > 0, norms, 1.0))
    return np.clip(cosine, -1.0, 1.0)
