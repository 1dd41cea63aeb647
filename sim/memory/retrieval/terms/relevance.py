"""Soft lexical relevance, with what neighbours, the named actor and the named date add.

    relevance = (20 R + max(10 R[i +- 1], 8 R[i +- 2]) + 5 FULL [actor] + 4 FULL [date]) / SCALE

All summands are integers until the division, so the result does not depend on their order. The term
answer is the relevance of the memory that a memory follows, most if that one is a question.
"""

from dataclasses import dataclass
from typing import Self, override

import numpy as np
from numba import njit

from memopolis.sim.arrays import Bools, Float32, Int32, Intp
from memopolis.sim.memory.retrieval.address_kernels import half_at, single_at
from memopolis.sim.memory.retrieval.profiles import OWN, USUAL, Shares
from memopolis.sim.memory.retrieval.terms.term import (
    ANSWER,
    EDGE,
    RELEVANCE,
    Lines,
    Memories,
    Search,
    Term,
    take,
)
from memopolis.sim.memory.streams.layout import PAGE, places
from memopolis.sim.memory.streams.page_kernels import first_word, lanes
from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.query import NO_ACTOR
from memopolis.sim.memory.text.relevance import FULL

SCALE = OWN * FULL  # V of a memory with every piece of the query and nothing else
_TIME, _ACTOR = places("time", "actor")
# The product of two int32 is an int64 to numba: cut back at each step, so that loops vectorise.
_32 = np.int32
_OWN = np.int32(OWN)
_SCALE = np.float32(SCALE)
_0, _1, _FULL = np.float32(0), np.float32(1), np.float32(FULL)
STATEMENT = np.float32(0.6)
"""Share that counts where the memory before is a statement.

Source: this project; ratio of the weights of both, fitted by `benchmarks/learn_profile.py`.
"""


class Relevance(Term):
    """Relevance of memories, about 1 for the best memory of a stream."""

    code = RELEVANCE

    @override
    def by_numpy(self, memories: Memories) -> Float32:
        return self.explain("relevance", memories)["relevance"]

    @override
    def explain(self, name: str, memories: Memories) -> dict[str, Float32]:
        """Return relevance, and what the memory itself, neighbours, actor and date add."""
        request, agent = memories.request, memories.agent
        own = own_relevance(memories)
        lent = actor = date = np.zeros(len(own), np.int32)
        if request.shares.neighbours:
            lent = near(own, memories.continues, request.shares)
        if request.cues:
            shares = request.shares
            actor = by_actor(memories.column("actor"), take(request.named, agent), shares.actor)
            dates = take(request.first, agent), take(request.last, agent)
            date = in_date(memories.column("time"), *dates, shares.date)
        own = np.int32(OWN) * own
        return {
            name: relevance(own + lent + (actor + date)),
            "own": relevance(own),
            "near": relevance(lent),
            "actor": relevance(actor),
            "date": relevance(date),
        }


def own_relevance(memories: Memories) -> Int32:
    """Return R of each memory and the query of its agent, shape (m,)."""
    relevance, text = memories.request.relevance, memories.column("text")
    rows = relevance.rows[memories.query]
    if relevance.table is None:
        return np.asarray(relevances(relevance.pairs, rows, text), np.int32)
    return np.asarray(relevance.table[rows, text], np.int32)


def near(relevance: Int32, continues: Bools, shares: Shares = USUAL) -> Int32:
    """Compute the relevance lent by neighbours in the same interaction, shape (memories,).

    `relevance` is R of the memories, oldest first; `continues` is whether each continues the
    previous one. Returns max(10 * max(R[i-1], R[i+1]), 8 * max(R[i-2], R[i+2])) with the usual
    shares.

    Source:
        This project: conversations are recalled as a whole (measured, +5 points of recall).
    """
    n = len(relevance)
    on = np.zeros(n + 4, np.bool_)
    on[2 : n + 2] = continues
    r = np.zeros(n + 4, np.int32)
    r[2 : n + 2] = relevance
    here, after = on[2 : n + 2], on[3 : n + 3]
    one = np.maximum(r[1 : n + 1] * here, r[3 : n + 3] * after)
    two = np.maximum(r[:n] * (here & on[1 : n + 1]), r[4:] * (after & on[4:]))
    return np.asarray(np.maximum(shares.neighbours * one, shares.next_but_one * two), np.int32)


