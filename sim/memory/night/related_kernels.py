"""Compiled loops that find related memories and near duplicates."""

import numpy as np
from numba import njit

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.vectors.text_likeness_kernels import NONE, line_of, longest

_BLOCK = 32
_FARTHEST = 65535


@inner
def _cut(part, high):  # type: ignore[no-untyped-def]
    """Remove cosines of duplicates; return the greatest of the rest."""
    top = NONE
    # A loop of constant length would be unrolled, not vectorised.
    for j in range(len(part)):
        code = part[j] if part[j] < high else NONE
        part[j] = code
        top = max(top, code)
    return top


@inner
def _store_best(line, x, low, high, back, tops):  # type: ignore[no-untyped-def]
    """Store the memories before x with the greatest cosines; ties go to the newer."""
    line[x : x + _BLOCK] = NONE
    if x > _FARTHEST:
        line[: x - _FARTHEST] = NONE
    blocks = (x + _BLOCK - 1) // _BLOCK
    for b in range(blocks):
        tops[b] = _cut(line[b * _BLOCK : (b + 1) * _BLOCK], high)
    for place in range(len(back)):
        top = _cut(tops[:blocks], high)
        if top < low:
            return
        b = blocks - 1
        while tops[b] != top:
            b -= 1
        part = line[b * _BLOCK : (b + 1) * _BLOCK]
        j = _BLOCK - 1
        while part[j] != top:
            j -= 1
        back[place] = x - (b * _BLOCK + j)
        part[j] = NONE
        tops[b] = _cut(part, high)


@njit(cache=True, nogil=True)
def relate(  # type: ignore[no-untyped-def]
    similarity, order, queries, agent, place, stored, stored_starts, low, high, back
):
    """Find the memories most similar to some, among the earlier ones of the same agent.

    `queries` are the texts of these memories, `agent` and `place` the index of the agent and among
    its memories; `order` only affects speed. Cosines from `low` to below `high` are related. `back`
    is the result, how many ids earlier each is, 0 for none, uint16, shape (m, most).
    """
    room = longest(stored_starts) + _BLOCK
    line = np.empty(room, np.int16)
    tops = np.empty(room // _BLOCK + 1, np.int16)
    missing = max(similarity[0].shape[0], similarity[1].shape[0])
    for q in range(len(order)):
        a = order[q]
        if queries[a] != missing:
            line_of(similarity, queries[a], stored, stored_starts[agent[a]], place[a], line)
            _store_best(line, place[a], low, high, back[a], tops)


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
