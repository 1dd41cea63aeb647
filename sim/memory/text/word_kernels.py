"""Compiled loops over the words of texts; the definitions are in `word_terms`."""

import numpy as np
from numba import njit


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
    """Count the distinct words that query and text share.

    Args:
        columns: Numbers of texts, shape (n,).
        word_start: First result of `index_words`.
        place: Second result of `index_words`.
        owner: Row of each word's query.
        flat: Words of the texts.
        start: Index of a text's first word.
        whole: Number of its words.
        out: Zeros, int64, shape (rows, n), written in place.
    """
    for i in range(len(columns)):
        text = columns[i]
        for at in range(start[text], start[text] + whole[text]):
            word = flat[at]
            for j in range(word_start[word], word_start[word + 1]):
                out[owner[place[j]], i] += 1
