"""Terms whose value depends on the query and the text alone, from a table over all texts."""

from dataclasses import dataclass
from typing import ClassVar, Self, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.terms.term import LENT, LINE, Lines, Memories, Search, Term
from memopolis.sim.memory.text.texts import Numbers

_FEW_TEXTS = 1024  # number of texts up to which a query is compared with all of them
_FEW = 4  # how many times as many texts as memories are few memories
_0 = np.float32(0)


@dataclass(frozen=True, slots=True, eq=False)
class TextTable(Term):
    """A term by a table of values for each query and text."""

    code = LINE

    table: Lines

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        values, rows, *_ = self.table
        term: Float32 = values[rows[memories.query], memories.column("text")]
        return term

    @override
    def lines(self) -> Lines:
        return self.table


class TextProperty(TextTable):
    """A property of texts that is the same for all queries: an attribute of `TextPieces`."""

    name: ClassVar[str]

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        values = getattr(search.memory.index.texts(), cls.name)
        return cls(Lines(values[None], np.zeros(len(search.texts), np.intp)))


class Statement(TextProperty):
    """0 for a question, which rarely answers one, else 1."""

    name = "statement"


class Information(TextProperty):
    """Information of texts: much for many and rare words, little for a greeting."""

    name = "information"


class Bm25(TextTable):
    """BM25."""

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        return cls(Lines(*search.memory.word_terms.bm25(search.texts), is_shared=True))


class Keyword(TextTable):
    """Share of the text that is the query."""

    replaces = "tfidf"

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        return cls(Lines(*search.memory.word_terms.keyword(search.texts), is_shared=True))


class Dense(TextTable):
    """Cosine by the embedder of the memory, -1..1, nan if there is no vector."""

    vectors: ClassVar[str] = "vectors"  # attribute of the memory that computes them

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        numbers = cls.texts_to_compare(search)
        values, rows = getattr(search.memory, cls.vectors).dense(search.texts, numbers)
        return cls(Lines(values, rows, is_shared=True, is_complete=numbers is None))

    @classmethod
    def texts_to_compare(cls, search: Search) -> Numbers | None:
        """Return the texts that are compared with the queries; None for all."""
        return texts_read(search.memory, search.request.rows)


class LateInteraction(Dense):
    """Mean over the tokens of the query of the best cosine with a token of the text."""

    vectors = "late_interaction_terms"


class Static(Dense):
    """Cosine by the static table, which needs neither model nor server, -1..1."""

    vectors = "static_vectors"

    @override
    @classmethod
    def texts_to_compare(cls, search: Search) -> Numbers | None:
        # The next searches read the values of all texts, which cost little by the static table.
        return None if _is_worth_all(search) else Dense.texts_to_compare(search)


def _is_worth_all(search: Search) -> bool:
    """Return whether texts are few, or a query was already compared with as many memories."""
    memory = search.memory
    if len(memory.texts) <= _FEW_TEXTS:
        return True
    compared, queries = memory.prepared.compared, tuple(search.texts)
    compared[queries] = compared.get(queries, 0) + search.request.compared
    return compared[queries] > len(memory.texts)


def texts_read(memory: Memory, rows: Int64) -> Numbers | None:
    """Return the texts that some agents remember if they are few, else None."""
    if _FEW * int(memory.streams.count[rows].sum()) >= len(memory.texts):
        return None
    slots, _ = memory.streams.live(rows)
    return np.unique(memory.streams.at("text", slots)).astype(np.intp)


class DenseNear(Dense):
    """Cosine of the query and the more similar neighbour in the same interaction, 0..1."""

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


TERMS = {
    "statement": Statement,
    "information": Information,
    "static": Static,
    "bm25": Bm25,
    "dense": Dense,
    "dense_near": DenseNear,
    "late_interaction": LateInteraction,
    "keyword": Keyword,
}
