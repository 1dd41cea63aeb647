"""The passes for one agent, called with few arguments, since each takes time to pass."""

import numpy as np
from numba import njit

from memopolis.sim.memory.retrieval.filter import ALWAYS, ANY
from memopolis.sim.memory.retrieval.general import add_term
from memopolis.sim.memory.retrieval.kernels import (
    AHEAD,
    BITS,
    CUED,
    LANES,
    SCORED,
    fill_base,
    keep_best,
    prefetch_pages,
    search,
)
from memopolis.sim.memory.retrieval.terms.answer import fill_answers
from memopolis.sim.memory.retrieval.terms.coverage import fill_coverage
from memopolis.sim.memory.retrieval.terms.dense_near import fill_lent
from memopolis.sim.memory.retrieval.terms.importance import STEP
from memopolis.sim.memory.retrieval.terms.relevance import add_relevance, fill_cues
from memopolis.sim.memory.retrieval.terms.term import LEAD
from memopolis.sim.memory.streams.layout import PAGE
from memopolis.sim.memory.streams.stream_kernels import book

_0 = np.float32(0)


@njit(cache=True, nogil=True)
def search_one(  # type: ignore[no-untyped-def]
    row, following, count, table, words, halves, small, relevance, line, now, column, recency,
    weights, shares, named, date, k, recorded,
):  # fmt: skip
    """Search the memories of one agent without a filter; arguments as in `kernels.search`.

    `line` is the row of the query in the table `relevance`, `named` are the actors named, shape (1,
    w), and `recorded` says whether to record the accesses at once. Returns ids, int32, best
    first, and scores, float32, both of shape (n,) with n <= k.
    """
    ids = np.full((1, k), -1, np.int32)
    values = np.zeros((1, k), np.float32)
    view = table, words, halves, small
    cued = named[0, 0] != ANY or date[0] <= date[1]
    one = np.full((3, 1), line, np.int32)
    one[1, 0], one[2, 0] = date
    anywhere = np.full(1, ANY, np.int32)
    plan = (
        np.int32(now), column, recency, STEP, weights[0], weights[1], shares[0] > 0 or cued, cued,
        named, one[1], one[2], np.int32(ALWAYS[1]),
    )  # fmt: skip
    filtered = drawn = False
    nothing = (
        -1, -1, -1, ALWAYS[0], ALWAYS[1], 0, 0, 0, 0, False, False, anywhere, anywhere,
    )  # fmt: skip
    search(
        0, 1, np.full(1, row, np.int64), count, view, one[0],
        relevance, plan, weights[2], shares, filtered, nothing, drawn, (0, 0), ids, values,
    )  # fmt: skip
    return _result(view, row, following, count, ids[0], values[0], now, recorded)


@njit(cache=True, nogil=True)
def search_around(  # type: ignore[no-untyped-def]
    row, following, count, table, words, halves, small, prepared, now, column, recency, weights,
    shares, named, date, k, recorded,
):  # fmt: skip
    """Search the memories of one agent by what they contain and what surrounds them.

    Arguments and results are those of `search_one`, with two differences. `prepared` has the
    weights of the query's pieces, 255 times their sum, and for each text number M of the pieces,
    R, whether it is a statement, its information, and its cosine with the query. `weights` are
    those of recency, importance, relevance, window, session, answer, statement, information,
    the cosine and that of neighbours.
    """
    view = table, words, halves, small
    pieces, full, matches_of, relevance_of, statement, information, cosine = prepared
    n = np.int64(count[row])
    text, on, cue, own = np.zeros((4, n + 2 * LEAD), np.int32)
    score = np.zeros(n + 2 * LEAD, np.float32)
    cued = named[0, 0] != ANY or date[0] <= date[1]
    end = (n + PAGE - 1) // PAGE
    prefetch_pages(view, row, AHEAD, end, CUED if cued else SCORED)
    fill_base(
        view, row, 0, n, np.int32(now), column, recency, STEP, weights[0], weights[1], text,
        own, score, on,
    )  # fmt: skip
    on[LEAD] = 0
    if cued:
        fill_cues(view, row, n, named[0], date[0], date[1], shares, cue)
    texts, relevance = text[LEAD:], own[LEAD:]
    for q in range(n):
        relevance[q] = relevance_of[texts[q]]
    add_relevance(n, own, on.copy(), cue, score, weights[2], shares[0] > 0 or cued, shares)
    total, scratch = score[LEAD:], np.empty(n + BITS, np.float32)
    term = scratch[:n]
    columns = np.zeros((len(pieces), n + 2 * LEAD), np.int32)
    for p in range(len(pieces)):
        for q in range(n):
            columns[p, LEAD + q] = matches_of[texts[q], p]
    for weight, whole in ((weights[3], False), (weights[4], True)):
        if weight > _0:
            fill_coverage(pieces, full, columns, on, n, whole, term)
            add_term(term, weight, total)
    if weights[5] > _0:
        fill_answers(relevance, statement, texts, on, n, term)
        add_term(term, weights[5], total)
    if weights[6] > _0:
        for q in range(n):
            total[q] = total[q] + statement[texts[q]] * weights[6]
    if weights[7] > _0:
        for q in range(n):
            total[q] = total[q] + information[texts[q]] * weights[7]
    if weights[8] > _0 or weights[9] > _0:
        for q in range(n):
            term[q] = cosine[texts[q]]
        lent = np.empty(n, np.float32)
        if weights[9] > _0:
            fill_lent(term, on, n, lent)
        for q in range(n):
            term[q] = _0 if np.isnan(term[q]) else term[q]
        add_term(term, weights[8], total)
        if weights[9] > _0:
            add_term(lent, weights[9], total)
    ids, values = np.full(k, -1, np.int32), np.zeros(k, np.float32)
    picked, keys = np.empty((3, n), np.int32), np.empty(n + LANES, np.int64)
    # The last use of `term` was above.
    keep_best(view, row, 0, n, score, ids, values, picked, scratch, keys)
    return _result(view, row, following, count, ids, values, now, recorded)


@njit(cache=True, nogil=True)
def _result(view, row, following, stored, ids, values, now, recorded):  # type: ignore[no-untyped-def]
    """Return ids and scores of the memories found, and record the accesses, as `book`, if asked."""
    count = 0
    while count < len(ids) and ids[count] >= 0:
        count += 1
    best = ids[:count]
    if recorded:
        rows, table = np.full(1, row, np.int64), best.reshape((1, count))
        book(view, following, stored, rows, table, np.int32(now))
    return best, values[:count]
