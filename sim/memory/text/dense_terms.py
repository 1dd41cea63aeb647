"""Term by vectors: the cosine of query and text."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.following import Following, Numbers
from memopolis.sim.memory.text.term_table import Float32, Table, TermTable
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors.text_likeness import exact_type, squared_lengths

if TYPE_CHECKING:
    from memopolis.sim.memory.vectors.embedding import TextVectors

_BLOCK = 4_096
_KEPT_QUERIES = 4_096


class DenseTerms:
    """Cosine of queries and texts, from vectors in whole numbers.

    Attributes:
        vectors: Vectors of the texts, each text embedded once.
    """

    def __init__(self, texts: Texts, vectors: "TextVectors") -> None:
        """Follow `texts`, embedded by `vectors`."""
        self.vectors = vectors
        self._asked: dict[str, NDArray[Any]] = {}
        self._table = TermTable(Following(texts), self._fill, blank=math.nan)

    def dense(self, queries: Sequence[str]) -> Table:
        """Cosine in -1..1; nan where the query or the text has no vector."""
        return self._table.table(queries)

    def _fill(self, queries: list[str], columns: Numbers) -> Float32:
        asked = self._embedded(queries)
        out = np.empty((len(queries), len(columns)), np.float32)
        for begin in range(0, len(columns), _BLOCK):
            some = slice(begin, begin + _BLOCK)
            out[:, some] = cosines(asked, self.vectors.rounded(columns[some]))
        return out

    def _embedded(self, queries: list[str]) -> NDArray[Any]:
        """Vectors of queries, those known by heart included."""
        new = [query for query in dict.fromkeys(queries) if query not in self._asked]
        if new:
            if len(self._asked) + len(new) > _KEPT_QUERIES:
                keep = {query: self._asked[query] for query in queries if query in self._asked}
                self._asked = keep
            self._asked.update(zip(new, self.vectors.of_queries(new), strict=True))
        return np.stack([self._asked[query] for query in queries])


def cosines(a: NDArray[Any], b: NDArray[Any]) -> Float32:
    """Compare whole-number vectors, all with all; nan where one is zero.

    Args:
        a: Vectors, shape (n, dimensions).
        b: Vectors, shape (m, dimensions).

    Returns:
        Cosines in -1..1, shape (n, m): the dot products are exact, so their order is free.
    """
    squares = [squared_lengths(v).astype(np.float64) for v in (a, b)]
    exact = exact_type(*squares)
    first: NDArray[Any] = a.astype(exact)
    second: NDArray[Any] = b.astype(exact)
    norms = np.sqrt(squares[0][:, None] * squares[1])
    norms[norms == 0] = math.nan
    return np.asarray(np.clip((first @ second.T) / norms, -1.0, 1.0), np.float32)
