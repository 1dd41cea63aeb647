"""Vectors of texts and of their tokens, as whole numbers, and cosines of queries with them."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arrays import Array, Float32, Float64, Int8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.lexical import Table, TermTable
from memopolis.sim.memory.text.pieces import without_fields
from memopolis.sim.memory.text.texts import Numbers, TextChanges, Texts, shared
from memopolis.sim.memory.vectors.embedders.protocol import (
    Embedder,
    Thresholds,
    TokenEmbedder,
    bits_of,
    dimensions_of,
    embed,
    name_of,
    round_vectors,
    thresholds_of,
    unit,
)
from memopolis.sim.memory.vectors.embedders.registry import embedder_of

BATCH = 1024  # most texts per call of an embedder
UNIT = 127  # length of the stored vector of a token
_BLOCK = 256  # most texts in one matrix product
CACHED = 4096  # most texts of a `VectorCache`, unless one call needs more


class TextVectors:
    """Whole-number vectors of the texts in use; each is embedded when first requested."""

    def __init__(self, texts: Texts, embedder: object = "static") -> None:
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
        self._squares[self._changes.take() :] = -1


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


class LateInteraction:
    """Mean over the tokens of a query of the best cosine with a token of the text.

    With MiniLM, a sentence of 16 tokens takes about 6 kB.

    Source:
        O. Khattab, M. Zaharia (2020), ColBERT, doi:10.1145/3397271.3401075, equation 3, divided by
        the number of tokens of the query.
    """

    def __init__(self, texts: Texts, embedder: Embedder) -> None:
        """Create the term of `texts`; the embedder must have vectors of tokens."""
        if not isinstance(embedder, TokenEmbedder):
            raise ParameterError(
                "the term late_interaction needs an embedder with token vectors, such as 'minilm'; "
                f"{name_of(embedder)} has none"
            )
        self._texts, self._embedder = texts, embedder
        self._changes = TextChanges(texts)
        self._tokens: dict[int, Int8] = {}
        self._table = TermTable(texts, self._fill, blank=math.nan)

    @property
    def nbytes(self) -> int:
        """Bytes of the stored vectors of tokens."""
        return sum(vectors.nbytes for vectors in self._tokens.values())

    def dense(self, queries: Sequence[str], numbers: Numbers | None = None) -> Table:
        """Compute the term, nan without a token; arguments as in `TermTable.table`."""
        return self._table.table(queries, numbers)

    def _fill(self, queries: list[str], columns: Numbers, out: Array) -> None:
        self._follow()
        missing = [number for number in columns.tolist() if number not in self._tokens]
        texts = [self._texts[number] for number in missing]
        self._tokens.update(zip(missing, self._embed(texts), strict=True))
        out[:] = math.nan
        tokens = [self._tokens[number] for number in columns.tolist()]
        filled = np.flatnonzero([len(vectors) > 0 for vectors in tokens])
        for row, vectors in enumerate(self._embed(queries)):
            if not len(vectors):
                continue
            for begin in range(0, len(filled), _BLOCK):
                some = filled[begin : begin + _BLOCK]
                out[row, some] = best_cosines(vectors, [tokens[i] for i in some])

    def _embed(self, texts: Sequence[str]) -> list[Int8]:
        vectors = self._embedder.token_vectors([without_fields(text) for text in texts])
        return [np.rint(each * UNIT).astype(np.int8) for each in vectors]

    def _follow(self) -> None:
        if self._changes.waiting:
            first = self._changes.take()
            self._tokens = {n: tokens for n, tokens in self._tokens.items() if n < first}


def best_cosines(query: Array, texts: Sequence[Array]) -> Float32:
    """Compute the mean over query tokens of the best cosine with a token of each text."""
    starts = np.cumsum([0, *(len(vectors) for vectors in texts[:-1])])
    products = query.astype(np.float32) @ np.concatenate(texts).astype(np.float32).T
    best = np.maximum.reduceat(products, starts, axis=1).astype(np.float64)
    return np.asarray(best.sum(axis=0) / (len(query) * UNIT * UNIT), np.float32)
