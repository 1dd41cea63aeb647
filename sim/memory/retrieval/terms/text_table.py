"""Terms whose value depends on the query and the text alone, from a table over all texts."""

from typing import TYPE_CHECKING, Any, override

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term
from memopolis.sim.memory.text.text_changes import Numbers

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

Float32 = NDArray[np.float32]

_FEW = 4
"""How many times as many texts as memories are few memories."""


class TextTable(Term):
    """A term that an index of the texts computes for all queries and texts.

    Args:
        method: Name of the term, and of the method of `WordTerms` that computes it.
        replaces: As in `Term`.
    """

    def __init__(self, method: str, replaces: str = "") -> None:
        self.method, self.replaces = method, replaces

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return the table, float32, shape (queries, >= texts), and each agent's row of it."""
        memory = search.memory
        if self.method in {"static", "dense", "late_interaction"}:
            numbers = texts_read(memory, search.request.rows)
            values, rows = getattr(memory, f"{self.method}_terms").dense(search.texts, numbers)
        else:
            values, rows = getattr(memory.word_terms, self.method)(search.texts)
        return values, np.asarray(rows, np.int32)[search.query]

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        values, row = prepared
        term: Float32 = values[row[memories.agent], memories.column("text")]
        return term

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        values, row = prepared
        _fill(memories.chunk, values, row, out)


def texts_read(memory: "Memory", rows: NDArray[np.int64]) -> Numbers | None:
    """Return the texts that some agents remember if they are few, else None."""
    if _FEW * int(memory.streams.spans(rows).sum()) >= len(memory.texts):
        return None
    slots, _ = memory.streams.live(rows)
    return np.unique(memory.streams.at("text", slots)).astype(np.intp)


@njit(cache=True, nogil=True)
def _fill(chunk, values, row, out):  # type: ignore[no-untyped-def]
    """Fill the value of each memory's text."""
    for j in range(len(chunk.rows)):
        line = values[row[chunk.begin + j]]
        begin = chunk.start[j]
        for q in range(begin, begin + chunk.stop[j] - chunk.first[j]):
            out[q] = line[chunk.text[q]]
