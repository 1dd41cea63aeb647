"""Compiled passes over whole streams that find trivial memories and their repeats."""

import numpy as np
from numba import njit

from memopolis.sim.memory.night.consolidation_kernels import (
    consolidation_at,
    last_update_tick,
    retention_one,
)
from memopolis.sim.memory.night.replay_kernels import marks_of
from memopolis.sim.memory.streams.layout import CONTINUES, PAGE, PAGE_BYTES, PAGE_WORDS, places
from memopolis.sim.memory.streams.prefetch_kernels import prefetch_page

_TEXT, _ACCESSED, _ACTOR, _PLACE, _KIND = places("text", "accessed", "actor", "place", "kind")
_IMPORTANCE, _TOPIC, _EMOTION, _VALENCE = places("importance", "topic", "emotion", "valence")
(_TAGS,) = places("tags")

_0, _PAGE = np.int64(0), np.int64(PAGE)


@njit(cache=True, nogil=True)
def find_trivial(  # type: ignore[no-untyped-def]
    view, updates, following, limit, rows, trivia, strength, now, tables, places, ids
):
    """Find the trivial memories of some agents, agent by agent, newest first; return their number.

    The loop that reads all memories has no branches and passes no tuple of arrays on, which would
    count references to each of them. The results are `places`, indices into `rows`, and `ids`,
    int64.
    """
    table, words, halves, small = view
    strengths = strength.table
    count = 0
    for p in range(len(rows)):
        row = rows[p]
        stop = np.int64(following[row])
        first = max(stop - limit, 0)
        continued = False
        for page in range((stop - 1) // PAGE, first // PAGE - 1, -1):
            if page > first // PAGE:
                prefetch_page(table, words, row, page - 1)
            elif p + 1 < len(rows) and following[rows[p + 1]] > 0:
                prefetch_page(table, words, rows[p + 1], (following[rows[p + 1]] - 1) // PAGE)
            at = np.int64(table[row, page % table.shape[1]])
            byte, half = at * PAGE_BYTES, at * (PAGE_BYTES // 2)
            begin, oldest = count, max(first - page * PAGE, _0)
            for q in range(min(stop - page * PAGE, _PAGE) - 1, oldest - 1, -1):
                kind = small[byte + _KIND + q]
                marks = marks_of(halves[half + _TAGS + q], strength)
                # Neither forgotten, nor a thought, nor a memory that continues another one.
                is_trivial = kind == 0 and not continued
                is_trivial &= halves[half + _IMPORTANCE + q] <= trivia.importance
                is_trivial &= small[byte + _EMOTION + q] == 0
                is_trivial &= strengths[marks, small[byte + _VALENCE + q]] < trivia.emotion
                places[count], ids[count] = p, page * PAGE + q
                count += int(is_trivial)
                continued = (kind & CONTINUES) != 0
            if trivia.retention <= 1:  # keep those below it
                trivial, count = ids[begin:count], begin
                for i in trivial:
                    q = i - page * PAGE
                    accessed = words[at * PAGE_WORDS + _ACCESSED + q]
                    idle = now - max(last_update_tick(words, updates, at, q), accessed)
                    known = consolidation_at(view, updates, at, q, now, tables)
                    retention = retention_one(tables, known, idle, small[byte + _TOPIC + q])
                    ids[count] = i
                    count += int(retention < trivia.retention)
    return count


@njit(cache=True, nogil=True)
def _content(view, row, i):  # type: ignore[no-untyped-def]
    """Return text, actor, place and topic of a memory."""
    table, words, halves, small = view
    at, q = np.int64(table[row, (i // PAGE) % table.shape[1]]), i % PAGE
    word, half = at * PAGE_WORDS + q, at * 2 * PAGE_WORDS + q
    return (
        np.int64(words[word + _TEXT]),
        np.int64(words[word + _ACTOR]),
        np.int64(halves[half + _PLACE]),
        np.int64(small[at * PAGE_BYTES + q + _TOPIC]),
    )


@njit(cache=True, nogil=True)
def find_repeats(view, rows, places, ids, size, newest):  # type: ignore[no-untyped-def]
    """Find the newest memory of the same agent, topic, text, actor and place for each memory.

    `places` are the index into `rows` of each memory, agent by agent, newest first, and `size` is a
    power of two above the number of memories of each agent. `newest` is the result, the id of the
    newest, -1 for the newest itself, int64, shape (m,).
    """
    # Cells of a hash table: the agent that filled it, and one of its memories.
    owner, first = np.full(size, -1, np.int64), np.empty(size, np.int64)
    for k in range(len(ids)):
        p = places[k]
        content = _content(view, rows[p], ids[k])
        mixed = content[0] * 2_654_435_761 + content[1] * 40_503 + content[2] * 97 + content[3]
        cell = (mixed ^ (mixed >> 15)) & (size - 1)
        newest[k] = -1
        while owner[cell] == p:
            if _content(view, rows[p], first[cell]) == content:
                newest[k] = first[cell]
                break
            cell = (cell + 1) & (size - 1)
        else:
            owner[cell], first[cell] = p, ids[k]
