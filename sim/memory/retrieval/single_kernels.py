"""The fast pass for one agent, called with few arguments, since each takes time to pass."""

import numpy as np
from numba import njit

from memopolis.sim.memory.retrieval.filter import ANY
from memopolis.sim.memory.retrieval.kernels import search
from memopolis.sim.memory.retrieval.terms.importance import TABLE


@njit(cache=True, nogil=True)
def search_one(  # type: ignore[no-untyped-def]
    row, following, limit, table, words, halves, small, relevance, line, now, column, recency,
    weights, shares, cues, forgets, k,
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
        cues: Named actor, and first and last tick of the named date; -2 and an empty interval
            for none.
        forgets: Whether any memory was forgotten.
        k: Maximum number of memories.

    Returns:
        Ids, int32, best first, -1 where there are fewer, and scores, float32; both (1, k).
    """
    ids = np.full((1, k), -1, np.int32)
    values = np.zeros((1, k), np.float32)
    named, first, last = cues
    cued = named != ANY or first <= last
    one = np.full((4, 1), line, np.int32)
    one[1, 0], one[2, 0], one[3, 0] = named, first, last
    anywhere = np.full(1, ANY, np.int32)
    plan = (
        np.int32(now), column, recency, TABLE, weights[0], weights[1], shares[0] > 0 or cued, cued,
        one[1], one[2], one[3], forgets,
    )  # fmt: skip
    nothing = (
        -1, -1, -1, 0, 0, 0, 0, 0, 0, False, False, False, anywhere, anywhere,
    )  # fmt: skip
    search(
        0, 1, np.full(1, row, np.int64), following, limit, (table, words, halves, small), one[0],
        relevance, plan, weights[2], shares, False, nothing, False, (0, 0), ids, values,
    )  # fmt: skip
    return ids, values
