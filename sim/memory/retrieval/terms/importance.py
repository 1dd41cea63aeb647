"""Importance: as stored, 0..1."""

from typing import Any, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retrieval.terms.term import Memories, Term
from memopolis.sim.memory.streams.encoding import IMPORTANCE
from memopolis.sim.memory.streams.layout import OFFSETS, PAGE, PAGE_BYTES

# Importance of code 1; that of a code is their product in float32.
STEP = np.float32(1 / IMPORTANCE)
_COLUMN = OFFSETS["importance"] // 2


class Importance(Term):
    """Importance of memories, 0..1."""

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        return np.asarray(memories.column("importance").astype(np.float32) * STEP, np.float32)

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        _fill(memories.chunk, STEP, out)


@njit(cache=True, nogil=True)
def _fill(chunk, step, out):  # type: ignore[no-untyped-def]
    table, _, halves, _ = chunk.pages
    for j in range(len(chunk.rows)):
        for page in range(chunk.first[j] // PAGE, (chunk.stop[j] + PAGE - 1) // PAGE):
            at = np.int64(table[chunk.rows[j], page % table.shape[1]])
            codes = halves[at * (PAGE_BYTES // 2) + _COLUMN :]
            filled = out[chunk.start[j] + page * PAGE - chunk.first[j] :]
            for q in range(PAGE):
                filled[q] = np.float32(codes[q]) * step


TERMS = {"importance": Importance()}
