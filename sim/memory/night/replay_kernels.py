"""Compiled passes over whole streams: memories due for review, trivial ones and their repeats."""

import numpy as np
from numba import njit

from memopolis.sim.memory.night.consolidation_kernels import (
    consolidation_at,
    last_update_tick,
    retention_one,
)
from memopolis.sim.memory.streams.layout import (
    CONTINUES,
    FORGOTTEN,
    PAGE,
    PAGE_BYTES,
    PAGE_WORDS,
    places,
)
from memopolis.sim.memory.streams.prefetch_kernels import prefetch_page

_ACCESSED, _TAGS, _KIND, _ACCESSES = places("accessed", "tags", "kind", "accesses")
_VALENCE, _CONFIDENCE, _TEXT, _ACTOR = places("valence", "confidence", "text", "actor")
_PLACE, _IMPORTANCE, _TOPIC, _EMOTION = places("place", "importance", "topic", "emotion")
_ZERO, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)
_0, _PAGE = np.int64(0), np.int64(PAGE)
# Weights of the priority; that of the confidence is in its table.
_CONSOLIDATION, _STRENGTH = np.float32(0.3), np.float32(0.3)


@njit(cache=True, nogil=True)
def marks_of(tags, strength):  # type: ignore[no-untyped-def]
    """Return the row of `Strength.table` for a memory with some tags."""
    marks = int((tags & strength.positive) != 0) + 2 * int((tags & strength.negative) != 0)
    return marks + 4 * int((tags & strength.urgent) != 0)


@njit(cache=True, nogil=True)
def strength_at(view, at, q, strength):  # type: ignore[no-untyped-def]
    """Return the emotional strength of a memory, by its page and its place there."""
    _, _, halves, small = view
    marks = marks_of(halves[at * 2 * PAGE_WORDS + _TAGS + q], strength)
    return strength.table[marks, small[at * PAGE_BYTES + _VALENCE + q]]


@njit(cache=True, nogil=True)
def _reach(values, bound):  # type: ignore[no-untyped-def]
    """Count the values that are at least a bound."""
    count = np.int32(0)
    for q in range(len(values)):
        count += np.int32(values[q] >= bound)
    return count


@njit(cache=True, nogil=True)
def _median(values):  # type: ignore[no-untyped-def]
    """Return the median of values in 0..1 by bisection, whose loops are vectorised."""
    n = len(values)
    most = n - n // 2
    # The upper of the two middle values is at least `low` and less than `high`.
    low, high = _ZERO, _ONE + _ONE
    while True:
        middle = (low + high) * _HALF
        if middle in (low, high):
            break
        count = _reach(values, middle)
        if count < most:
            high = middle
        else:
            low = middle
            if count == most:
                break
    upper = high
    for q in range(n):
        upper = min(upper, values[q] if values[q] >= low else high)
    if n % 2:
        return upper
    lower = _ZERO
    for q in range(n):
        lower = max(lower, values[q] if values[q] < upper else _ZERO)
    return ((upper if _reach(values, upper) > most else lower) + upper) * _HALF


