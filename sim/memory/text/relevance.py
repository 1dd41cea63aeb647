"""Relevance of texts to queries as a table of all texts, or computed by pairs: the same bits."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arrays import Int32, Int64, UInt16

BLOCK = 8  # pieces of a query whose likenesses are in one 64-bit word, a byte for each
FULL = 65_280  # relevance of a text with every piece of the query: 256 * 255


class Pairs(NamedTuple):
    """Arrays of `lexical_kernels.relevances_of_texts`, as one argument of a compiled function.

    A query's row has the weights of its pieces, and its lines: the pieces similar to one of them.
    """

    flat: UInt16  # pieces of all texts one after another, shape (pieces,)
    start: Int64  # index in `flat` of a text's first piece, shape (columns,)
    length: Int32  # number of a text's pieces, 0 for an unused number, shape (columns,)
    weight: Int32  # weights of the queries' pieces, shape (query pieces,)
    first: Int64  # index in `weight` of a row's first weight, shape (rows + 1,)
    total: Int64  # sum of a row's weights, at least 1, shape (rows,)
    piece: UInt16  # pieces of the lines, shape (entries,)
    entry: Int64  # index in `piece` of a row's first line, shape (rows,)
    lines: Int64  # number of a row's lines, shape (rows,)
    # Likenesses of a row's lines to `BLOCK` pieces of the query, then those to the next ones, and
    # so on, uint64, shape (words,).
    likeness: NDArray[np.uint64]
    origin: Int64  # index in `likeness` of a row's first word, shape (rows,)
    widest: int  # most pieces of a row, at least 1


@dataclass(frozen=True, slots=True)
class Relevance:
    """R[query, text] of one search, as a table or by pairs; valid until the index changes."""

    rows: NDArray[np.intp]  # row of each query (equal queries share a row), shape (queries,)
    # R of every text number, 0 for an unused one, uint16 in 0..FULL, shape (rows, columns) with
    # columns >= `texts.capacity`, C-contiguous.
    table: UInt16 | None = None
    pairs: Pairs | None = None  # arrays for `lexical_kernels.relevances_of_texts`

    def keep(self) -> "Relevance":
        """Return a relevance that stays valid: with a copy of the rows of the table."""
        if self.table is None:
            return self
        if len(self.rows) == 1:
            return Relevance(np.zeros(1, np.intp), table=self.table[self.rows])
        distinct, rows = np.unique(self.rows, return_inverse=True)
        return Relevance(rows, table=self.table[distinct])
