"""Relevance of texts to queries, in the form that the scoring kernels read.

A search needs R[query, text] for the memories of its agents. If many memories share a text, a
table of all texts is cheaper; if nearly all texts are distinct, computing only the needed pairs
is. `Relevance` has one form or the other; both give the same bits.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIEVE = 512
"""64-bit words of a query's sieve."""

FULL = 65_280
"""Relevance of a text with every piece of the query: 256 * 255."""


class Pairs(NamedTuple):
    """Arrays of `lexical_kernels.relevances_of_texts`, as one argument of a compiled function.

    A query's row has the weights of its pieces and a small hash table from a piece of the
    vocabulary to a line of likenesses, one for each piece of the query.

    Attributes:
        flat: Pieces of all texts one after another, uint16, shape (pieces,).
        start: Index in `flat` of a text's first piece, int64, shape (columns,).
        length: Number of a text's pieces, 0 for an unused number, int32, shape (columns,).
        weight: Weights of the queries' pieces, int32, shape (query pieces,).
        first: Index in `weight` of a row's first weight, int64, shape (rows + 1,).
        total: Sum of a row's weights, at least 1, int64, shape (rows,).
        sieve: One bit for each piece number modulo 32768, set if the piece may be in the row's
            hash table, which rejects most pieces, uint64, shape (rows * SIEVE,).
        key: Slots of the hash tables: a piece + 1, or 0 where empty, uint16, shape (slots,).
        line: Line of likenesses of a slot, uint16, shape (slots,).
        slot: Index of the first slot of a row's hash table, whose size is a power of two,
            int64, shape (rows + 1,).
        likeness: Lines of likenesses, uint8, shape (likenesses,); line j of row r begins at
            `origin[r] + j * (first[r + 1] - first[r])`.
        origin: Index in `likeness` of a row's first line, int64, shape (rows,).
        widest: Most pieces of a row, at least 1: the length of the scratch array.
    """

    flat: NDArray[np.uint16]
    start: NDArray[np.int64]
    length: NDArray[np.int32]
    weight: NDArray[np.int32]
    first: NDArray[np.int64]
    total: NDArray[np.int64]
    sieve: NDArray[np.uint64]
    key: NDArray[np.uint16]
    line: NDArray[np.uint16]
    slot: NDArray[np.int64]
    likeness: NDArray[np.uint8]
    origin: NDArray[np.int64]
    widest: int


@dataclass(frozen=True, slots=True)
class Relevance:
    """R[query, text] of one search, either as a table or by pairs.

    It is valid until the next call of the index. The table is the cache of the index and must
    not be written to.

    Attributes:
        rows: Row of each query (equal queries share a row), intp, shape (queries,).
        table: R of every text number, 0 for an unused one, uint16 in 0..FULL, shape (rows,
            columns) with columns >= `texts.capacity`, C-contiguous.
        pairs: Arrays for `lexical_kernels.relevances_of_texts(pairs, row, texts, begin, end,
            best, out)`, with `best` a scratch array, uint8, shape (pairs.widest,), one per
            thread.
    """

    rows: NDArray[np.intp]
    table: NDArray[np.uint16] | None = None
    pairs: Pairs | None = None

    def keep(self) -> "Relevance":
        """Return a relevance that stays valid: with a copy of the rows of the table."""
        if self.table is None:
            return self
        distinct, rows = np.unique(self.rows, return_inverse=True)
        return Relevance(rows, table=self.table[distinct])