def by_actor(actor: Int32, named: Int32, share: int = USUAL.actor) -> Int32:
    """Return the part of V for the actors named, shape (m, w) or (w,), -2 for none; shape (m,)."""
    is_named = (actor[:, None] == named).any(axis=1)
    return np.where(is_named, np.int32(share * FULL), np.int32(0))


def in_date(time: Int32, first: int | Int32, last: int | Int32, share: int = USUAL.date) -> Int32:
    """Return the part of V for the date first <= time <= last, in ticks."""
    return np.where((time >= first) & (time <= last), np.int32(share * FULL), np.int32(0))


def relevance(value: Int32) -> Float32:
    """Convert V to relevance: about 1 for the best memory of a stream, at most 2.35."""
    return value.astype(np.float32) / np.float32(SCALE)


@njit(cache=True, nogil=True, inline="always")
def is_cued(named, date0, date1):  # type: ignore[no-untyped-def]
    """Return whether a query names an actor or a date."""
    cued = date0 <= date1
    for actor in named:
        cued |= actor != NO_ACTOR
    return cued


@njit(cache=True, nogil=True)
def fill_cues(view, row, first, stop, named, date0, date1, shares, cue):  # type: ignore[no-untyped-def]
    """Fill the values of the named actors and date for the memories `first` to `stop` of a row."""
    table, words, _, _ = view
    actor_cue, date_cue = shares[2], shares[3]
    dated, size = date0 <= date1, lanes(cue)
    for page in range(first // PAGE, (stop + PAGE - 1) // PAGE):
        at = first_word(table, row, page)
        j = np.uint64(page * PAGE - first)
        times, actors = np.uint64(at + _TIME), np.uint64(at + _ACTOR)
        for q in range(size):
            cue[j + np.uint64(q)] = 0
        if dated:
            for q in range(size):
                time = words[times + np.uint64(q)]
                cue[j + np.uint64(q)] = date_cue if (time >= date0) & (time <= date1) else _32(0)
        # The actors named are distinct, so at most one of them adds to a memory.
        for actor in named:
            if actor != NO_ACTOR:
                for q in range(size):
                    u = np.uint64(q)
                    more = actor_cue if words[actors + u] == actor else _32(0)
                    cue[j + u] = _32(cue[j + u] + more)


@njit(cache=True, nogil=True, inline="always")
def fill_own(address, text, n, own):  # type: ignore[no-untyped-def]
    """Fill R of n memories, a multiple of `PAGE`, from the address of the line of the query."""
    for first in range(0, n, PAGE):
        for q in range(PAGE):
            u = np.uint64(first + q)
            own[u] = half_at(address, np.uint64(text[u]))


@njit(cache=True, nogil=True, inline="always")
def add_relevance(n, own, on, cue, score, weight, full, shares):  # type: ignore[no-untyped-def]
    """Add weighted relevance, with neighbours, actor and date if they count.

    Scores have one value for each of n memories; R, cues and whether each memory continues the
    previous one (-1, else 0) have `EDGE` more before them, and as many after them. `on` is 0 for
    the first memory, and after the last one.
    """
    # Views that begin where the loop begins: loops vectorise only with indices known to be >= 0.
    if not full:
        alone = own[EDGE:]
        for q in range(n):
            score[q] = score[q] + np.float32(_32(_OWN * alone[q])) / _SCALE * weight
        return
    lent_one, lent_two = shares[0], shares[1]
    near, joined, cues = own[EDGE - 2 :], on[EDGE - 1 :], cue[EDGE:]
    lends = _32(-1) if lent_one > 0 else _32(0)
    for q in range(n):
        here = _32(joined[q + 1] & lends)
        after = _32(joined[q + 2] & lends)
        one = max(near[q + 1] & here, near[q + 3] & after)
        two = max(near[q] & here & joined[q], near[q + 4] & after & joined[q + 3])
        lent = max(_32(lent_one * one), _32(lent_two * two))
        value = _32(_32(_OWN * near[q + 2]) + _32(lent + cues[q]))
        score[q] = score[q] + np.float32(value) / _SCALE * weight


@njit(cache=True, nogil=True)
def relevances(pairs, rows, texts):  # type: ignore[no-untyped-def]
    """Compute R of pairs of query row and text number, int32."""
    word_of, none = np.zeros(NUMBERS, np.uint64), np.zeros((0, 0), np.uint8)
    out = np.empty(len(rows), np.int32)
    begin = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or rows[end] != rows[begin]:
            relevances_of_texts(pairs, rows[begin], texts, begin, end, word_of, none, out)
            begin = end
    return out


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


TERMS = {"relevance": Relevance, "answer": Answer}
