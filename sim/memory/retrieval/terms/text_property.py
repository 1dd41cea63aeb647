"""Terms that depend on the text alone, whatever the query."""

from collections.abc import Callable
from typing import Any, override

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term
from memopolis.sim.memory.text.lexical import TextPieces

Float32 = NDArray[np.float32]


class TextProperty(Term):
    """A property of texts.

    Args:
        compute: Returns the property of all text numbers, shape (columns,).
    """

    def __init__(self, compute: Callable[[TextPieces], Float32]) -> None:
        self.compute = compute

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return the property of all texts."""
        return (self.compute(search.memory.index.texts()),)

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        values: Float32 = prepared[0][memories.column("text")]
        return values

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        (values,) = prepared
        _fill(memories.chunk, values, out)


@njit(cache=True, nogil=True)
def _fill(chunk, values, out):  # type: ignore[no-untyped-def]
    """Fill the property of each memory's text."""
    for j in range(len(chunk.rows)):
        begin = chunk.start[j]
        for q in range(begin, begin + chunk.stop[j] - chunk.first[j]):
            out[q] = values[chunk.text[q]]
