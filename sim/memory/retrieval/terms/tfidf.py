"""TF-IDF: words in common, fitted on the query and the memories that pass the filter.

Logarithms come from a table over integers and sums run in the order of a text's words, so the
compiled pass computes the same bits.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Self, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32, Float64, Int32
from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term
from memopolis.sim.memory.text.words import TextWords


@dataclass(frozen=True, slots=True, eq=False)
class Tfidf(Term):
    """Cosine of the tf-idf of query and memories, 0..1."""

    words: TextWords  # of the texts
    queries: TextWords
    logs: Float64  # logarithms

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        terms = search.memory.word_terms
        words = terms.words()
        logs = logarithms(search.memory.streams.longest(search.request.rows) + 1)
        return cls(words, terms.index.split_queries(search.texts), logs)

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        words, queries, logs = self.words, self.queries, self.logs
        text, passing = memories.column("text"), memories.passing
        out = np.zeros(len(text), np.float32)
        for begin, end in pairwise(memories.starts.tolist()):
            mine = begin + np.flatnonzero(passing[begin:end])
            if len(mine):
                query = int(memories.query[begin])
                out[mine] = cosines(words, text[mine], queries, query, logs)
        return out

    @override
    def compute(self, memories: Memories) -> Float32:
        words, queries, logs = self.words, self.queries, self.logs
        fit = (
            words.flat, words.count, words.start, words.length,
            queries.flat, queries.count, queries.start, queries.length, logs,
        )  # fmt: skip
        text, out = memories.column("text"), np.zeros(len(memories.slots), np.float32)
        size = max(words.size, queries.size)
        _fill(memories.starts, text, memories.passing, fit, memories.query, size, out)
        return out


def logarithms(most: int) -> Float64:
    """Return ln of 0 (as 0), 1, 2, ... for fits on up to `most` memories, shape (most + 3,)."""
    numbers = np.arange(most + 3)
    return np.log(np.maximum(numbers, 1))


def inverse_frequency(documents: int, frequency: Int32, logs: Float64) -> Float64:
    """Compute ln((1 + documents) / (1 + frequency)) + 1 of words; the query is a document.

    Source:
        scikit-learn's TfidfVectorizer, `smooth_idf`.
    """
    return np.asarray(logs[1 + documents] - logs[1 + frequency] + 1.0)


def cosines(
    words: TextWords, texts: Int32, queries: TextWords, query: int, logs: Float64
) -> Float32:
    """Compute the cosine of tf-idf of texts and one query, 0 without words, shape (m,).

    Source:
        scikit-learn's TfidfVectorizer with its defaults, fitted on query and texts together.
    """
    begin, stop = queries.start[query], queries.start[query] + queries.length[query]
    own, times = queries.flat[begin:stop], queries.count[begin:stop]
    lengths = words.length[texts].astype(np.int64)
    owner = np.repeat(np.arange(len(texts)), lengths)
    before = np.cumsum(lengths) - lengths
    at = np.arange(lengths.sum()) - before[owner] + words.start[texts][owner]
    frequency = np.bincount(words.flat[at], minlength=max(words.size, queries.size))
    frequency[own] += 1
    rare = inverse_frequency(len(texts) + 1, frequency.astype(np.int32), logs)
    query_weights = np.zeros(len(rare))
    query_weights[own] = times * rare[own]
    weight = words.count[at] * rare[words.flat[at]]
    # bincount adds in order, as the compiled pass does.
    dot = np.bincount(owner, weight * query_weights[words.flat[at]], minlength=len(texts))
    norm = np.sqrt(np.bincount(owner, weight * weight, minlength=len(texts)))
    whole = norm * np.sqrt(np.add.accumulate([0.0, *(query_weights[own] * query_weights[own])])[-1])
    return np.asarray(np.divide(dot, whole, out=np.zeros(len(texts)), where=whole > 0), np.float32)


@njit(cache=True, nogil=True)
def _fill(starts, text, passing, fit, query, size, out):  # type: ignore[no-untyped-def]
    frequency = np.zeros(size, np.int32)
    query_weights = np.zeros(size, np.float64)
    for j in range(len(starts) - 1):
        begin, end = starts[j], starts[j + 1]
        if begin < end:
            _fit_cosines(
                begin, end, text, passing, fit, query[begin], frequency, query_weights, out
            )


@njit(cache=True, nogil=True)
def _fit_cosines(  # type: ignore[no-untyped-def]
    begin, end, text, passing, fit, query, frequency, query_weights, out
):
    """Fit tf-idf on a query and the memories that pass, and fill cosines; scratch stays zero."""
    flat, count, start, length, own, times, own_start, own_length, logs = fit
    documents = 1
    for q in range(begin, end):
        if passing[q]:
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
        if not passing[q]:
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


TERMS = {"tfidf": Tfidf}
