"""Compiled loops that compare texts: vectors, cosines, and lines of cosines.

A line contains the cosines of one text with a list of texts. It is read from a table of distinct
texts or computed pair by pair; both give the same bits.
"""

import numpy as np
from numba import njit

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.vectors.embedders.protocol import CODES


@njit(cache=True, nogil=True)
def fill_codes(dots, first, second, out):  # type: ignore[no-untyped-def]
    """Convert dot products to codes; `first` and `second` are the inverse lengths."""
    for i in range(dots.shape[0]):
        row, line = dots[i], out[i]
        scale = first[i]
        for j in range(dots.shape[1]):
            cosine = np.float64(row[j]) * (scale * second[j])
            line[j] = np.int16(np.int32(np.floor(cosine * CODES + 0.5)))


@inner
def _dot(a, b):  # type: ignore[no-untyped-def]
    """Compute a dot product; a separate function so that the loop is vectorised."""
    total = np.int32(0)
    for i in range(len(a)):
        # Cast to 32 bits at each step: numba would use 64, which is slower.
        total = np.int32(total + np.int32(np.int32(a[i]) * np.int32(b[i])))
    return total


@njit(cache=True, nogil=True)
def line_of(similarity, query, local, start, n, line):  # type: ignore[no-untyped-def]
    """Compute the cosines of one text with n others into `line`, int16.

    Texts are numbered among the distinct queries (`query`) and stored texts (`local`).
    """
    table, query_vectors, text_vectors, query_inverse, text_inverse = similarity
    if table.shape[0]:
        row = table[query]
        numbers = local[start : start + n]
        for j in range(n):
            line[j] = row[numbers[j]]
        return
    vector = query_vectors[query].astype(np.int16)
    scale = query_inverse[query]
    for j in range(n):
        text = local[start + j]
        cosine = np.float64(_dot(vector, text_vectors[text])) * (scale * text_inverse[text])
        line[j] = np.int16(np.int32(np.floor(cosine * CODES + 0.5)))


@njit(cache=True, nogil=True)
def longest(starts):  # type: ignore[no-untyped-def]
    """Return the length of the longest list, at least 1."""
    length = np.int64(1)
    for p in range(len(starts) - 1):
        length = max(length, starts[p + 1] - starts[p])
    return length


@njit(cache=True, nogil=True)
def fill_cosines(query, stored, squares, numbers, out):  # type: ignore[no-untyped-def]
    """Fill the cosines of a query with some rows, nan for a zero vector.

    All are whole numbers; `squares` has the squared length of each row.
    """
    vector, own = query.astype(np.int16), np.float64(_dot(query, query))
    for i in range(len(numbers)):
        dot = np.float64(_dot(vector, stored[numbers[i]]))
        norm = np.sqrt(own * np.float64(squares[numbers[i]]))
        if norm == 0:
            out[i] = np.nan
        else:
            out[i] = min(max(dot / norm, -1.0), 1.0)


@njit(cache=True, nogil=True)
def add_rows(table, weights, numbers, ends, sums):  # type: ignore[no-untyped-def]
    """Add weighted rows of a table to the sum of each text, whose row numbers end at `ends`."""
    at = 0
    for i in range(len(ends)):
        while at < ends[i]:
            number = numbers[at]
            for d in range(table.shape[1]):
                sums[i, d] += table[number, d] * weights[number]
            at += 1
