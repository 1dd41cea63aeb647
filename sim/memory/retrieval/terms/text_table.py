"""Terms whose value depends on the query and the text alone, from a table over all texts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, override

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.terms.term import Memories, Search, Term
from memopolis.sim.memory.text.term_table import Table

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

Float32 = NDArray[np.float32]

_FEW = 4
"""How many times as many texts as memories are few memories."""


class TextTable(Term):
    """A term that a method of `WordTerms` or `DenseTerms` computes for all queries and texts.

    Args:
        method: Name of the method.
        replaces: As in `Term`.
    """

    def __init__(self, method: str, replaces: str = "") -> None:
        self.method, self.replaces = method, replaces

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return the table, float32, shape (queries, >= texts), and each agent's row of it."""
        memory = search.memory
        if self.method == "dense":
            values, rows = dense_table(memory, search.texts, search.request.rows)
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


def reads_few(memory: "Memory", rows: NDArray[np.int64]) -> bool:
    """Return whether some agents have so few memories that most texts need no cosine."""
    return _FEW * int(memory.streams.spans(rows).sum()) < len(memory.texts)


def dense_table(memory: "Memory", queries: Sequence[str], rows: NDArray[np.int64]) -> Table:
    """Return the cosines of queries and the texts that some agents remember."""
    if not reads_few(memory, rows):
        return memory.dense_terms.dense(queries)
    slots, _ = memory.streams.live(rows)
    return memory.dense_terms.dense(queries, np.unique(memory.streams.at("text", slots)))


@njit(cache=True, nogil=True)
def _fill(chunk, values, row, out):  # type: ignore[no-untyped-def]
    """Fill the value of each memory's text."""
    for j in range(len(chunk.rows)):
        line = values[row[chunk.begin + j]]
        begin = chunk.start[j]
        for q in range(begin, begin + chunk.stop[j] - chunk.first[j]):
            out[q] = line[chunk.text[q]]
