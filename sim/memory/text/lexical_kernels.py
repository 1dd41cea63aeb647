"""Compiled loops of soft lexical relevance, in whole numbers; the definition is in `lexical`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.memory.text.relevance import SIEVE, Pairs

BLOCK = 1_024
"""Columns combined at once, so that their sums fit into the L1 cache."""


@njit(cache=True, nogil=True)
def count(numbers, start, length, flat, df, by):  # type: ignore[no-untyped-def]
    """Add `by` to the document frequency of every token of the texts `numbers`."""
    for number in numbers:
        for at in range(start[number], start[number] + length[number]):
            df[flat[at]] += by


@njit(cache=True, nogil=True, inline="always")
def weigh(living, df):  # type: ignore[no-untyped-def]
    """Compute the weight of a piece: floor(log2(living / df)), at least 1."""
    ratio = living // max(1, df)
    bits = 0
    while ratio > 0:
        ratio >>= 1
        bits += 1
    return max(1, bits - 1)


@njit(cache=True, nogil=True, inline="always")
def holds(weight, living, df):  # type: ignore[no-untyped-def]
    """Return whether `weigh(living, df)` equals `weight`, without a division."""
    known = max(1, df)
    return living < known << (weight + 1) and (weight == 1 or living >= known << weight)


@njit(cache=True, nogil=True)
def reverse(rows, pieces, list_start, list_piece, list_likeness, vocabulary):  # type: ignore[no-untyped-def]
    """Invert the likeness lists of the rows' pieces: from a text's piece to the rows.

    Returns:
        start, int64, shape (vocabulary + 1,); row, int32, and likeness, uint8, shape (entries,);
        and whether a piece has any row, bool, shape (vocabulary,).
    """
    start = np.zeros(vocabulary + 2, np.int64)
    for piece in pieces:
        for at in range(list_start[piece], list_start[piece + 1]):
            start[list_piece[at] + 2] += 1
    for v in range(2, vocabulary + 2):
        start[v] += start[v - 1]
    row = np.empty(start[vocabulary + 1], np.int32)
    likeness = np.empty(start[vocabulary + 1], np.uint8)
    for i in range(len(rows)):
        for at in range(list_start[pieces[i]], list_start[pieces[i] + 1]):
            slot = start[list_piece[at] + 1]
            row[slot] = rows[i]
            likeness[slot] = list_likeness[at]
            start[list_piece[at] + 1] = slot + 1
    leads = np.empty(vocabulary, np.bool_)
    for v in range(vocabulary):
        leads[v] = start[v + 1] > start[v]
    return start[: vocabulary + 1], row, likeness, leads


@njit(cache=True, nogil=True)
def spread(columns, start, length, flat, near_start, near_row, near_likeness, leads, best):  # type: ignore[no-untyped-def]
    """Raise best[row, text] to the likeness of the text's nearest piece, for the given columns.

    Args:
        columns: Text numbers whose columns of `best` are 0 in these rows.
        start: Index of each text's first piece.
        length: Number of its pieces.
        flat: The pieces.
        near_start: First result of `reverse`.
        near_row: Second result of `reverse`.
        near_likeness: Third result of `reverse`.
        leads: Fourth result of `reverse`.
        best: uint8, shape (rows, columns), written in place.
    """
    for column in columns:
        begin = np.uint64(start[column])
        end = begin + np.uint64(length[column])
        # Without a branch this loop is vectorised, and most texts have no match.
        hit = False
        for at in range(begin, end):
            hit |= leads[np.uint64(flat[at])]
        if not hit:
            continue
        for at in range(begin, end):
            v = flat[at]
            for near in range(near_start[v], near_start[v + 1]):
                row = near_row[near]
                best[row, column] = max(best[row, column], near_likeness[near])


@njit(cache=True, nogil=True)
def stale(rows, query_length, query_piece, query_weight, living, df):  # type: ignore[no-untyped-def]
    """Find the rows that were combined with outdated weights.

    Returns:
        bool, shape of `rows`.
    """
    changed = np.zeros(len(rows), np.bool_)
    for i in range(len(rows)):
        row = rows[i]
        for j in range(query_length[row]):
            if not holds(query_weight[row, j], living, df[query_piece[row, j]]):
                changed[i] = True
                break
    return changed


@njit(cache=True, nogil=True)
def combine(rows, query_length, query_piece, query_best, query_weight, living, df, best, table):  # type: ignore[no-untyped-def]
    """Renew the weights of the rows and combine all their columns.

    table[row, text] = 256 * sum_p(weight_p * best[p, text]) // sum_p(weight_p)

    Args:
        rows: Rows of the table, shape (renewed,).
        query_length: Number of pieces of each row, int32, shape (rows,).
        query_piece: The pieces, uint16, shape (rows, widest).
        query_best: Their rows in `best`, int32, shape (rows, widest).
        query_weight: Their weights, int32, shape (rows, widest), written in place.
        living: Number of living texts.
        df: Living texts that hold each piece.
        best: uint8, shape (pieces, columns).
        table: uint16, shape (rows, columns), written in place.
    """
    columns = table.shape[1]
    sums = np.empty(BLOCK, np.int32)
    for row in rows:
        total = 0
        for j in range(query_length[row]):
            query_weight[row, j] = weigh(living, df[query_piece[row, j]])
            total += query_weight[row, j]
        scale = np.float64(max(1, total))
        for begin in range(0, columns, BLOCK):
            width = min(BLOCK, columns - begin)
            sums[:] = 0
            for j in range(query_length[row]):
                weight = np.int32(query_weight[row, j])
                line = best[query_best[row, j], begin : begin + width]
                for i in range(width):
                    sums[i] += weight * np.int32(line[i])
            out = table[row, begin : begin + width]
            for i in range(width):
                # Exact: a quotient of whole numbers below 2**53 / 2**24 rounds to the next
                # whole number only if it is one.
                out[i] = np.uint16(np.int32(np.float64(sums[i]) * 256.0 / scale))


@njit(cache=True, nogil=True)
def combine_columns(rows, columns, query_length, query_best, query_weight, best, table):  # type: ignore[no-untyped-def]
    """Combine some columns of rows whose weights are up to date."""
    for row in rows:
        total = 0
        for j in range(query_length[row]):
            total += query_weight[row, j]
        scale = np.float64(max(1, total))
        for column in columns:
            acc = 0
            for j in range(query_length[row]):
                acc += query_weight[row, j] * np.int64(best[query_best[row, j], column])
            table[row, column] = np.uint16(np.int32(np.float64(acc) * 256.0 / scale))


@njit(cache=True, nogil=True)
def slots(first, pieces, list_start, slot, origin):  # type: ignore[no-untyped-def]
    """Compute the layout of the queries' hash tables; return the number of likenesses.

    Args:
        first: Index in `pieces` of each row's first piece, shape (rows + 1,).
        pieces: Pieces of all queries.
        list_start: Start of each piece's likeness list.
        slot: See `Pairs`; written in place.
        origin: See `Pairs`; written in place.
    """
    likenesses = 0
    for row in range(len(first) - 1):
        entries = 0
        for at in range(first[row], first[row + 1]):
            entries += list_start[pieces[at] + 1] - list_start[pieces[at]]
        size = 2
        while size < 2 * entries:
            size *= 2
        slot[row + 1] = slot[row] + size
        origin[row] = likenesses
        likenesses += entries * (first[row + 1] - first[row])
    return likenesses


@njit(cache=True, nogil=True)
def fill(pairs, pieces, list_start, list_piece, list_likeness, living, df):  # type: ignore[no-untyped-def]
    """Fill weight, total, sieve, key, line and likeness of `pairs`, which are zero, in place."""
    for row in range(len(pairs.total)):
        begin, end = pairs.first[row], pairs.first[row + 1]
        base, mask = pairs.slot[row], pairs.slot[row + 1] - pairs.slot[row] - 1
        lines = 0
        total = 0
        for at in range(begin, end):
            pairs.weight[at] = weigh(living, df[pieces[at]])
            total += pairs.weight[at]
            for entry in range(list_start[pieces[at]], list_start[pieces[at] + 1]):
                piece = list_piece[entry]
                word = row * SIEVE + ((piece >> 6) & (SIEVE - 1))
                pairs.sieve[word] |= np.uint64(1) << np.uint64(piece & 63)
                wanted = np.int64(piece) + 1
                place = wanted & mask
                while pairs.key[base + place] != 0 and pairs.key[base + place] != wanted:
                    place = (place + 1) & mask
                if pairs.key[base + place] == 0:
                    pairs.key[base + place] = wanted
                    pairs.line[base + place] = lines
                    lines += 1
                line = pairs.origin[row] + np.int64(pairs.line[base + place]) * (end - begin)
                pairs.likeness[line + at - begin] = list_likeness[entry]
        pairs.total[row] = max(1, total)


@njit(cache=True, nogil=True, inline="always")
def _bit(sieve, base, piece):  # type: ignore[no-untyped-def]
    """Return the row's bit of a piece as the lowest bit, with other bits above it."""
    word = base + ((piece >> np.uint64(6)) & np.uint64(SIEVE - 1))
    return sieve[word] >> (piece & np.uint64(63))


