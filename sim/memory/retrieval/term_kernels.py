"""The general compiled pass: any terms, normalised or not, summed or multiplied.

For each agent the terms of the profile are filled into scratch rows of float32, memories that the
filter excludes are marked, tf-idf is fitted on the rest, and the terms are combined in the order
of `combining.py`. Ranking is that of the fast pass. Each term is a loop of its own, so this pass
is slower than the fast one; it computes the same bits as `by_numpy.py`.
"""

import numpy as np
from numba import njit

from memopolis.sim.memory.night.consolidation_kernels import consolidation_at
from memopolis.sim.memory.retrieval.kernels import (
    _LEAD,
    _OUT,
    _best,
    _cues,
    _filter,
    _finish,
    _longest,
)
from memopolis.sim.memory.retrieval.profiles import TERMS
from memopolis.sim.memory.retrieval.terms import BITS, LAST_STEP, VALENCE
from memopolis.sim.memory.retrieval.tfidf_kernels import fit_cosines
from memopolis.sim.memory.streams.layout import OFFSETS, PAGE, PAGE_BYTES, PAGE_WORDS
from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts

_RECENCY, _IMPORTANCE, _RELEVANCE, _BM25, _DENSE = range(5)
_TFIDF, _KEYWORD, _CONTEXT, _FEELING, _FIRM = range(5, len(TERMS))

_TEXT_COLUMN = OFFSETS["text"] // 4
_WORTH = OFFSETS["importance"]
_VALENCE = OFFSETS["valence"]
_TAGS = OFFSETS["tags"] // 2

_0, _HALF, _1 = np.float32(0), np.float32(0.5), np.float32(1)


