"""Compiled loops that find near duplicates."""

import numpy as np
from numba import njit

from memopolis.sim.memory.vectors.text_likeness_kernels import line_of, longest


@njit(cache=True, nogil=True)
def most_alike(form, asked, held, held_starts, least, places):  # type: ignore[no-untyped-def]
    """Find the candidate most similar to one text per agent; ties go to the newer.

    Args:
        form: Cosines of texts; see `text_likeness.Group`.
        asked: Number of each agent's text.
        held: Numbers of the texts of the candidates, oldest first.
        held_starts: Where each agent's begin.
        least: Least cosine, int16.
        places: Result, index of the candidate, -1 for none, shape (n,).
    """
    line = np.empty(longest(held_starts), np.int16)
    for p in range(len(places)):
        n = held_starts[p + 1] - held_starts[p]
        line_of(form, asked[p], held, held_starts[p], n, line)
        best = least
        for j in range(n):
            if line[j] >= best:
                best = line[j]
                places[p] = j


@njit(cache=True, nogil=True)
def repeats(form, asked, held, starts, topics, least, at_least, heads):  # type: ignore[no-untyped-def]
    """Group near duplicates of one topic, starting with the memory that has most of them.

    Args:
        form: Cosines of texts; see `text_likeness.Group`.
        asked: Numbers of the texts of all memories, as rows of `form`.
        held: The same, as columns of `form`.
        starts: Where each agent's begin.
        topics: Topics of the memories.
        least: Least cosine of a near duplicate, int16.
        at_least: Fewest memories of a group.
        heads: Result, index (among the agent's memories) of the most central memory of each
            memory's group, -1 for a memory in no group, shape (m,).
    """
    size = longest(starts)
    left_out = max(form[0].shape[0], form[1].shape[0])
    line = np.empty(size, np.int16)
    near = np.empty(size, np.int32)
    for p in range(len(starts) - 1):
        start, n = starts[p], starts[p + 1] - starts[p]
        mine, topic = heads[start : start + n], topics[start : start + n]
        near[:n] = 0
        for x in range(n):
            if asked[start + x] == left_out:
                continue
            line_of(form, asked[start + x], held, start, x + 1, line)
            for j in range(x):
                if line[j] >= least and topic[j] == topic[x]:
                    near[j] += 1
                    near[x] += 1
        while True:
            head = -1
            for x in range(n):
                if near[x] + 1 >= at_least and mine[x] < 0 and (head < 0 or near[x] >= near[head]):
                    head = x
            if head < 0:
                break
            line_of(form, asked[start + head], held, start, n, line)
            for j in range(n):
                if mine[j] < 0 and topic[j] == topic[head] and (line[j] >= least or j == head):
                    mine[j] = head
            for x in range(n):
                if mine[x] == head:
                    line_of(form, asked[start + x], held, start, n, line)
                    for j in range(n):
                        if j != x and line[j] >= least and topic[j] == topic[x]:
                            near[j] -= 1