@njit(cache=True, nogil=True)
def due(  # type: ignore[no-untyped-def]
    view, updates, next_ids, limit, rows, now, tables, confidence, intervals, least, days, strength,
    ids, worth, late,
):  # fmt: skip
    """Find each agent's due memories, as defined in `replay`: ids, priorities and days overdue.

    `confidence` and `intervals` are tables by code and by accesses; `least` is below 0 for the
    median priority, and `days` are those of a tick.
    """
    table, words, _, small = view
    width = table.shape[1]
    priority = np.empty(limit, np.float32)
    waited = np.empty(limit, np.float32)
    number = np.empty(limit, np.int32)
    rank = np.empty(ids.shape[1], np.float32)
    for p in range(len(rows)):
        stop = np.int64(next_ids[rows[p]])
        first = max(stop - limit, 0)
        end = (stop + PAGE - 1) // PAGE
        n = 0
        for page in range(first // PAGE, end):
            if page + 1 < end:
                prefetch_page(table, words, rows[p], page + 1)
            elif p + 1 < len(rows):
                oldest = max(np.int64(next_ids[rows[p + 1]]) - limit, 0) // PAGE
                prefetch_page(table, words, rows[p + 1], oldest)
            at = np.int64(table[rows[p], page % width])
            for q in range(max(first - page * PAGE, _0), min(stop - page * PAGE, _PAGE)):
                if small[at * PAGE_BYTES + _KIND + q] & FORGOTTEN:
                    continue
                accesses = small[at * PAGE_BYTES + _ACCESSES + q]
                last = last_update_tick(words, updates, at, q)
                if accesses:
                    last = words[at * PAGE_WORDS + _ACCESSED + q]
                known = confidence[small[at * PAGE_BYTES + _CONFIDENCE + q]]
                known += _CONSOLIDATION * consolidation_at(view, updates, at, q, now, tables)
                priority[n] = known + _STRENGTH * strength_at(view, at, q, strength)
                waited[n] = np.float32(now - last) * days - intervals[accesses]
                number[n] = page * PAGE + q
                n += 1
        if not n:
            continue
        bar = least if least >= 0 else _median(priority[:n])
        count = 0
        k = ids.shape[1]
        for j in range(n - 1, -1, -1):
            if waited[j] < 0 or priority[j] < bar:
                continue
            value = priority[j] * (_ONE + waited[j])
            place = min(count, k - 1)
            if count == k and value <= rank[place]:
                continue
            while place > 0 and rank[place - 1] < value:
                rank[place] = rank[place - 1]
                ids[p, place] = ids[p, place - 1]
                worth[p, place] = worth[p, place - 1]
                late[p, place] = late[p, place - 1]
                place -= 1
            rank[place] = value
            ids[p, place] = number[j]
            worth[p, place] = priority[j]
            late[p, place] = waited[j]
            count = min(count + 1, k)


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


@njit(cache=True, nogil=True)
def merge(view, newest, repeats, group, times):  # type: ignore[no-untyped-def]
    """Write the values of repeats to the newest memory of each group, given by slots.

    `group` is the index into `newest` of each repeat, and `times` the occasions of the newest and
    then of the repeats, int32. Means are over occasions, and halves are rounded up.
    """
    _, words, halves, small = view
    groups = len(newest)
    count, valence, confidence, accesses = np.zeros((4, groups), np.int64)
    for i in range(len(times)):
        n = i if i < groups else group[i - groups]
        slot = newest[i] if i < groups else repeats[i - groups]
        byte = slot // PAGE * PAGE_BYTES + slot % PAGE
        count[n] += times[i]
        valence[n] += times[i] * np.int64(np.int8(small[byte + _VALENCE]))
        confidence[n] += times[i] * np.int64(small[byte + _CONFIDENCE])
        accesses[n] += small[byte + _ACCESSES]
        if i < groups:
            continue
        word = slot // PAGE * PAGE_WORDS + slot % PAGE
        kept = newest[n] // PAGE * PAGE_WORDS + newest[n] % PAGE
        words[kept + _ACCESSED] = max(words[kept + _ACCESSED], words[word + _ACCESSED])
        half = slot // PAGE * (PAGE_BYTES // 2) + slot % PAGE
        kept = newest[n] // PAGE * (PAGE_BYTES // 2) + newest[n] % PAGE
        halves[kept + _IMPORTANCE] = max(halves[kept + _IMPORTANCE], halves[half + _IMPORTANCE])
        halves[kept + _TAGS] |= halves[half + _TAGS]
    for n in range(groups):
        byte = newest[n] // PAGE * PAGE_BYTES + newest[n] % PAGE
        small[byte + _VALENCE] = np.uint8((2 * valence[n] + count[n]) // (2 * count[n]))
        small[byte + _CONFIDENCE] = (2 * confidence[n] + count[n]) // (2 * count[n])
        small[byte + _ACCESSES] = min(accesses[n], 255)