@njit(cache=True, nogil=True)
def _plain(view, row, first, stop, plan, text, terms):  # type: ignore[no-untyped-def]
    """Fill text numbers, recency and importance."""
    table, words, _, small = view
    now, column, recency, importance = plan[:4]
    oldest = len(recency) - 1
    width = table.shape[1]
    for page in range(first // PAGE, (stop + PAGE - 1) // PAGE):
        at = np.int64(table[row, page % width])
        j = _LEAD + page * PAGE - first
        for q in range(PAGE):
            text[j + q] = words[at * PAGE_WORDS + _TEXT_COLUMN + q]
            age = min(max(now - words[at * PAGE_WORDS + column + q], 0), oldest)
            terms[_RECENCY, j + q] = recency[age]
            terms[_IMPORTANCE, j + q] = importance[small[at * PAGE_BYTES + _WORTH + q]]


@njit(cache=True, nogil=True)
def _context(view, row, first, stop, asked, out):  # type: ignore[no-untyped-def]
    """Fill the share of the context's tags that each memory has."""
    table, _, halves, _ = view
    width = table.shape[1]
    count = np.float32(max(BITS[asked & 255] + BITS[asked >> 8], 1))
    for i in range(first, stop):
        at = np.int64(table[row, (i // PAGE) % width])
        both = np.int64(halves[at * 2 * PAGE_WORDS + _TAGS + i % PAGE]) & asked
        out[_LEAD + i - first] = np.float32(BITS[both & 255] + BITS[both >> 8]) / count


@njit(cache=True, nogil=True)
def _feeling(view, row, first, stop, asked, out):  # type: ignore[no-untyped-def]
    """Fill the similarity of each memory's valence and the feeling."""
    table, _, _, small = view
    width = table.shape[1]
    for i in range(first, stop):
        at = np.int64(table[row, (i // PAGE) % width])
        apart = abs(VALENCE[small[at * PAGE_BYTES + _VALENCE + i % PAGE]] - asked)
        out[_LEAD + i - first] = _1 - apart * _HALF


@njit(cache=True, nogil=True)
def _firmness(view, row, first, stop, now, firm_of, out):  # type: ignore[no-untyped-def]
    """Fill how consolidated each memory is."""
    table = view[0]
    of, updates = firm_of
    width = table.shape[1]
    for i in range(first, stop):
        at = np.int64(table[row, (i // PAGE) % width])
        out[_LEAD + i - first] = consolidation_at(view, updates, at, i % PAGE, now, of)


@njit(cache=True, nogil=True)
def _adapt(view, row, first, stop, plan, fading, boost, firm, out):  # type: ignore[no-untyped-def]
    """Fill recency that decays more slowly for consolidated memories."""
    table, words, _, _ = view
    pace, steps = fading
    width = table.shape[1]
    for i in range(first, stop):
        at = np.int64(table[row, (i // PAGE) % width])
        age = max(plan[0] - words[at * PAGE_WORDS + plan[1] + i % PAGE], 0)
        x = np.float32(age) * pace / (_1 + boost * firm[_LEAD + i - first])
        x = min(x, LAST_STEP)
        low = np.int32(x)
        part = x - np.float32(low)
        out[_LEAD + i - first] = steps[low] + (steps[low + 1] - steps[low]) * part


@njit(cache=True, nogil=True)
def _stretch(n, gate, values):  # type: ignore[no-untyped-def]
    """Rescale a term to 0..1 over the memories that pass; missing values become 0."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    for q in range(_LEAD, _LEAD + n):
        if gate[q] == _0 and not np.isnan(values[q]):
            low = min(low, values[q])
            high = max(high, values[q])
    for q in range(_LEAD, _LEAD + n):
        x = values[q]
        if np.isnan(x) or gate[q] != _0:
            values[q] = _0
        elif low == high:
            values[q] = _HALF
        else:
            values[q] = (x - low) / (high - low)


@njit(cache=True, nogil=True)
def _known(n, values):  # type: ignore[no-untyped-def]
    """Replace missing values by 0."""
    for q in range(_LEAD, _LEAD + n):
        if np.isnan(values[q]):
            values[q] = _0


@njit(cache=True, nogil=True)
def _sum(n, weights, terms, score):  # type: ignore[no-untyped-def]
    """Add up the weighted terms."""
    for t in range(len(weights)):
        if weights[t] > _0:
            for q in range(_LEAD, _LEAD + n):
                score[q] = score[q] + terms[t, q] * weights[t]


@njit(cache=True, nogil=True)
def _product(n, weights, alone, terms, score):  # type: ignore[no-untyped-def]
    """Multiply the sum of the text terms by the others."""
    texts = False
    for t in range(_RELEVANCE, _KEYWORD + 1):
        if weights[t] > _0:
            texts = True
            for q in range(_LEAD, _LEAD + n):
                weight = weights[t]
                if t == _KEYWORD and weights[_TFIDF] > _0 and not terms[_TFIDF, q] > _0:
                    weight = alone
                score[q] = score[q] + terms[t, q] * weight
    if not texts:
        score[_LEAD : _LEAD + n] = _1
    if weights[_RECENCY] > _0:
        for q in range(_LEAD, _LEAD + n):
            score[q] = score[q] * terms[_RECENCY, q]
    for t in (_IMPORTANCE, _CONTEXT, _FEELING, _FIRM):
        if weights[t] > _0:
            for q in range(_LEAD, _LEAD + n):
                score[q] = score[q] * (_1 + (terms[t, q] - _HALF) * weights[t])


@njit(cache=True, nogil=True)
def search_terms(  # type: ignore[no-untyped-def]
    begin, end, rows, following, limit, view, plan, shares, filters, mode, lexical, tables,
    fitted, marks, firm, fading, ids, values,
):  # fmt: skip
    """Search the memories of `rows[begin:end]` by any terms.

    Args:
        begin: First index into `rows`.
        end: Index after the last.
        rows: Rows of agents, int64, shape (n,).
        following: Id of each agent's next memory, int32, shape (agents,).
        limit: Maximum number of memories per agent.
        view: Page table of the streams, and their pages as words, half words and bytes.
        plan: As in `kernels.search_table`.
        shares: As in `kernels.search_table`.
        filters: As from `EncodedFilter.packed`.
        mode: Weights of `TERMS`, float32; the weight of a keyword that also replaces a tf-idf
            of 0; whether terms are normalised; whether they are multiplied.
        lexical: Whether relevance is a table, the table, the pairs, and the row of each agent.
        tables: Tables of BM25, dense and keyword, each with the row of each agent; empty for a
            term without weight.
        fitted: Whether tf-idf is fitted, words of texts and of queries, logarithms, query of
            each agent, and the number of words.
        marks: Whether there are tags and a feeling, and those of each agent.
        firm: Whether consolidation is computed, and its tables.
        fading: Whether recency is adaptive, and its table.
        ids: Result, int32 filled with -1, shape (n, k).
        values: Result, float32 filled with 0, shape (n, k).
    """
    weights, alone, stretched, product = mode
    by_table, table, pairs, query = lexical
    bm25, bm25_row, dense, dense_row, keyword, keyword_row = tables
    fits, fit, fit_query, size = fitted
    tagged, tags, felt, feeling = marks
    firms, firm_of = firm
    adaptive, fading_of = fading
    length = _longest(begin, end, rows, following, limit) + 2 * _LEAD
    text = np.zeros(length, np.int32)
    on = np.zeros(length, np.int32)
    cue = np.zeros(length, np.int32)
    relevance = np.zeros(length, np.int32)
    gate = np.zeros(length, np.float32)
    score = np.zeros(length, np.float32)
    terms = np.zeros((len(weights), length), np.float32)
    recent = np.zeros(ids.shape[1], np.int32)
    pieces = np.zeros(pairs.widest, np.uint8)
    frequency = np.zeros(size, np.int32)
    query_weights = np.zeros(size, np.float64)
    full = plan[6]
    for p in range(begin, end):
        row = rows[p]
        stop = np.int64(following[row])
        first = max(stop - limit, 0)
        n = stop - first
        gate[:] = _0
        score[:] = _0
        _filter(view, p, row, first, stop, filters, gate)
        _plain(view, row, first, stop, plan, text, terms)
        if weights[_RELEVANCE] > _0:
            if full:
                _cues(view, row, first, stop, plan[7][p], plan[8][p], plan[9][p], shares, on, cue)
            if by_table:
                for q in range(_LEAD, _LEAD + n):
                    relevance[q] = table[query[p], text[q]]
            else:
                relevances_of_texts(pairs, query[p], text, _LEAD, n + _LEAD, pieces, relevance)
            terms[_RELEVANCE] = _0
            _finish(n, relevance, on, cue, terms[_RELEVANCE], _1, full, shares)
        if weights[_BM25] > _0:
            for q in range(_LEAD, _LEAD + n):
                terms[_BM25, q] = bm25[bm25_row[p], text[q]]
        if weights[_DENSE] > _0:
            for q in range(_LEAD, _LEAD + n):
                terms[_DENSE, q] = dense[dense_row[p], text[q]]
        if weights[_KEYWORD] > _0:
            for q in range(_LEAD, _LEAD + n):
                terms[_KEYWORD, q] = keyword[keyword_row[p], text[q]]
        if fits:
            fit_cosines(
                _LEAD, n, text, gate, fit, fit_query[p], frequency, query_weights, terms[_TFIDF]
            )
        if tagged:
            _context(view, row, first, stop, np.int64(tags[p]), terms[_CONTEXT])
        if felt:
            _feeling(view, row, first, stop, feeling[p], terms[_FEELING])
        if firms:
            _firmness(view, row, first, stop, plan[0], firm_of, terms[_FIRM])
        if adaptive:
            boost = firm_of[0].boost
            _adapt(
                view, row, first, stop, plan, fading_of, boost, terms[_FIRM], terms[_RECENCY]
            )  # fmt: skip
        for t in range(len(weights)):
            if weights[t] > _0:
                if stretched:
                    _stretch(n, gate, terms[t])
                else:
                    _known(n, terms[t])
        if product:
            _product(n, weights, alone, terms, score)
        else:
            _sum(n, weights, terms, score)
        for q in range(_LEAD, _LEAD + n):
            score[q] = score[q] if gate[q] == _0 else _OUT
        _best(view, row, first, n, score, ids[p], values[p], recent)
