"""Compiled loops over pieces and words of texts; the definitions are in `lexical` and `words`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.memory.text.relevance import SIEVE, Pairs


@njit(cache=True, nogil=True)
def count(numbers, start, length, flat, df, by):  # type: ignore[no-untyped-def]
    """Add `by` to the document frequency of every token of the texts `numbers`."""
    for number in numbers:
        for at in range(start[number], start[number] + length[number]):
            df[flat[at]] += by


@njit(cache=True, nogil=True)
def slots(first, pieces, list_start, slot, origin):  # type: ignore[no-untyped-def]
    """Write `slot` and `origin` of `Pairs` for the hash tables; return the number of likenesses.

    `first` is the index of each row's first piece in `pieces`, `list_start` the start of each
    piece's likeness list.
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
def fill(pairs, pieces, list_start, list_piece, list_likeness):  # type: ignore[no-untyped-def]
    """Fill total, sieve, key, line and likeness of `pairs`, which are zero, in place."""
    for row in range(len(pairs.total)):
        begin, end = pairs.first[row], pairs.first[row + 1]
        base, mask = pairs.slot[row], pairs.slot[row + 1] - pairs.slot[row] - 1
        lines = 0
        total = 0
        for at in range(begin, end):
            total += pairs.weight[at]
            for entry in range(list_start[pieces[at]], list_start[pieces[at] + 1]):
                piece = list_piece[entry]
                word = row * SIEVE + ((piece >> 6) & (SIEVE - 1))
                pairs.sieve[word] |= np.uint64(1) << np.uint64(piece & 63)
                slot_key = np.int64(piece) + 1
                place = slot_key & mask
                while pairs.key[base + place] != 0 and pairs.key[base + place] != slot_key:
                    place = (place + 1) & mask
                if pairs.key[base + place] == 0:
                    pairs.key[base + place] = slot_key
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

    `best[i, j]` becomes M of piece j of the query and text i, if `best` has a row for each text.

    Args:
        pairs: The arrays of the queries and texts.
        row: Row of the query.
        texts: Text numbers, whole numbers of any type, shape (n,).
        begin: First index to compute.
        end: Index after the last.
        best: M of the pieces, uint8, shape (n, pairs.widest), written in place where a piece may
            match; or scratch of shape (1, pairs.widest).
        out: Relevances 0..65280, written in place, shape (n,).
    """
    # Arrays are taken out of the tuple once, since each access counts a reference.
    flat, start, length, sieve = pairs.flat, pairs.start, pairs.length, pairs.sieve
    key, line, likeness, weight = pairs.key, pairs.line, pairs.likeness, pairs.weight
    first, total = pairs.first[row], np.float64(pairs.total[row])
    width = pairs.first[row + 1] - first
    base, mask = np.uint64(pairs.slot[row]), np.uint64(pairs.slot[row + 1] - pairs.slot[row] - 1)
    origin, bits = pairs.origin[row], np.uint64(row * SIEVE)
    kept = len(best) > 1
    for i in range(begin, end):
        at_best = i if kept else 0
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
            best[at_best, j] = 0
        for at in range(left, right):
            piece = np.uint64(flat[at])
            if not _bit(sieve, bits, piece) & np.uint64(1):
                continue
            slot_key = piece + np.uint64(1)
            place = slot_key & mask
            while key[base + place] != 0 and key[base + place] != slot_key:
                place = (place + np.uint64(1)) & mask
            if key[base + place] == 0:
                continue
            near = origin + np.int64(line[base + place]) * width
            for j in range(width):
                best[at_best, j] = max(best[at_best, j], likeness[near + j])
        above = np.int64(0)
        for j in range(width):
            above += np.int64(weight[first + j]) * np.int64(best[at_best, j])
        out[i] = np.int64(np.float64(above) * 256.0 / total)


@njit(cache=True, nogil=True)
def relevances_of_queries(pairs, texts, out):  # type: ignore[no-untyped-def]
    """Compute out[row, i] = R[row, texts[i]] for every row of `pairs`."""
    best = np.empty((1, pairs.widest), np.uint8)
    for row in range(len(out)):
        relevances_of_texts(pairs, row, texts, 0, len(texts), best, out[row])


@njit(cache=True, nogil=True)
def index_words(words, size):  # type: ignore[no-untyped-def]
    """Index the words of queries: from a word to its occurrences.

    Args:
        words: Number of each word of the queries, shape (m,).
        size: Upper bound of the numbers of words.

    Returns:
        start, int64, shape (size + 1,), and index into `words`, int64, shape (m,).
    """
    start = np.zeros(size + 2, np.int64)
    for word in words:
        start[word + 2] += 1
    for word in range(2, size + 2):
        start[word] += start[word - 1]
    place = np.empty(len(words), np.int64)
    for at in range(len(words)):
        word = words[at]
        place[start[word + 1]] = at
        start[word + 1] += 1
    return start[: size + 1], place


@njit(cache=True, nogil=True)
def bm25(columns, word_start, place, owner, share, texts, counted, mean, k1, b, out):  # type: ignore[no-untyped-def]
    """Sum BM25 in the order of each text's words.

    Args:
        columns: Numbers of texts, shape (n,).
        word_start: First result of `index_words`.
        place: Second result of `index_words`.
        owner: Row of each word's query.
        share: Share of each word in its query's maximum, float64.
        texts: flat, count, start and length of the texts' words.
        counted: Length of each text for BM25.
        mean: Mean of `counted`, > 0.
        k1: Saturation of repeated words.
        b: Penalty for long texts.
        out: Zeros, float64, shape (rows, n), written in place.
    """
    flat, counts, start, length = texts
    for i in range(len(columns)):
        text = columns[i]
        tail = k1 * (1.0 - b + b * counted[text] / mean)
        for at in range(start[text], start[text] + length[text]):
            word = flat[at]
            for j in range(word_start[word], word_start[word + 1]):
                entry = place[j]
                out[owner[entry], i] += share[entry] * (counts[at] / (counts[at] + tail))


@njit(cache=True, nogil=True)
def count_shared(columns, word_start, place, owner, flat, start, whole, out):  # type: ignore[no-untyped-def]
    """Count the distinct words that query and text share; arguments as in `bm25`.

    `whole` is the number of words of each text, with those of one letter, and `out` zeros, int64.
    """
    for i in range(len(columns)):
        text = columns[i]
        for at in range(start[text], start[text] + whole[text]):
            word = flat[at]
            for j in range(word_start[word], word_start[word + 1]):
                out[owner[place[j]], i] += 1
