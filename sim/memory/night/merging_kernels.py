"""Compiled loops that find near duplicates."""

import numpy as np
from numba import njit

from memopolis.sim.memory.vectors.text_likeness_kernels import line_of, longest


@njit(cache=True, nogil=True)
def most_alike(similarity, queries, stored, stored_starts, least, places):  # type: ignore[no-untyped-def]
    """Find the candidate most similar to one text per agent, -1 for none; ties go to the newer."""
    line = np.empty(longest(stored_starts), np.int16)
    for p in range(len(places)):
        n = stored_starts[p + 1] - stored_starts[p]
        line_of(similarity, queries[p], stored, stored_starts[p], n, line)
        best = least
        for j in range(n):
            if line[j] >= best:
                best = line[j]
                places[p] = j


@njit(cache=True, nogil=True)
def repeats(similarity, queries, stored, starts, topics, least, at_least, heads):  # type: ignore[no-untyped-def]
    """Group near duplicates of one topic, starting with the memory that has most of them.

    `queries` and `stored` are the texts of all memories, as rows and columns of `similarity`.
    `heads` is the result: the index (among the agent's memories) of the most central memory of each
    memory's group, -1 for a memory in no group, shape (m,).
    """
    size = longest(starts)
    missing = max(similarity[0].shape[0], similarity[1].shape[0])
    line = np.empty(size, np.int16)
    near = np.empty(size, np.int32)
    for p in range(len(starts) - 1):
        start, n = starts[p], starts[p + 1] - starts[p]
        own_heads, topic = heads[start : start + n], topics[start : start + n]
        near[:n] = 0
        for x in range(n):
            if queries[start + x] == missing:
                continue
            line_of(similarity, queries[start + x], stored, start, x + 1, line)
            for j in range(x):
                if line[j] >= least and topic[j] == topic[x]:
                    near[j] += 1
                    near[x] += 1
        while True:
            head = -1
            for x in range(n):
                if (
                    near[x] + 1 >= at_least
                    and own_heads[x] < 0
                    and (head < 0 or near[x] >= near[head])
                ):
                    head = x
            if head < 0:
                break
            line_of(similarity, queries[start + head], stored, start, n, line)
            for j in range(n):
                if own_heads[j] < 0 and topic[j] == topic[head] and (line[j] >= least or j == head):
                    own_heads[j] = head
            for x in range(n):
                if own_heads[x] == head:
                    line_of(similarity, queries[start + x], stored, start, n, line)
                    for j in range(n):
                        if j != x and line[j] >= least and topic[j] == topic[x]:
                            near[j] -= 1
