"""The fast pass for one agent, called with few arguments, since each takes time to pass."""

import numpy as np
from numba import njit

from memopolis.sim.memory.retrieval.filter import ANY
from memopolis.sim.memory.retrieval.kernels import search
from memopolis.sim.memory.retrieval.terms.importance import TABLE
from memopolis.sim.memory.streams.stream_kernels import book


@njit(cache=True, nogil=True)
def search_one(  # type: ignore[no-untyped-def]
    row, following, limit, table, words, halves, small, relevance, line, now, column, recency,
    weights, shares, named, date, forgets, k, recorded,
):  # fmt: skip
    """Search the memories of one agent without a filter.

    Args:
        row: Row of the agent.
        following: Id of each agent's next memory, int32, shape (agents,).
        limit: Maximum number of memories per agent.
        table: Page table of the streams.
        words: Their pages as words.
        halves: Their pages as half words.
        small: Their pages as bytes.
        relevance: Table R[query, text], uint16.
        line: Row of the query in it.
        now: Tick of the search.
        column: Word where recency's column begins.
        recency: Recency of each age, float32.
        weights: Weights of recency, importance and relevance, float32.
        shares: As `kernels.search`.
        named: Named actors, -2 for none, int32, shape (1, w).
        date: First and last tick of the named date; an empty interval for none.
        forgets: Whether any memory was forgotten.
        k: Maximum number of memories.
        recorded: Whether to record the accesses at once.

    Returns:
        Ids, int32, best first, and scores, float32, both of shape (n,) with n <= k.
    """
    ids = np.full((1, k), -1, np.int32)
    values = np.zeros((1, k), np.float32)
    view = table, words, halves, small
    cued = named[0, 0] != ANY or date[0] <= date[1]
    one = np.full((3, 1), line, np.int32)
    one[1, 0], one[2, 0] = date
    anywhere = np.full(1, ANY, np.int32)
    plan = (
        np.int32(now), column, recency, TABLE, weights[0], weights[1], shares[0] > 0 or cued, cued,
        named, one[1], one[2], forgets,
    )  # fmt: skip
    filtered = drawn = False
    nothing = (
        -1, -1, -1, 0, 0, 0, 0, 0, 0, False, False, False, anywhere, anywhere,
    )  # fmt: skip
    search(
        0, 1, np.full(1, row, np.int64), following, limit, view, one[0],
        relevance, plan, weights[2], shares, filtered, nothing, drawn, (0, 0), ids, values,
    )  # fmt: skip
    count = 0
    while count < k and ids[0, count] >= 0:
        count += 1
    best = ids[0, :count]
    if recorded:
        book(view, following, limit, np.full(count, row, np.int64), best, np.int32(now), forgets)
    return best, values[0, :count]
