"""TF-IDF of one agent's memories in compiled loops, with the same bits as `tfidf.py`."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def fit_cosines(  # type: ignore[no-untyped-def]
    begin, n, text, gate, fit, query, frequency, query_weights, out
):
    """Fit tf-idf on a query and the memories that pass, and fill their cosines.

    Args:
        begin: Start of the memories in the scratch rows.
        n: Number of memories.
        text: Their text numbers, int32.
        gate: 0 for those that pass, float32.
        fit: Words, counts, starts and lengths of texts, the same of queries, logarithms.
        query: Index of the query.
        frequency: Scratch of zeros, int32, shape (words,); left as zeros.
        query_weights: Scratch of zeros, float64, shape (words,); left as zeros.
        out: Result, float32; 0 for those that do not pass.
    """
    flat, count, start, length, own, times, own_start, own_length, logs = fit
    end = begin + n
    documents = 1
    for q in range(begin, end):
        if gate[q] == 0:
            documents += 1
            for at in range(start[text[q]], start[text[q]] + length[text[q]]):
                frequency[flat[at]] += 1
    a, b = own_start[query], own_start[query] + own_length[query]
    for at in range(a, b):
        frequency[own[at]] += 1
    top = logs[1 + documents]
    whole = 0.0
    for at in range(a, b):
        query_weights[own[at]] = times[at] * (top - logs[1 + frequency[own[at]]] + 1.0)
        whole += query_weights[own[at]] * query_weights[own[at]]
    whole = np.sqrt(whole)
    for q in range(begin, end):
        out[q] = np.float32(0)
        if gate[q] != 0:
            continue
        dot = 0.0
        norm = 0.0
        for at in range(start[text[q]], start[text[q]] + length[text[q]]):
            weight = count[at] * (top - logs[1 + frequency[flat[at]]] + 1.0)
            dot += weight * query_weights[flat[at]]
            norm += weight * weight
        norm = np.sqrt(norm) * whole
        if norm > 0:
            out[q] = np.float32(dot / norm)
    for q in range(begin, end):
        for at in range(start[text[q]], start[text[q]] + length[text[q]]):
            frequency[flat[at]] = 0
    for at in range(a, b):
        frequency[own[at]] = 0
        query_weights[own[at]] = 0.0
