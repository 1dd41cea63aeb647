"""Terms whose value depends on the query and the text alone, from a table over all texts.

bm25         BM25                       keyword      share of the text that is the query
static       cosine by the static table, which needs neither model nor server; -1..1
dense        cosine by the embedder of the memory; -1..1, nan if there is no vector
late_interaction  mean over the tokens of the query of the best cosine with a token of the text
statement    0 for a question, which rarely answers one, else 1, whatever the query
information  much for many and rare words, little for a greeting, whatever the query
"""

from typing import Any, override

import numpy as np

from memopolis.sim.arrays import Float32, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.terms.term import LINE, Lines, Memories, Search, Term
from memopolis.sim.memory.text.texts import Numbers

_FEW_TEXTS = 1024  # number of texts up to which a query is compared with all of them
_FEW = 4  # how many times as many texts as memories are few memories

_VECTORS = {
    "dense": "vectors",
    "static": "static_vectors",
    "late_interaction": "late_interaction_terms",
}
"""Attribute of the memory that computes each term of vectors."""


class TextTable(Term):
    """A term by a method of an index of the texts, computed for all queries and texts."""

    def __init__(self, method: str, replaces: str = "") -> None:
        self.method, self.replaces = method, replaces

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return the table, float32, shape (rows, >= texts), and the row of each query."""
        memory, numbers = search.memory, None
        if self.method in _VECTORS:
            # The next searches read the values of all texts, which cost little by the static table.
            if self.method != "static" or not _is_worth_all(search):
                numbers = texts_read(memory, search.request.rows)
            values, rows = getattr(memory, _VECTORS[self.method]).dense(search.texts, numbers)
        else:
            values, rows = getattr(memory.word_terms, self.method)(search.texts)
        return Lines(values, rows, is_shared=True, is_complete=numbers is None)

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        values, rows, *_ = prepared
        term: Float32 = values[rows[memories.query], memories.column("text")]
        return term

    @override
    def code(self, prepared: tuple[Any, ...]) -> int:
        return LINE

    @override
    def lines(self, prepared: tuple[Any, ...]) -> Lines:
        return Lines(*prepared)


class TextProperty(TextTable):
    """A property of texts that is the same for all queries: an attribute of `TextPieces`."""

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return a table of one row, and the row of each query."""
        values = getattr(search.memory.index.texts(), self.method)
        return Lines(values[None], np.zeros(len(search.texts), np.intp))


def _is_worth_all(search: Search) -> bool:
    """Return whether texts are few, or a query was already compared with as many memories."""
    memory = search.memory
    if len(memory.texts) <= _FEW_TEXTS:
        return True
    compared = memory.prepared_for_texts()
    key = ("compared", *search.texts)
    compared[key] = compared.get(key, 0) + search.request.compared
    return bool(compared[key] > len(memory.texts))


def texts_read(memory: Memory, rows: Int64) -> Numbers | None:
    """Return the texts that some agents remember if they are few, else None."""
    if _FEW * int(memory.streams.count[rows].sum()) >= len(memory.texts):
        return None
    slots, _ = memory.streams.live(rows)
    return np.unique(memory.streams.at("text", slots)).astype(np.intp)


TERMS = {
    "statement": TextProperty("statement"),
    "information": TextProperty("information"),
    "static": TextTable("static"),
    "bm25": TextTable("bm25"),
    "dense": TextTable("dense"),
    "late_interaction": TextTable("late_interaction"),
    "keyword": TextTable("keyword", replaces="tfidf"),
}
