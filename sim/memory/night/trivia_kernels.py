"""Compiled passes over whole streams that find trivial memories: repeated, or faded."""

import numpy as np
from numba import njit

from memopolis.sim.memory.night.consolidation_kernels import (
    consolidation_at,
    last_update_tick,
    retention_one,
)
from memopolis.sim.memory.night.replay_kernels import marks_of
from memopolis.sim.memory.streams.layout import CONTINUES, OFFSETS, PAGE, PAGE_BYTES, PAGE_WORDS
from memopolis.sim.memory.streams.prefetch_kernels import prefetch_page

_TEXT = OFFSETS["text"] // 4
_ACTOR = OFFSETS["actor"] // 4
_ACCESSED = OFFSETS["accessed"] // 4
_PLACE = OFFSETS["place"] // 2
_KIND = OFFSETS["kind"]
_IMPORTANCE = OFFSETS["importance"] // 2
_TOPIC = OFFSETS["topic"]
_EMOTION = OFFSETS["emotion"]
_VALENCE = OFFSETS["valence"]
_TAGS = OFFSETS["tags"] // 2

_0, _PAGE = np.int64(0), np.int64(PAGE)


@njit(cache=True, nogil=True)
def _prefetch_older(table, words, following, limit, rows, p, page):  # type: ignore[no-untyped-def]
    """Prefetch the page before a page of an agent, or the newest page of the next agent."""
    if page > max(np.int64(following[rows[p]]) - limit, 0) // PAGE:
        prefetch_page(table, words, rows[p], page - 1)
    elif p + 1 < len(rows) and following[rows[p + 1]] > 0:
        prefetch_page(table, words, rows[p + 1], (following[rows[p + 1]] - 1) // PAGE)


@njit(cache=True, nogil=True)
def _find_trivial(view, following, limit, rows, p, trivia, strength, own):  # type: ignore[no-untyped-def]
    """Find the trivial memories of one agent; return how many, and their ids, newest first.

    A trivial memory is an unimportant event without emotion, in no conversation. The loop has no
    branches and calls nothing with arrays, which would count references to them.
    """
    table, words, halves, small = view
    table_of_strength = strength.table
    row = rows[p]
    stop = np.int64(following[row])
    first_id = max(stop - limit, 0)
    count = 0
    continued = False
    for page in range((stop - 1) // PAGE, first_id // PAGE - 1, -1):
        _prefetch_older(table, words, following, limit, rows, p, page)
        at = np.int64(table[row, page % table.shape[1]])
        byte, half = at * PAGE_BYTES, at * (PAGE_BYTES // 2)
        oldest = max(first_id - page * PAGE, _0)
        newest = min(stop - page * PAGE, _PAGE) - 1
        for q in range(newest, oldest - 1, -1):
            kind = small[byte + _KIND + q]
            marks = marks_of(halves[half + _TAGS + q], strength)
            # Neither forgotten, nor a thought, nor a memory that continues another one.
            is_trivial = kind == 0 and not continued
            is_trivial &= halves[half + _IMPORTANCE + q] <= trivia.importance
            is_trivial &= small[byte + _EMOTION + q] == 0
            is_trivial &= table_of_strength[marks, small[byte + _VALENCE + q]] < trivia.emotion
            own[count] = page * PAGE + q
            count += int(is_trivial)
            continued = (kind & CONTINUES) != 0
    return count


@njit(cache=True, nogil=True)
def _longest(following, limit, rows):  # type: ignore[no-untyped-def]
    """Return the greatest number of memories of an agent."""
    longest = np.int64(0)
    for row in rows:
        longest = max(longest, min(np.int64(following[row]), np.int64(limit)))
    return longest


@njit(cache=True, nogil=True)
def find_repeats(view, following, limit, rows, trivia, strength, places, repeats, kept):  # type: ignore[no-untyped-def]
    """Find trivial memories that a newer memory of the agent repeats exactly.

    Args:
        view: Page table of the streams, and their pages as words, half words and bytes.
        following: Id of each agent's next memory.
        limit: Maximum number of memories per agent.
        rows: Rows of agents, int64, shape (n,).
        trivia: Limits of trivial memories.
        strength: Table of emotional strength.
        places: Result, index into `rows`, int64, one per memory.
        repeats: Result, id of the older memory, likewise.
        kept: Result, id of the newest memory with its topic, text, actor and place, likewise.

    Returns:
        Number of repeats.
    """
    table, words, halves, small = view
    width = table.shape[1]
    own = np.empty(_longest(following, limit, rows), np.int64)
    size = 16
    while size < 2 * len(own):
        size *= 2
    # Cells of a hash table: the agent that filled it, and one of its memories.
    owner, first = np.full(size, -1, np.int64), np.empty(size, np.int64)
    count = 0
    for p in range(len(rows)):
        row = rows[p]
        for i in own[: _find_trivial(view, following, limit, rows, p, trivia, strength, own)]:
            at, q = np.int64(table[row, (i // PAGE) % width]), i % PAGE
            word, half = at * PAGE_WORDS + q, at * 2 * PAGE_WORDS + q
            text, actor = words[word + _TEXT], words[word + _ACTOR]
            place, topic = halves[half + _PLACE], small[at * PAGE_BYTES + q + _TOPIC]
            mixed = np.int64(text) * 2_654_435_761 + np.int64(actor) * 40_503
            mixed += np.int64(place) * 97 + np.int64(topic)
            cell = (mixed ^ (mixed >> 15)) & (size - 1)
            while owner[cell] == p:
                j = first[cell]
                other, o = np.int64(table[row, (j // PAGE) % width]), j % PAGE
                w, h = other * PAGE_WORDS + o, other * 2 * PAGE_WORDS + o
                if (
                    words[w + _TEXT] == text
                    and words[w + _ACTOR] == actor
                    and halves[h + _PLACE] == place
                    and small[other * PAGE_BYTES + o + _TOPIC] == topic
                ):
                    places[count], repeats[count], kept[count] = p, i, j
                    count += 1
                    break
                cell = (cell + 1) & (size - 1)
            else:
                owner[cell], first[cell] = p, i
    return count


@njit(cache=True, nogil=True)
def find_faded(  # type: ignore[no-untyped-def]
    view, updates, following, limit, rows, now, tables, trivia, strength, least, places, ids
):
    """Find trivial memories with a retention below `least`.

    Args:
        view: As in `find_repeats`; likewise the arguments that are named there.
        updates: Tick of the last update by slot, empty if there is none.
        following: See `find_repeats`.
        limit: See `find_repeats`.
        rows: See `find_repeats`.
        now: Tick.
        tables: Tables of consolidation.
        trivia: See `find_repeats`.
        strength: See `find_repeats`.
        least: Lower bound of the retention, float32.
        places: Result, index into `rows`, int64, one per memory.
        ids: Result, id of the memory, likewise.

    Returns:
        Number of such memories.
    """
    table, words, _, small = view
    width = table.shape[1]
    own = np.empty(_longest(following, limit, rows), np.int64)
    count = 0
    for p in range(len(rows)):
        for i in own[: _find_trivial(view, following, limit, rows, p, trivia, strength, own)]:
            at, q = np.int64(table[rows[p], (i // PAGE) % width]), i % PAGE
            last = max(
                last_update_tick(words, updates, at, q), words[at * PAGE_WORDS + _ACCESSED + q]
            )
            consolidated = consolidation_at(view, updates, at, q, now, tables)
            topic = small[at * PAGE_BYTES + _TOPIC + q]
            if retention_one(tables, consolidated, now - last, topic) < least:
                places[count], ids[count] = p, i
                count += 1
    return count
