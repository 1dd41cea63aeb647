"""Answer: relevance of the memory that a memory follows, most if that one is a question."""

from typing import Any, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32
from memopolis.sim.memory.retrieval.terms.relevance import chunk_relevance, joined, own_relevance
from memopolis.sim.memory.retrieval.terms.term import LEAD, Memories, Search, Term
from memopolis.sim.memory.text.relevance import FULL

STATEMENT = np.float32(0.6)
"""Share that counts where the memory before is a statement.

Source: this project; ratio of the weights of both, fitted by `benchmarks/learn_profile.py`.
"""

_0, _1, _FULL = np.float32(0), np.float32(1), np.float32(FULL)


class Answer(Term):
    """R of the previous memory of the interaction, times 0.6 if that one is no question, 0..1."""

    @override
    def prepare(self, search: Search) -> tuple[Any, ...]:
        """Return whether each text is a statement."""
        return (search.memory.index.texts().statement,)

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        share = np.where(prepared[0][memories.column("text")] == 0, _1, STATEMENT)
        lent = own_relevance(memories).astype(np.float32) / _FULL * share
        answers = np.zeros(len(lent), np.float32)
        answers[1:] = np.where(memories.continues[1:], lent[:-1], _0)
        return answers

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        _fill(memories.chunk, chunk_relevance(memories), joined(memories), prepared[0], out)


@njit(cache=True, nogil=True)
def _fill(chunk, own, on, statement, out):  # type: ignore[no-untyped-def]
    for j in range(len(chunk.rows)):
        begin, n = chunk.start[j], chunk.lengths[j]
        text = chunk.text[begin:]
        fill_answers(own[begin:], statement, text, on[begin - LEAD :], n, out[begin:])


@njit(cache=True, nogil=True)
def fill_answers(own, statement, text, on, n, out):  # type: ignore[no-untyped-def]
    """Fill the relevance of the memory before each memory of one agent; `on` begins at LEAD."""
    if n > 0:
        out[0] = _0
    for i in range(1, n):
        share = _1 if statement[text[i - 1]] == _0 else STATEMENT
        out[i] = np.float32(own[i - 1]) / _FULL * share if on[LEAD + i] != 0 else _0


TERMS = {"answer": Answer()}
