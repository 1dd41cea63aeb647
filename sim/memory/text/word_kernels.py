"""Compiled loops over the words of texts; the definitions are in `word_terms`."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def move(numbers, start, length, flat, counts, into, counts_into):  # type: ignore[no-untyped-def]
    """Copy words and counts of the texts `numbers` to the front; returns where they end."""
    end = 0
    for number in numbers:
        begin = start[number]
        start[number] = end
        for at in range(begin, begin + length[number]):
            into[end] = flat[at]
            counts_into[end] = counts[at]
            end += 1
    return end


@njit(cache=True, nogil=True)
def leads(words, size):  # type: ignore[no-untyped-def]
    """Turn the words of queries around: from a word to the places that ask for it.

    Args:
        words: Number of each asked word, shape (asked,).
        size: Above every number of a word.

    Returns:
        start, int64, shape (size + 1,), and place in `words`, int64, shape (asked,).
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
def bm25(columns, lead, place, owner, share, texts, telling, mean, k1, b, out):  # type: ignore[no-untyped-def]
    """Add up BM25 in the order of each text's words.

    Args:
        columns: Numbers of texts, shape (n,).
        lead: Where the places of a word begin, as from `leads`.
        place: The places, as from `leads`.
        owner: Row of each asked word's query.
        share: Share of each asked word in its query's bound, float64.
        texts: flat, count, start and length of the texts' words.
        telling: Words of each text that count for its length.
        mean: Mean of `telling`, > 0.
        k1: How soon more of the same word counts no more.
        b: How much long texts count less.
        out: Zeros, float64, shape (rows, n), written in place.
    """
    flat, counts, start, length = texts
    for i in range(len(columns)):
        text = columns[i]
        tail = k1 * (1.0 - b + b * telling[text] / mean)
        for at in range(start[text], start[text] + length[text]):
            word = flat[at]
            for j in range(lead[word], lead[word + 1]):
                asked = place[j]
                out[owner[asked], i] += share[asked] * (counts[at] / (counts[at] + tail))


@njit(cache=True, nogil=True)
def in_both(columns, lead, place, owner, flat, start, whole, out):  # type: ignore[no-untyped-def]
    """Count the distinct words that query and text share.

    Args:
        columns: Numbers of texts, shape (n,).
        lead: As from `leads`.
        place: As from `leads`.
        owner: Row of each asked word's query.
        flat: Words of the texts.
        start: Where a text's begin.
        whole: How many they are.
        out: Zeros, int64, shape (rows, n), written in place.
    """
    for i in range(len(columns)):
        text = columns[i]
        for at in range(start[text], start[text] + whole[text]):
            word = flat[at]
            for j in range(lead[word], lead[word + 1]):
                out[owner[place[j]], i] += 1
