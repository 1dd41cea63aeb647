"""How alike queries and texts are, in the form the scoring kernels read.

A search needs R[query, text] for the memories of its agents. Where many memories share a
text, the whole table costs less than the pairs in use; where nearly every text is
distinct, only the pairs in use are worth computing. `Relevance` holds one form or the
other, and both give the same bits.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIEVE = 512
"""Words of a query's sieve."""

FULL = 65_280
"""Relevance of a text that holds every piece of the query: 256 * 255."""


class Pairs(NamedTuple):
    """What `lexical_kernels.relevances_of_texts` reads, as one argument of a compiled function.

    A query's row lists its pieces, their weights, and which pieces of the vocabulary they
    are like: a small hash table from a piece to a line of likenesses, one for each piece of
    the query.

    Attributes:
        flat: Pieces of all texts one after another, uint16, shape (pieces,).
        start: Where a text's pieces begin in `flat`, int64, shape (columns,).
        length: How many pieces a text has, 0 for a number not in use, int32, shape (columns,).
        weight: Weights of the queries' pieces, int32, shape (query pieces,).
        first: Where a row's weights begin in `weight`, int64, shape (rows + 1,).
        total: Sum of a row's weights, at least 1, int64, shape (rows,).
        sieve: One bit for each piece number modulo 32768, set where the row's hash table may
            know the piece: most pieces of a text stop here. uint64, shape (rows * SIEVE,).
        key: Slots of the hash tables: a piece + 1, or 0 where empty, uint16, shape (slots,).
        line: Which line of likenesses a slot leads to, uint16, shape (slots,).
        slot: Where a row's hash table begins, int64, shape (rows + 1,); its size is a
            power of two.
        likeness: Lines of likenesses, uint8, shape (likenesses,); line j of row r begins at
            `origin[r] + j * (first[r + 1] - first[r])`.
        origin: Where a row's lines begin in `likeness`, int64, shape (rows,).
        widest: Most pieces any row has, at least 1: the length of the scratch array.
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
    """R[query, text] of one search, as a table or by pairs; exactly one of the two is given.

    Valid until the index that made it is asked again: the table is the index's own cache
    and must not be written to.

    Attributes:
        rows: The row of each query given, in the order given (equal queries share a row),
            intp, shape (queries,).
        table: R for every text number, uint16 in 0..FULL, shape (rows, columns) with
            columns >= `texts.capacity`, C-contiguous; numbers not in use hold 0.
        pairs: Arrays for `lexical_kernels.relevances_of_texts(pairs, row, texts, begin, end,
            best, out)`, with `best` a scratch array, uint8, shape (pairs.widest,), one for
            each thread.
    """

    rows: NDArray[np.intp]
    table: NDArray[np.uint16] | None = None
    pairs: Pairs | None = None
