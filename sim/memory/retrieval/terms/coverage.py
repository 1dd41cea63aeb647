"""Coverage: the share of a query that a memory and its surroundings contain.

Each piece counts where it matches best among the near memories of the interaction, so an answer is
found by the words around it.
"""

from dataclasses import dataclass
from typing import ClassVar, Self, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Bools, Float32, Int32, Intp, UInt8
from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.retrieval.terms.term import (
    EDGE,
    SESSION,
    WINDOW,
    Memories,
    Search,
    Term,
    take,
)
from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.relevance import Pairs

NEAR, ALL = 2, 1 << 30  # reach of the two terms; the second is that of a whole interaction
FULL_MATCH = 255  # M of a piece that is in the text
_32 = np.int32  # the product of two int32 is an int64 to numba, which does not vectorise


@dataclass(frozen=True, slots=True, eq=False)
class Coverage(Term):
    """Share of the query in the memories of the same interaction up to `reach` away, 0..1."""

    reach: ClassVar[int]

    pairs: Pairs  # arrays of the queries
    rows: Intp  # the row of each query, shape (queries,)
    matches: list[UInt8] | None  # M of all texts for each query, if known

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        pairs, rows = search.memory.index.pairs(search.texts)
        return cls(pairs, rows, find_matches(search, pairs, rows))

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        pairs, rows = self.pairs, self.rows
        text, starts = memories.column("text"), memories.starts
        query = take(memories.request.query, np.arange(len(memories.rows)) + memories.begin)
        parts = [np.zeros(0, np.float32)]
        for agent in range(len(memories.rows)):
            own = slice(starts[agent], starts[agent + 1])
            row = rows[query[agent]]
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


class Window(Coverage):
    """Share of the query in a memory and the two before and after it, 0..1."""

    code, reach = WINDOW, NEAR


class Session(Coverage):
    """Share of the query in the whole interaction, 0..1."""

    code, reach = SESSION, ALL


def find_matches(search: Search, pairs: Pairs, rows: Intp) -> list[UInt8] | None:
    """Return M of all texts for each query, (texts, pieces); None if comparing memories is cheaper.

    They are cached until the texts change.
    """
    memory, request = search.memory, search.request
    known = memory.prepared.matches
    missing = [text for text in dict.fromkeys(search.texts) if text not in known]
    if missing:
        if request.compared < len(missing) * len(memory.texts):
            return None
        numbers = np.arange(memory.texts.capacity, dtype=np.int32)
        word_of, own = np.zeros(NUMBERS, np.uint64), np.empty(len(numbers), np.int32)
        for query, row in zip(search.texts, rows.tolist(), strict=True):
            if query in missing:
                width = int(pairs.first[row + 1] - pairs.first[row])
                known[query] = np.zeros((len(numbers), width), np.uint8)
                if width:  # without pieces, the array is empty
                    relevances_of_texts(
                        pairs, row, numbers, 0, len(numbers), word_of, known[query], own
                    )
    return [known[query] for query in search.texts]


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
def fill_coverage(pairs, row, columns, on, n, reach, sums, best, out):  # type: ignore[no-untyped-def]
    """Fill the coverage of the n memories of one agent by a query, given by its row of `pairs`.

    `columns` has M of each piece and memory, int32, and `on` is -1 where a memory continues the
    previous one, else 0; both begin `EDGE` values before the first memory. `reach` is ALL or
    NEAR; `sums` and `best` are scratch.
    """
    begin = pairs.first[row]
    width, total = pairs.first[row + 1] - begin, np.float32(FULL_MATCH * pairs.total[row])
    for q in range(n):
        sums[q] = 0
    for p in range(width):
        weight = pairs.weight[begin + p]
        if reach == ALL:
            _best_of_interaction(columns[p, EDGE:], on[EDGE:], n, best)
        else:
            _best_of_window(columns[p, EDGE - NEAR :], on[EDGE - 1 :], n, best)
        for q in range(n):
            sums[q] = _32(sums[q] + _32(weight * best[q]))
    for q in range(n):
        out[q] = np.float32(sums[q]) / total


@inner
def _best_of_interaction(own, on, n, best):  # type: ignore[no-untyped-def]
    most = _32(0)
    for q in range(n):
        most = max(own[q], most & on[q])
        best[q] = most
    for q in range(n - 2, -1, -1):
        best[q] = best[q + 1] if on[q + 1] != 0 else best[q]


@inner
def _best_of_window(near, joined, n, best):  # type: ignore[no-untyped-def]
    # Views that begin where the loop begins, and no branches, so that the loop vectorises.
    for q in range(n):
        here, after = joined[q + 1], joined[q + 2]
        one = max(near[q + 1] & here, near[q + 3] & after)
        two = max(near[q] & here & joined[q], near[q + 4] & after & joined[q + 3])
        best[q] = max(near[q + 2], one, two)


TERMS = {"window": Window, "session": Session}
