"""Answer: relevance of the memory that a memory follows, most if that one is a question."""

from dataclasses import dataclass
from typing import Self, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32, Intp
from memopolis.sim.memory.retrieval.address_kernels import single_at
from memopolis.sim.memory.retrieval.terms.relevance import own_relevance
from memopolis.sim.memory.retrieval.terms.term import ANSWER, Lines, Memories, Search, Term
from memopolis.sim.memory.text.relevance import FULL

STATEMENT = np.float32(0.6)
"""Share that counts where the memory before is a statement.

Source: this project; ratio of the weights of both, fitted by `benchmarks/learn_profile.py`.
"""

_0, _1, _FULL = np.float32(0), np.float32(1), np.float32(FULL)


@dataclass(frozen=True, slots=True, eq=False)
class Answer(Term):
    """R of the previous memory of the interaction, times 0.6 if that one is no question, 0..1."""

    code = ANSWER

    statement: Float32  # whether each text is a statement, 1 or 0, shape (texts,)
    rows: Intp  # the line of each query, shape (queries,)

    @override
    @classmethod
    def prepare(cls, search: Search) -> Self:
        return cls(search.memory.index.texts().statement, np.zeros(len(search.texts), np.intp))

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        share = np.where(self.statement[memories.column("text")] == 0, _1, STATEMENT)
        lent = own_relevance(memories).astype(np.float32) / _FULL * share
        answers = np.zeros(len(lent), np.float32)
        answers[1:] = np.where(memories.continues[1:], lent[:-1], _0)
        return answers

    @override
    def lines(self) -> Lines:
        return Lines(self.statement[None], self.rows)


@njit(cache=True, nogil=True)
def fill_answers(own, statement, text, on, n, out):  # type: ignore[no-untyped-def]
    """Fill the relevance of the memory before each of the n memories of one agent.

    `own` is R of the memories, `statement` the address of the line of all texts, `text` the text
    of each memory, and `on` is -1 where a memory continues the previous one.
    """
    if n > 0:
        out[0] = _0
    for i in range(1, n):
        share = _1 if single_at(statement, np.uint64(text[i - 1])) == _0 else STATEMENT
        out[i] = np.float32(own[i - 1]) / _FULL * share if on[i] != 0 else _0


TERMS = {"answer": Answer}
