"""The term that compares a query with a whole text by the cosine of their vectors."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.term_table import Float32, Table, TermTable
from memopolis.sim.memory.text.texts import Numbers, Texts
from memopolis.sim.memory.vectors.embedding import TextVectors, VectorCache
from memopolis.sim.memory.vectors.text_likeness import exact_type, squared_lengths

_BLOCK = 4_096
_MOST_DIMENSIONS = 1 << 16
"""Most dimensions whose products of bytes sum up within 32 bits."""


class DenseTerms:
    """Cosines of queries and texts, from whole-number vectors.

    Attributes:
        vectors: Vectors of the texts.
    """

    def __init__(self, texts: Texts, vectors: TextVectors) -> None:
        """Create the term of `texts`, embedded by `vectors`."""
        self.vectors = vectors
        self._texts = texts
        self._queries = VectorCache(vectors.of_queries)
        self._table = TermTable(texts, self._fill, blank=math.nan)

    def dense(self, queries: Sequence[str], numbers: Numbers | None = None) -> Table:
        """Compute cosines, -1..1; nan if the query or the text has no vector.

        Args:
            queries: One or more; equal ones share a row.
            numbers: Numbers of the texts that are needed, so that others need no vector; None
                for all texts, whose cosines are cached.
        """
        if numbers is None:
            return self._table.table(queries)
        row_of = {query: row for row, query in enumerate(dict.fromkeys(queries))}
        table = np.full((len(row_of), self._texts.capacity), math.nan, np.float32)
        table[:, numbers] = self._fill(list(row_of), numbers)
        return table, np.array([row_of[query] for query in queries], np.intp)

    def _fill(self, queries: list[str], columns: Numbers) -> Float32:
        vectors = self._queries.get(queries)
        out = np.empty((len(queries), len(columns)), np.float32)
        stored = self.vectors.stored(columns)
        if stored.dtype == np.int8 and stored.shape[1] <= _MOST_DIMENSIONS:
            from memopolis.sim.memory.vectors import dense_kernels as kernels

            for vector, cosine in zip(vectors, out, strict=True):
                kernels.fill_cosines(vector, stored, columns, cosine)
            return out
        for begin in range(0, len(columns), _BLOCK):
            block = slice(begin, begin + _BLOCK)
            out[:, block] = cosines(vectors, self.vectors.rounded(columns[block]))
        return out


def cosines(a: NDArray[Any], b: NDArray[Any]) -> Float32:
    """Compute the cosines of whole-number vectors, each with each.

    Args:
        a: Vectors, shape (n, dimensions).
        b: Vectors, shape (m, dimensions).

    Returns:
        Cosines in -1..1, nan for a zero vector, shape (n, m). The dot products are exact, so
        they do not depend on the order of sums.
    """
    squares = [squared_lengths(v).astype(np.float64) for v in (a, b)]
    exact = exact_type(*squares)
    first: NDArray[Any] = a.astype(exact)
    second: NDArray[Any] = b.astype(exact)
    norms = np.sqrt(squares[0][:, None] * squares[1])
    norms[norms == 0] = math.nan
    return np.asarray(np.clip((first @ second.T) / norms, -1.0, 1.0), np.float32)
