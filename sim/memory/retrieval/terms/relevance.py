"""Soft lexical relevance, with what neighbours, the named actor and the named date add.

    relevance = (20 R + max(10 R[i +- 1], 8 R[i +- 2]) + 5 FULL [actor] + 4 FULL [date]) / SCALE

All summands are integers until the division, so the result does not depend on their order.
"""

from typing import Any, override

import numpy as np
from numba import njit, types
from numba.extending import overload

from memopolis.sim.arrays import Bools, Float32, Int32
from memopolis.sim.memory.retrieval.profiles import OWN, USUAL, Shares
from memopolis.sim.memory.retrieval.query import NO_ACTOR
from memopolis.sim.memory.retrieval.terms.term import LEAD, Memories, Term
from memopolis.sim.memory.streams.layout import PAGE, places
from memopolis.sim.memory.streams.prefetch_kernels import first_word, lanes
from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.relevance import FULL

SCALE = OWN * FULL  # V of a memory with every piece of the query and nothing else
_TIME, _ACTOR = places("time", "actor")
# The product of two int32 is an int64 to numba: cut back at each step, so that loops vectorise.
_32 = np.int32
_OWN = np.int32(OWN)
_SCALE = np.float32(SCALE)
_0, _1 = np.float32(0), np.float32(1)


class Relevance(Term):
    """Relevance of memories, about 1 for the best memory of a stream."""

    @override
    def by_numpy(self, memories: Memories, prepared: tuple[Any, ...]) -> Float32:
        return self.explain("relevance", memories, prepared)["relevance"]

    @override
    def explain(
        self, name: str, memories: Memories, prepared: tuple[Any, ...]
    ) -> dict[str, Float32]:
        """Return relevance, and what the memory itself, neighbours, actor and date add."""
        request, agent = memories.request, memories.agent
        own = own_relevance(memories)
        lent = actor = date = np.zeros(len(own), np.int32)
        if request.shares.neighbours:
            lent = near(own, memories.continues, request.shares)
        if request.cues:
            shares = request.shares
            actor = by_actor(memories.column("actor"), request.named[agent], shares.actor)
            dates = request.first[agent], request.last[agent]
            date = in_date(memories.column("time"), *dates, shares.date)
        own = np.int32(OWN) * own
        return {
            name: relevance(own + lent + (actor + date)),
            "own": relevance(own),
            "near": relevance(lent),
            "actor": relevance(actor),
            "date": relevance(date),
        }

    @override
    def fill(self, memories: Memories, prepared: tuple[Any, ...], out: Float32) -> None:
        request, chunk = memories.request, memories.chunk
        own, on = chunk_relevance(memories), joined(memories).copy()
        full = request.shares.neighbours > 0 or request.cues
        cues = request.named, request.first, request.last
        _fill(chunk, own, on, full, request.cues, *cues, request.shares.values, out)


def own_relevance(memories: Memories) -> Int32:
    """Return R of each memory and the query of its agent, shape (m,)."""
    request, text = memories.request, memories.column("text")
    query, table = request.query[memories.agent], request.relevance.table
    if table is None:
        return np.asarray(relevances(request.relevance.pairs, query, text), np.int32)
    return np.asarray(table[query, text], np.int32)


def chunk_relevance(memories: Memories) -> Int32:
    """Return R of each memory of a chunk at the positions that its `start` gives."""
    if "own" not in memories.shared:
        relevance, chunk = memories.request.relevance, memories.chunk
        source = relevance.pairs if relevance.table is None else relevance.table
        own = memories.shared["own"] = np.empty(len(chunk.text), np.int32)
        _fill_own(chunk, source, memories.request.query, own)
    return memories.shared["own"]


def joined(memories: Memories) -> Int32:
    """Return -1 where a memory of a chunk continues the previous one, else 0, by position."""
    if "joined" not in memories.shared:
        memories.shared["joined"] = -(memories.chunk_column("kind") >> 7).astype(np.int32)
    return memories.shared["joined"]


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


@njit(cache=True, nogil=True)
def is_cued(named, date0, date1):  # type: ignore[no-untyped-def]
    """Return whether a query names an actor or a date."""
    cued = date0 <= date1
    for actor in named:
        cued |= actor != NO_ACTOR
    return cued


