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

ALL = 1 << 30  # reach of a whole interaction
FULL_MATCH = 255  # M of a piece that is in the text


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
            shared["matched"] = np.empty(len(out), np.int32)
            _match(memories.chunk, pairs, rows, shared["matches"], shared["matched"])
        matches, own = shared["matches"], shared["matched"]
        _fill(memories.chunk, pairs, rows, matches, own, joined(memories), self.reach, out)


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
def _match(chunk, pairs: Pairs, rows, matches, own):  # type: ignore[no-untyped-def]
    """Compute M and R of each memory of a chunk and the query of its agent."""
    word_of = np.zeros(NUMBERS, np.uint64)
    for j in range(len(chunk.rows)):
        begin, n = chunk.start[j], chunk.stop[j] - chunk.first[j]
        texts, row = chunk.text[begin:], rows[chunk.begin + j]
        relevances_of_texts(pairs, row, texts, 0, n, word_of, matches[begin:], own[begin:])


@njit(cache=True, nogil=True)
def _fill(chunk, pairs: Pairs, rows, matches, own, on, reach, out):  # type: ignore[no-untyped-def]
    for j in range(len(chunk.rows)):
        row, begin, n = rows[chunk.begin + j], chunk.start[j], chunk.stop[j] - chunk.first[j]
        weight = pairs.weight[pairs.first[row] : pairs.first[row + 1]]
        total = np.float32(FULL_MATCH * pairs.total[row])
        lead = on[begin - LEAD :]
        fill_coverage(weight, total, matches[begin:], own[begin:], lead, n, reach, out[begin:])


@njit(cache=True, nogil=True)
def fill_coverage(weight, total, matches, own, on, n, reach, out):  # type: ignore[no-untyped-def]
    """Fill the coverage of the n memories of one agent; arguments as in `coverage`.

    `total` is 255 times the sum of weights, `own` has R of each memory, and `on` is not 0 where a
    memory continues the previous one, from index LEAD.
    """
    best = np.zeros(len(weight), np.uint8)
    left = 0
    while left < n:
        right = left + 1
        while right < n and on[LEAD + right] != 0:
            right += 1
        shared = right - left <= reach + 1
        for i in range(left, right):
            if i > left and shared:
                out[i] = out[left]
            else:
                low, high = max(left, i - reach), min(right, i + reach + 1)
                out[i] = np.float32(_cover(weight, matches, own, low, high, best)) / total
        left = right


@njit(cache=True, nogil=True)
def _cover(weight, matches, own, low, high, best):  # type: ignore[no-untyped-def]
    """Sum the weights times the best M of the memories `low` to `high`."""
    hits = 0
    for near in range(low, high):
        if own[near] == 0:
            continue
        for p in range(len(weight)):
            best[p] = max(best[p], matches[near, p]) if hits else matches[near, p]
        hits += 1
    above = np.int64(0)
    if hits:
        for p in range(len(weight)):
            above += np.int64(weight[p]) * np.int64(best[p])
    return above


TERMS = {"window": Coverage(reach=2), "session": Coverage(reach=ALL)}
