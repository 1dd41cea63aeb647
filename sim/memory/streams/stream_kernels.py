"""Compiled loops over whole streams."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.layout import (
    COLUMNS,
    CONTINUES,
    FORGOTTEN,
    OFFSETS,
    PAGE,
    PAGE_BYTES,
    PAGE_WORDS,
    places,
)
from memopolis.sim.memory.streams.prefetch_kernels import (
    AGENTS_AHEAD,
    LINE,
    prefetch,
    prefetch_early,
)

_TEXT, _ACCESSED, _KIND, _ACCESSES = places("text", "accessed", "kind", "accesses")
_ACTOR, _TIME, _THOUGHT, _IMPORTANCE = places("actor", "time", "thought", "importance")
_PLACE, _TAGS, _VALENCE, _CONFIDENCE = places("place", "tags", "valence", "confidence")
_TOPIC, _EMOTION = places("topic", "emotion")
_KIND_BITS = 255 - CONTINUES - FORGOTTEN
_OFFSETS = tuple(OFFSETS.values())
# Bytes of a value of each column, negative without a sign.
_SIZES = tuple(-t.itemsize if t.kind == "u" else t.itemsize for t in COLUMNS.values())
# Memories are in scattered pages, so a loop prefetches those that it needs some agents later.
_AHEAD, _LEAST_AHEAD = 16, 3


@njit(cache=True, nogil=True, inline="always")
def _agents_ahead(slots):  # type: ignore[no-untyped-def]
    """Return how many agents ahead to prefetch, for values of shape (n, k): more for a small k."""
    return max(_LEAST_AHEAD, _AHEAD // max(slots.shape[1], 1))


@njit(cache=True, nogil=True, inline="always")
def _find(table, row, i):  # type: ignore[no-untyped-def]
    """Return the page of a memory of a row, and its place there; of id 0 if `i` is negative."""
    number = np.uint64(max(i, 0))  # unsigned division is faster
    place = number // np.uint64(PAGE)
    # The remainder is slow, and seldom needed.
    if place >= np.uint64(table.shape[1]):
        place %= np.uint64(table.shape[1])
    return np.int64(table[row, place]), np.int64(number % np.uint64(PAGE))


@njit(cache=True, nogil=True)
def find_thoughts(view, following, limit, rows, texts):  # type: ignore[no-untyped-def]
    """Find each agent's newest thought of a given text; -1 where there is none."""
    table, words, _, small = view
    ids = np.full(len(rows), -1, np.int32)
    width = table.shape[1]
    for p in range(len(rows)):
        row = rows[p]
        stop = np.int64(following[row])
        for i in range(stop - 1, max(stop - limit, 0) - 1, -1):
            at = np.int64(table[row, (i // PAGE) % width])
            if words[at * PAGE_WORDS + _TEXT + i % PAGE] == texts[p] and (
                small[at * PAGE_BYTES + _KIND + i % PAGE] & _KIND_BITS
            ):
                ids[p] = i
                break
    return ids


@njit(cache=True, nogil=True)
def book(view, following, limit, rows, ids, tick):  # type: ignore[no-untyped-def]
    """Record an access of each memory, (n, k), that was not evicted; counts end at 255.

    The tick replaces a later one, which is from a clock that was wrong. Whether a memory was
    forgotten is not checked: its accesses are never read again.
    """
    table, words, _, small = view
    for p in range(len(rows)):
        later = p + AGENTS_AHEAD
        if later < len(rows):
            for j in range(ids.shape[1]):
                at, q = _find(table, rows[later], ids[later, j])
                prefetch_early(words, at * PAGE_WORDS + _ACCESSED + q)  # type: ignore[call-arg]
                prefetch_early(small, at * PAGE_BYTES + _ACCESSES + q)
        stop = np.int64(following[rows[p]])
        first = max(stop - limit, 0)
        for j in range(ids.shape[1]):
            if ids[p, j] < first or ids[p, j] >= stop:
                continue
            at, q = _find(table, rows[p], ids[p, j])
            w, b = at * PAGE_WORDS + _ACCESSED + q, at * PAGE_BYTES + _ACCESSES + q
            words[w] = tick
            small[b] += np.uint8(small[b] < 255)


@njit(cache=True, nogil=True)
def count_forgotten(view, following, limit, rows):  # type: ignore[no-untyped-def]
    """Count the memories of each row that are forgotten but not evicted, int32."""
    table, _, _, small = view
    width = table.shape[1]
    counts = np.zeros(len(rows), np.int32)
    for p in range(len(rows)):
        stop = np.int64(following[rows[p]])
        for i in range(max(stop - limit, 0), stop):
            at = np.int64(table[rows[p], (i // PAGE) % width])
            if small[at * PAGE_BYTES + _KIND + i % PAGE] & FORGOTTEN:
                counts[p] += 1
    return counts


@njit(cache=True, nogil=True)
def slots_of(table, small, following, limit, rows, ids, forgets):  # type: ignore[no-untyped-def]
    """Return the slot of each memory, -1 if it is missing, int64, shape (n, k)."""
    slots = np.empty(ids.shape, np.int64)
    for p in range(ids.shape[0]):
        later = p + _LEAST_AHEAD
        if forgets and later < ids.shape[0]:
            for j in range(ids.shape[1]):
                page, q = _find(table, rows[later], ids[later, j])
                prefetch(small, page * PAGE_BYTES + _KIND + q)  # type: ignore[call-arg]
        stop = np.int64(following[rows[p]])
        first = max(stop - limit, 0)
        for j in range(ids.shape[1]):
            slots[p, j] = -1
            if ids[p, j] >= first and ids[p, j] < stop:
                page, q = _find(table, rows[p], ids[p, j])
                if not (forgets and small[page * PAGE_BYTES + _KIND + q] & FORGOTTEN):
                    slots[p, j] = page * PAGE + q
    return slots


@njit(cache=True, nogil=True)
def read(table, words, halves, small, following, limit, row, ids, forgets):  # type: ignore[no-untyped-def]
    """Read all columns of memories of an agent: values, (m, columns), and slots, -1 if missing."""
    values = np.zeros((len(ids), len(_OFFSETS)), np.int64)
    slots = np.full(len(ids), -1, np.int64)
    stop = np.int64(following[row])
    for j in range(len(ids)):
        i = ids[j]
        if i < 0 or i >= stop or i < stop - limit:
            continue
        page, q = _find(table, row, i)
        at = page * PAGE_BYTES
        if forgets and small[at + _KIND + q] & FORGOTTEN:
            continue
        slots[j] = page * PAGE + q
        for c in range(len(_OFFSETS)):
            size, begin = _SIZES[c], (at + _OFFSETS[c]) // abs(_SIZES[c]) + q
            if size == 4:
                values[j, c] = words[begin]
            elif size == -2:
                values[j, c] = np.uint16(halves[begin])
            elif size == 2:
                values[j, c] = halves[begin]
            elif size == 1:
                values[j, c] = np.int8(small[begin])
            else:
                values[j, c] = small[begin]
    return values, slots


@njit(cache=True, nogil=True, inline="always")
def _prefetch_values(values, begin, stride, slots, p):  # type: ignore[no-untyped-def]
    """Prefetch values at the slots of a later agent, as in `gather`."""
    later = p + _agents_ahead(slots)
    if later < slots.shape[0]:
        for j in range(slots.shape[1]):
            ahead = max(slots[later, j], 0)
            prefetch(values, begin + ahead // PAGE * stride + ahead % PAGE)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def gather(values, begin, stride, slots, out):  # type: ignore[no-untyped-def]
    """Copy a column, from `begin` in pages of `stride` values, at slots >= 0."""
    for p in range(slots.shape[0]):
        _prefetch_values(values, begin, stride, slots, p)
        for j in range(slots.shape[1]):
            slot = slots[p, j]
            if slot >= 0:
                out[p, j] = values[begin + slot // PAGE * stride + slot % PAGE]


@njit(cache=True, nogil=True)
def copy_pages(table, column, rows, first, stop, start, out):  # type: ignore[no-untyped-def]
    """Copy a column, shape (pages, PAGE), as `Streams.copy_pages`."""
    for j in range(len(rows)):
        for page in range(first[j] // PAGE, (stop[j] + PAGE - 1) // PAGE):
            values = column[table[rows[j], page % table.shape[1]]]
            filled = out[start[j] + page * PAGE - first[j] :]
            for q in range(PAGE):
                filled[q] = values[q]


@njit(cache=True, nogil=True)
def encode_shares(values, least, scale, codes):  # type: ignore[no-untyped-def]
    """Encode values of `least` to 1; return the index of one out of range or nan, or -1."""
    for p in range(len(values)):
        if not least <= values[p] <= 1:
            return p
        codes[p] = np.floor(values[p] * scale + 0.5)
    return -1


@njit(cache=True, nogil=True)
def issue(issued, rows):  # type: ignore[no-untyped-def]
    """Return the ids of new memories of some rows, and count them as issued."""
    ids = np.empty(len(rows), np.int32)
    for p in range(len(rows)):
        ids[p] = issued[rows[p]]
        issued[rows[p]] += 1
    return ids


@njit(cache=True, nogil=True)
def advance(table, following, limit, rows, ids):  # type: ignore[no-untyped-def]
    """Move the next id of each agent past its new memories, and find where pages are missing.

    Returns the sorted cells of the table, row * width + place, that need a page.
    """
    for p in range(len(rows)):
        following[rows[p]] = max(following[rows[p]], ids[p] + 1)
    width = table.shape[1]
    cells, count = np.empty(len(rows), np.int64), 0
    for p in range(len(rows)):
        row, place = rows[p], (ids[p] // PAGE) % width
        if table[row, place] == -1 and ids[p] >= following[row] - limit:
            table[row, place] = -2  # listed once
            cells[count] = row * width + place
            count += 1
    return np.sort(cells[:count])


@njit(cache=True, nogil=True)
def store(view, following, limit, rows, ids, columns):  # type: ignore[no-untyped-def]
    """Write memories that are not evicted, given by all columns in their order, each (m,)."""
    table, words, halves, small = view
    (
        text, accessed, importance, kind, actor, time, thought, place, tags, accesses, valence,
        confidence, topic, emotion,
    ) = columns  # fmt: skip
    for p in range(len(rows)):
        if p + AGENTS_AHEAD < len(rows):
            page, _ = _find(table, rows[p + AGENTS_AHEAD], ids[p + AGENTS_AHEAD])
            for word in range(0, PAGE_WORDS, LINE):
                prefetch_early(words, page * PAGE_WORDS + word)  # type: ignore[call-arg]
        if ids[p] < following[rows[p]] - limit:
            continue
        page, q = _find(table, rows[p], ids[p])
        word, half, byte = (
            page * PAGE_WORDS + q,
            page * (PAGE_BYTES // 2) + q,
            page * PAGE_BYTES + q,
        )
        words[word + _TEXT], words[word + _ACCESSED] = text[p], accessed[p]
        words[word + _ACTOR], words[word + _TIME] = actor[p], time[p]
        words[word + _THOUGHT], halves[half + _IMPORTANCE] = thought[p], importance[p]
        halves[half + _PLACE], halves[half + _TAGS] = place[p], tags[p]
        small[byte + _KIND], small[byte + _ACCESSES] = kind[p], accesses[p]
        small[byte + _VALENCE], small[byte + _CONFIDENCE] = valence[p], confidence[p]
        small[byte + _TOPIC], small[byte + _EMOTION] = topic[p], emotion[p]