@njit(cache=True, nogil=True)
def relevances_of_texts(  # type: ignore[no-untyped-def]
    pairs: Pairs,
    row: int,
    texts: NDArray[np.integer],
    begin: int,
    end: int,
    best: NDArray[np.uint8],
    out: NDArray[np.integer],
):
    """Compute out[i] = R[row, texts[i]] for i in begin..end - 1, with the bits of the table.

    Args:
        pairs: The arrays of the queries and texts.
        row: Row of the query.
        texts: Text numbers, whole numbers of any type, shape (n,).
        begin: First index to compute.
        end: Index after the last.
        best: Scratch, uint8, shape (pairs.widest,), overwritten.
        out: Relevances 0..65280, written in place, shape (n,).
    """
    # Arrays are taken out of the tuple once, since each access counts a reference.
    flat, start, length, sieve = pairs.flat, pairs.start, pairs.length, pairs.sieve
    key, line, likeness, weight = pairs.key, pairs.line, pairs.likeness, pairs.weight
    first, total = pairs.first[row], np.float64(pairs.total[row])
    width = pairs.first[row + 1] - first
    base, mask = np.uint64(pairs.slot[row]), np.uint64(pairs.slot[row + 1] - pairs.slot[row] - 1)
    origin, bits = pairs.origin[row], np.uint64(row * SIEVE)
    for i in range(begin, end):
        left = np.uint64(start[texts[i]])
        right = left + np.uint64(length[texts[i]])
        hits = np.uint64(0)
        # Without a branch this loop is vectorised, and most texts have no match.
        for at in range(left, right):
            hits |= _bit(sieve, bits, np.uint64(flat[at]))
        if not hits & np.uint64(1):
            out[i] = 0
            continue
        for j in range(width):
            best[j] = 0
        for at in range(left, right):
            piece = np.uint64(flat[at])
            if not _bit(sieve, bits, piece) & np.uint64(1):
                continue
            wanted = piece + np.uint64(1)
            place = wanted & mask
            while key[base + place] != 0 and key[base + place] != wanted:
                place = (place + np.uint64(1)) & mask
            if key[base + place] == 0:
                continue
            near = origin + np.int64(line[base + place]) * width
            for j in range(width):
                best[j] = max(best[j], likeness[near + j])
        above = np.int64(0)
        for j in range(width):
            above += np.int64(weight[first + j]) * np.int64(best[j])
        out[i] = np.int64(np.float64(above) * 256.0 / total)


@njit(cache=True, nogil=True)
def relevance_of_pair(pairs: Pairs, row: int, text: int, best: NDArray[np.uint8]) -> int:
    """Compute one value R[row, text]; for many texts `relevances_of_texts` is faster.

    Args:
        pairs: The arrays of the queries and texts.
        row: Row of the query.
        text: Text number.
        best: Scratch, uint8, shape (pairs.widest,), overwritten.

    Returns:
        Relevance, 0..65280.
    """
    texts, out = np.full(1, text, np.int64), np.zeros(1, np.int64)
    relevances_of_texts(pairs, row, texts, 0, 1, best, out)
    return int(out[0])
