"""Importance: as stored, 0..1."""

from typing import Any, override

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.terms.term import Memories, Term
from memopolis.sim.memory.streams.layout import OFFSETS, PAGE, PAGE_BYTES

Float32 = NDArray[np.float32]

TABLE: Float32 = (np.arange(256) / 255).astype(np.float32)
"""Importance of each of the 256 codes, 0..1, shape (256,)."""

_COLUMN = OFFSETS["importance"]


class Importance(Term):
    """Importance of memories, 0..1."""

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        return np.asarray(TABLE[memories.column("importance")], np.float32)

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        _fill(memories.chunk, TABLE, out)


@njit(cache=True, nogil=True)
def _fill(chunk, importance, out):  # type: ignore[no-untyped-def]
    """Fill the importance of each memory."""
    table, _, _, small = chunk.pages
    for j in range(len(chunk.rows)):
        for page in range(chunk.first[j] // PAGE, (chunk.stop[j] + PAGE - 1) // PAGE):
            at = np.int64(table[chunk.rows[j], page % table.shape[1]])
            codes = small[at * PAGE_BYTES + _COLUMN :]
            filled = out[chunk.start[j] + page * PAGE - chunk.first[j] :]
            for q in range(PAGE):
                filled[q] = importance[codes[q]]


TERM = Importance()