@njit(cache=True, nogil=True)
def fill_cues(view, row, count, named, date0, date1, shares, cue):  # type: ignore[no-untyped-def]
    """Fill the values of the named actors and date."""
    table, words, _, _ = view
    actor_cue, date_cue = shares[2], shares[3]
    dated, size = date0 <= date1, lanes(cue)
    for page in range((count + PAGE - 1) // PAGE):
        at = first_word(table, row, page)
        j = np.uint64(LEAD + page * PAGE)
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
def add_relevance(n, relevance, on, cue, score, w2, full, shares):  # type: ignore[no-untyped-def]
    """Add relevance, with neighbours, actor and date if they count."""
    # Views that begin where the loop begins: loops vectorise only with indices known to be >= 0.
    total = score[LEAD:]
    if not full:
        own = relevance[LEAD:]
        for q in range(n):
            total[q] = total[q] + np.float32(_32(_OWN * own[q])) / _SCALE * w2
        return
    lent_one, lent_two = shares[0], shares[1]
    # No interaction extends beyond either end, so values beyond them are masked.
    on[LEAD] = 0
    on[LEAD + n] = 0
    if lent_one == 0:
        on[LEAD : LEAD + n] = 0
    near = relevance[LEAD - 2 :]
    joined = on[LEAD - 1 :]
    cues = cue[LEAD:]
    for q in range(n):
        here = joined[q + 1]
        after = joined[q + 2]
        one = max(near[q + 1] & here, near[q + 3] & after)
        two = max(near[q] & here & joined[q], near[q + 4] & after & joined[q + 3])
        lent = max(_32(lent_one * one), _32(lent_two * two))
        value = _32(_32(_OWN * near[q + 2]) + _32(lent + cues[q]))
        total[q] = total[q] + np.float32(value) / _SCALE * w2


def scratch_of(source):  # type: ignore[no-untyped-def]
    """Return the scratch that `fill_own` needs."""
    raise NotImplementedError


@overload(scratch_of)
def _compile_scratch_of(source):  # type: ignore[no-untyped-def]
    size = 0 if isinstance(source, types.Array) else NUMBERS
    return lambda source: (np.zeros(size, np.uint64), np.zeros((0, 0), np.uint8))  # noqa: ARG005


def fill_own(source, row, text, begin, end, scratch, own):  # type: ignore[no-untyped-def]
    """Fill R of the memories from `begin` to `end`, compiled for a table or for pairs."""
    raise NotImplementedError


@overload(fill_own, inline="always")
def _compile_fill_own(source, row, text, begin, end, scratch, own):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Choose between a table of all texts and comparing each text with the query."""
    if isinstance(source, types.Array):

        def fill(source, row, text, begin, end, scratch, own):  # type: ignore[no-untyped-def]  # noqa: ARG001
            # There is space after the last memory of an agent: a remainder would be slow.
            for q in range(end, end + -(end - begin) % PAGE):
                text[np.uint64(q)] = 0
            for first in range(begin, end, PAGE):
                for q in range(PAGE):
                    u = np.uint64(first + q)
                    own[u] = source[np.uint64(row), np.uint64(text[u])]
    else:

        def fill(source, row, text, begin, end, scratch, own):  # type: ignore[no-untyped-def]
            word_of, none = scratch
            relevances_of_texts(source, row, text, begin, end, word_of, none, own)

    return fill


@njit(cache=True, nogil=True)
def _fill_own(chunk, source, query, own):  # type: ignore[no-untyped-def]
    scratch = scratch_of(source)  # type: ignore[no-untyped-call]
    for j in range(len(chunk.rows)):
        begin = chunk.start[j]
        end = begin + chunk.lengths[j]
        fill_own(source, query[chunk.begin + j], chunk.text, begin, end, scratch, own)  # type: ignore[no-untyped-call]


@njit(cache=True, nogil=True)
def _fill(chunk, own, on, full, cued, named, date0, date1, shares, out):  # type: ignore[no-untyped-def]
    """Fill relevance from R, with neighbours, actor and date if they count; `on` is overwritten."""
    cue = np.zeros(len(out), np.int32)
    for j in range(len(chunk.rows)):
        lead, n, p = chunk.start[j] - LEAD, chunk.lengths[j], chunk.begin + j
        out[chunk.start[j] : chunk.start[j] + n] = _0
        if cued:
            fill_cues(
                chunk.pages, chunk.rows[j], n, named[p], date0[p],
                date1[p], shares, cue[lead:],
            )  # fmt: skip
        add_relevance(n, own[lead:], on[lead:], cue[lead:], out[lead:], _1, full, shares)


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


TERMS = {"relevance": Relevance()}
