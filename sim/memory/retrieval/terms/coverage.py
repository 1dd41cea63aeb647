"""Coverage: the share of a query that a memory and its surroundings contain.

Each piece counts where it matches best among the near memories of the interaction, so an answer is
found by the words around it.
"""

from typing import Any, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Bools, Float32, Int32, UInt8
from memopolis.sim.memory.retrieval.terms.relevance import joined
from memopolis.sim.memory.retrieval.terms.term import LEAD, Memories, Search, Term
from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.relevance import Pairs

WINDOW, ALL = 2, 1 << 30  # reach of the two terms; the second is that of a whole interaction
FULL_MATCH = 255  # M of a piece that is in the text
_32 = np.int32  # the product of two int32 is an int64 to numba, which does not vectorise


class Coverage(Term):
    """Share of the query in the memories of the same interaction up to `reach` away, 0..1."""

    def __init__(self, reach: int) -> None:
        self.reach = reach

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return the arrays of the queries, and each agent's row of them."""
        pairs, rows = search.memory.index.pairs(search.texts)
        return pairs, rows[search.query]

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        pairs, rows = prepared
        text, starts = memories.column("text"), memories.starts
        parts = [np.zeros(0, np.float32)]
        for agent in range(len(memories.rows)):
            own = slice(starts[agent], starts[agent + 1])
            row = rows[agent + memories.begin]
            matches = np.zeros((own.stop - own.start, pairs.widest), np.uint8)
            relevances = np.empty(len(matches), np.int32)
            word_of = np.zeros(NUMBERS, np.uint64)
            relevances_of_texts(
                pairs, row, text[own], 0, len(matches), word_of, matches, relevances
            )
            weight = pairs.weight[pairs.first[row] : pairs.first[row + 1]]
            parts.append(
                coverage(matches[:, : len(weight)], weight, memories.continues[own], self.reach)
            )
        return np.concatenate(parts)

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        pairs, rows = prepared
        shared = memories.shared
        if "matches" not in shared:
            shared["matches"] = np.zeros((len(out), pairs.widest), np.uint8)
            _match(memories.chunk, pairs, rows, shared["matches"])
        whole = self.reach == ALL
        _fill(memories.chunk, pairs, rows, shared["matches"], joined(memories), whole, out)


def coverage(matches: UInt8, weight: Int32, continues: Bools, reach: int) -> Float32:
    """Compute the share of a query that each memory and its surroundings contain, shape (n,).

    `matches` are M of each memory and piece of the query, 0..255, oldest first, (n, pieces), and
    `weight` weights of the pieces. `continues` says which memories continue the previous one, and
    `reach` how far away a memory of the same interaction may be.

    Returns sum_p w_p max_j M[j, p] / (255 sum_p w_p) over the memories j of the interaction with
    |i - j| <= reach; 0 for a query without pieces.
    """
    interaction = np.cumsum(~continues)
    best = matches.copy()
    for away in range(1, min(reach, len(matches) - 1) + 1):
        same = interaction[away:] == interaction[:-away]
        if not same.any():
            break
        best[away:][same] = np.maximum(best[away:][same], matches[:-away][same])
        best[:-away][same] = np.maximum(best[:-away][same], matches[away:][same])
    total = np.float32(FULL_MATCH * max(1, int(weight.sum())))
    return (best.astype(np.int64) @ weight.astype(np.int64)).astype(np.float32) / total


@njit(cache=True, nogil=True)
def _match(chunk, pairs: Pairs, rows, matches):  # type: ignore[no-untyped-def]
    """Compute M of each memory of a chunk and the query of its agent."""
    word_of, own = np.zeros(NUMBERS, np.uint64), np.empty(len(matches), np.int32)
    for j in range(len(chunk.rows)):
        begin, n = chunk.start[j], chunk.lengths[j]
        texts, row = chunk.text[begin:], rows[chunk.begin + j]
        relevances_of_texts(pairs, row, texts, 0, n, word_of, matches[begin:], own)


@njit(cache=True, nogil=True)
def _fill(chunk, pairs: Pairs, rows, matches, on, whole, out):  # type: ignore[no-untyped-def]
    for j in range(len(chunk.rows)):
        row, begin, n = rows[chunk.begin + j], chunk.start[j], chunk.lengths[j]
        weight = pairs.weight[pairs.first[row] : pairs.first[row + 1]]
        columns = np.zeros((len(weight), n + 2 * LEAD), np.int32)
        for p in range(len(weight)):
            for q in range(n):
                columns[p, LEAD + q] = matches[begin + q, p]
        total = np.float32(FULL_MATCH * pairs.total[row])
        fill_coverage(weight, total, columns, on[begin - LEAD :], n, whole, out[begin:])


@njit(cache=True, nogil=True)
def fill_coverage(weight, total, columns, on, n, whole, out):  # type: ignore[no-untyped-def]
    """Fill the coverage of the n memories of one agent; `weight` as in `coverage`.

    `total` is 255 times the sum of weights, `columns` has M of each piece and memory, int32, from
    column LEAD, with zeros before and after, and `on` is -1 where a memory continues the previous
    one, else 0, from index LEAD. The reach is ALL if `whole`, else WINDOW.
    """
    sums, best = np.zeros(n, np.int32), np.empty(n, np.int32)
    for p in range(len(weight)):
        if whole:
            _best_of_interaction(columns[p, LEAD:], on[LEAD:], n, best)
        else:
            _best_of_window(columns[p, LEAD - WINDOW :], on[LEAD - 1 :], n, best)
        for q in range(n):
            sums[q] = _32(sums[q] + _32(weight[p] * best[q]))
    for q in range(n):
        out[q] = np.float32(sums[q]) / total


@njit(cache=True, nogil=True)
def _best_of_interaction(own, on, n, best):  # type: ignore[no-untyped-def]
    most = _32(0)
    for q in range(n):
        most = max(own[q], most & on[q])
        best[q] = most
    for q in range(n - 2, -1, -1):
        best[q] = best[q + 1] if on[q + 1] != 0 else best[q]


@njit(cache=True, nogil=True)
def _best_of_window(near, joined, n, best):  # type: ignore[no-untyped-def]
    # Views that begin where the loop begins, and no branches, so that the loop vectorises.
    for q in range(n):
        here, after = joined[q + 1], joined[q + 2]
        one = max(near[q + 1] & here, near[q + 3] & after)
        two = max(near[q] & here & joined[q], near[q + 4] & after & joined[q + 3])
        best[q] = max(near[q + 2], one, two)


TERMS = {"window": Coverage(WINDOW), "session": Coverage(ALL)}
