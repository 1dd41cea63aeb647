"""Cosine of the query and the more similar neighbour in the same interaction, at least 0."""

from typing import override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retrieval.terms.term import LENT, Memories
from memopolis.sim.memory.retrieval.terms.text_table import Dense

_0 = np.float32(0)


class DenseNear(Dense):
    """Cosine of a memory's neighbours, 0..1."""

    code = LENT

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        own = np.fmax(super().by_numpy(memories), _0)
        after, lent = memories.continues, np.zeros(len(own), np.float32)
        lent[1:] = np.where(after[1:], own[:-1], _0)
        lent[:-1] = np.maximum(lent[:-1], np.where(after[1:], own[1:], _0))
        return lent


@njit(cache=True, nogil=True)
def fill_lent(own, on, n, out):  # type: ignore[no-untyped-def]
    """Fill the cosine that neighbours lend to the n memories of one agent.

    `own` are their cosines, nan for a missing one, which lends nothing; `on` is -1 where a memory
    continues the previous one.
    """
    for i in range(n):
        lent = _0
        if i > 0 and on[i] != 0 and own[i - 1] > lent:
            lent = own[i - 1]
        if i + 1 < n and on[i + 1] != 0 and own[i + 1] > lent:
            lent = own[i + 1]
        out[i] = lent


TERMS = {"dense_near": DenseNear}
