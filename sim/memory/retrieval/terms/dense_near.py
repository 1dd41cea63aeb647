"""Cosine of the query and the more similar neighbour in the same interaction, at least 0."""

from typing import Any, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retrieval.terms.relevance import joined
from memopolis.sim.memory.retrieval.terms.term import LEAD, Memories
from memopolis.sim.memory.retrieval.terms.text_table import TextTable

_0 = np.float32(0)


class DenseNear(TextTable):
    """Cosine of a memory's neighbours, 0..1."""

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        own = np.fmax(super().by_numpy(memories, prepared), _0)
        after, lent = memories.continues, np.zeros(len(own), np.float32)
        lent[1:] = np.where(after[1:], own[:-1], _0)
        lent[:-1] = np.maximum(lent[:-1], np.where(after[1:], own[1:], _0))
        return lent

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        own = np.empty(len(out), np.float32)
        super().fill(memories, prepared, own)
        _fill(memories.chunk, own, joined(memories), out)


@njit(cache=True, nogil=True)
def _fill(chunk, own, on, out):  # type: ignore[no-untyped-def]
    for j in range(len(chunk.rows)):
        begin, n = chunk.start[j], chunk.lengths[j]
        fill_lent(own[begin:], on[begin - LEAD :], n, out[begin:])


@njit(cache=True, nogil=True)
def fill_lent(own, on, n, out):  # type: ignore[no-untyped-def]
    """Fill the cosine that neighbours lend to the memories of one agent; `on` begins at LEAD."""
    for i in range(n):
        lent = _0
        # A missing cosine (nan) is not above 0.
        if i > 0 and on[LEAD + i] != 0 and own[i - 1] > lent:
            lent = own[i - 1]
        if i + 1 < n and on[LEAD + i + 1] != 0 and own[i + 1] > lent:
            lent = own[i + 1]
        out[i] = lent


TERMS = {"dense_near": DenseNear("dense")}
