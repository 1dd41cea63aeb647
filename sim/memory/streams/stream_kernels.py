"""Compiled loops over whole streams."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.layout import (
    COLUMNS,
    CONTINUES,
    OFFSETS,
    PAGE,
    PAGE_BYTES,
    PAGE_WORDS,
    places,
)
from memopolis.sim.memory.streams.page_kernels import (
    AGENTS_AHEAD,
    LINE,
    byte_of,
    first_word,
    half_of,
    prefetch,
    prefetch_early,
    slot_at,
    word_of,
)

_TEXT, _ACCESSED, _KIND, _ACCESSES = places("text", "accessed", "kind", "accesses")
_ACTOR, _TIME, _THOUGHT, _IMPORTANCE = places("actor", "time", "thought", "importance")
_PLACE, _TAGS, _VALENCE, _CONFIDENCE = places("place", "tags", "valence", "confidence")
_TOPIC, _EMOTION, _ID = places("topic", "emotion", "id")
_KIND_BITS = 255 - CONTINUES
_CONTINUES, _0 = np.uint8(CONTINUES), np.uint8(0)
_OFFSETS = tuple(OFFSETS.values())
# Bytes of a value of each column, negative without a sign.
_SIZES = tuple(-t.itemsize if t.kind == "u" else t.itemsize for t in COLUMNS.values())
# Memories are in scattered pages, so a loop prefetches those that it needs some agents later.
_AHEAD, _LEAST_AHEAD = 16, 3
_MOST_PREFETCHED = 4  # pages whose ids are prefetched


@njit(cache=True, nogil=True, inline="always")
def _agents_ahead(slots):  # type: ignore[no-untyped-def]
    """Return how many agents ahead to prefetch, for values of shape (n, k): more for a small k."""
    return max(_LEAST_AHEAD, _AHEAD // max(slots.shape[1], 1))


@njit(cache=True, nogil=True, inline="always")
def word_at(table, row, i):  # type: ignore[no-untyped-def]
    """Return where the first word of memory i of an agent is."""
    return word_of(slot_at(table, row, i))


@njit(cache=True, nogil=True, inline="always")
def _first_id(table, row, page):  # type: ignore[no-untyped-def]
    """Return where the ids of a page of an agent begin."""
    return np.uint64(first_word(table, row, page) + _ID)


@njit(cache=True, nogil=True, inline="always")
def index_of(table, words, count, row, number):  # type: ignore[no-untyped-def]
    """Return the index of a memory among those of its agent, by id; -1 if it is missing.

    Ids are in order, so both the page and the place in it are found by halving. The halvings have
    no branches that depend on ids, which would be predicted wrongly.
    """
    stop = np.int64(count[row])
    if stop == 0:
        return np.int64(-1)
    pages, page, step = (stop + PAGE - 1) // PAGE, np.int64(0), np.int64(1)
    while step < pages:
        step *= 2
    while step > 1:
        step //= 2
        later = min(page + step, pages - 1)
        page = later if words[_first_id(table, row, later)] <= number else page
    begin, held, q = _first_id(table, row, page), stop - page * PAGE, np.int64(0)
    for half in (16, 8, 4, 2, 1):
        later = q + half
        is_before = (later < held) & (words[begin + np.uint64(later)] <= number)
        q = later if is_before else q
    return page * PAGE + q if words[begin + np.uint64(q)] == number else np.int64(-1)


@njit(cache=True, nogil=True, inline="always")
def _prefetch_ids(table, words, count, row):  # type: ignore[no-untyped-def]
    """Prefetch the ids of the memories of an agent, of most agents at least."""
    for page in range(min((np.int64(count[row]) + PAGE - 1) // PAGE, _MOST_PREFETCHED)):  # type: ignore[call-overload]
        begin = _first_id(table, row, page)
        for word in range(0, PAGE, LINE):
            prefetch_early(words, begin + np.uint64(word))  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def find_thoughts(view, count, rows, texts):  # type: ignore[no-untyped-def]
    """Find the id of each agent's newest thought of a given text; -1 where there is none."""
    table, words, _, small = view
    ids = np.full(len(rows), -1, np.int32)
    for p in range(len(rows)):
        for i in range(np.int64(count[rows[p]]) - 1, -1, -1):
            slot = slot_at(table, rows[p], i)
            is_thought = small[byte_of(slot) + _KIND] & _KIND_BITS
            if words[word_of(slot) + _TEXT] == texts[p] and is_thought:
                ids[p] = words[word_of(slot) + _ID]
                break
    return ids


@njit(cache=True, nogil=True)
def book(view, slots, tick):  # type: ignore[no-untyped-def]
    """Record an access of each memory, by slot, -1 for none, (n, k); counts end at 255.

    The tick replaces a later one, which is from a clock that was wrong.
    """
    _, words, _, small = view
    n, k = slots.shape
    for p in range(n):
        if p + AGENTS_AHEAD < n:
            for j in range(k):
                slot = max(slots[p + AGENTS_AHEAD, j], 0)
                prefetch_early(words, word_of(slot) + _ACCESSED)  # type: ignore[call-arg]
                prefetch_early(small, byte_of(slot) + _ACCESSES)
        for j in range(k):
            slot = slots[p, j]
            if slot >= 0:
                words[word_of(slot) + _ACCESSED] = tick
                byte = byte_of(slot) + _ACCESSES
                small[byte] += np.uint8(small[byte] < 255)


@njit(cache=True, nogil=True)
def locate(table, words, count, rows, ids):  # type: ignore[no-untyped-def]
    """Return the slot of each memory by id, -1 if it is missing, int64, shape (n, k)."""
    slots = np.empty(ids.shape, np.int64)
    for p in range(ids.shape[0]):
        later = p + AGENTS_AHEAD
        if later < ids.shape[0]:
            _prefetch_ids(table, words, count, rows[later])
        for j in range(ids.shape[1]):
            i = index_of(table, words, count, rows[p], ids[p, j])
            slots[p, j] = -1
            if i >= 0:
                slots[p, j] = slot_at(table, rows[p], i)
    return slots


@njit(cache=True, nogil=True)
def read(view, count, row, ids, values, slots):  # type: ignore[no-untyped-def]
    """Read all columns of memories of an agent: values, (m, columns), and slots, -1 if missing."""
    table, words, halves, small = view
    for j in range(len(ids)):
        i = index_of(table, words, count, row, ids[j])
        slots[j] = -1
        if i < 0:
            continue
        slots[j] = slot_at(table, row, i)
        page, q = slots[j] // PAGE, slots[j] % PAGE
        for c in range(len(_OFFSETS)):
            size, begin = _SIZES[c], (page * PAGE_BYTES + _OFFSETS[c]) // abs(_SIZES[c]) + q
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


@njit(cache=True, nogil=True)
def list_slots(table, rows, starts):  # type: ignore[no-untyped-def]
    """List the slots of all memories of agents, which begin at `starts`, oldest first, int64."""
    slots = np.empty(starts[-1], np.int64)
    for p in range(len(rows)):
        own = slots[starts[p] : starts[p + 1]]
        for i in range(len(own)):
            own[i] = slot_at(table, rows[p], i)
    return slots


@njit(cache=True, nogil=True)
def find_idle(view, count, rows, lives, now):  # type: ignore[no-untyped-def]
    """Find memories that were not recalled for longer than the life of their importance, in ticks.

    Returns their indices into `rows` and slots, int64, shape (m,), oldest first.
    """
    table, words, halves, _ = view
    most = np.int64(0)
    for row in rows:
        most += count[row]
    owners, slots = np.empty((2, most), np.int64)
    m = 0
    for p in range(len(rows)):
        if p + AGENTS_AHEAD < len(rows):
            later = rows[p + AGENTS_AHEAD]
            for number in range((np.int64(count[later]) + PAGE - 1) // PAGE):
                at = first_word(table, later, number)
                for word in range(_ACCESSED, (_IMPORTANCE + PAGE) // 2, LINE):
                    prefetch_early(words, at + word)  # type: ignore[call-arg]
        for i in range(np.int64(count[rows[p]])):
            slot = slot_at(table, rows[p], i)
            idle = np.int64(now) - np.int64(words[word_of(slot) + _ACCESSED])
            code = halves[half_of(slot) + _IMPORTANCE]
            if max(idle, np.int64(1)) >= lives[code]:
                owners[m], slots[m] = p, slot
                m += 1
    return owners[:m].copy(), slots[:m].copy()


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
def advance(following, count, rows, ids):  # type: ignore[no-untyped-def]
    """Count new memories of agents; return the index of each among those of its agent, int32."""
    index = np.empty(len(rows), np.int32)
    for p in range(len(rows)):
        index[p] = count[rows[p]]
        count[rows[p]] += 1
        following[rows[p]] = ids[p] + 1
    return index


@njit(cache=True, nogil=True)
def find_unpaged(table, rows, index):  # type: ignore[no-untyped-def]
    """Return the sorted cells of the table, row * width + page, of memories without a page."""
    width = table.shape[1]
    cells, number = np.empty(len(rows), np.int64), 0
    for p in range(len(rows)):
        page = index[p] // PAGE
        if table[rows[p], page] == -1:
            table[rows[p], page] = -2  # listed once
            cells[number] = rows[p] * width + page
            number += 1
    return np.sort(cells[:number])


@njit(cache=True, nogil=True)
def store(view, rows, index, columns):  # type: ignore[no-untyped-def]
    """Write memories by index, given by all columns in their order, each (m,)."""
    table, words, halves, small = view
    (
        text, accessed, importance, kind, number, actor, time, thought, place, tags, accesses,
        valence, confidence, topic, emotion,
    ) = columns  # fmt: skip
    for p in range(len(rows)):
        if p + AGENTS_AHEAD < len(rows):
            later = p + AGENTS_AHEAD
            page = first_word(table, rows[later], index[later] // PAGE)
            for word in range(0, PAGE_WORDS, LINE):
                prefetch_early(words, page + word)  # type: ignore[call-arg]
        slot = slot_at(table, rows[p], index[p])
        word, half, byte = word_of(slot), half_of(slot), byte_of(slot)
        words[word + _TEXT], words[word + _ACCESSED] = text[p], accessed[p]
        words[word + _ACTOR], words[word + _TIME] = actor[p], time[p]
        words[word + _THOUGHT], words[word + _ID] = thought[p], number[p]
        halves[half + _IMPORTANCE] = importance[p]
        halves[half + _PLACE], halves[half + _TAGS] = place[p], tags[p]
        small[byte + _KIND], small[byte + _ACCESSES] = kind[p], accesses[p]
        small[byte + _VALENCE], small[byte + _CONFIDENCE] = valence[p], confidence[p]
        small[byte + _TOPIC], small[byte + _EMOTION] = topic[p], emotion[p]


@njit(cache=True, nogil=True, inline="always")
def _move(words, halves, small, source, target):  # type: ignore[no-untyped-def]
    """Copy all columns of a memory from slot to slot."""
    for column in (_TEXT, _ACCESSED, _ACTOR, _TIME, _THOUGHT, _ID):
        words[word_of(target) + column] = words[word_of(source) + column]
    for column in (_IMPORTANCE, _PLACE, _TAGS):
        halves[half_of(target) + column] = halves[half_of(source) + column]
    for column in (_KIND, _ACCESSES, _VALENCE, _CONFIDENCE, _TOPIC, _EMOTION):
        small[byte_of(target) + column] = small[byte_of(source) + column]


@njit(cache=True, nogil=True, inline="always")
def _clear(words, halves, small, slot):  # type: ignore[no-untyped-def]
    """Set all columns of a memory to 0."""
    for column in (_TEXT, _ACCESSED, _ACTOR, _TIME, _THOUGHT, _ID):
        words[word_of(slot) + column] = 0
    for column in (_IMPORTANCE, _PLACE, _TAGS):
        halves[half_of(slot) + column] = 0
    for column in (_KIND, _ACCESSES, _VALENCE, _CONFIDENCE, _TOPIC, _EMOTION):
        small[byte_of(slot) + column] = 0


@njit(cache=True, nogil=True)
def compact(view, count, rows):  # type: ignore[no-untyped-def]
    """Remove the memories of agents that have the id -1, and move the others together.

    A memory that continued a removed one, which continued none, continues no other. Returns the
    slots that memories were moved from and to, those that are vacant, and the pages that are empty.
    """
    table, words, halves, small = view
    most = np.int64(0)
    for row in rows:
        most += count[row]
    sources, targets, vacant = np.empty((3, most), np.int64)
    emptied = np.empty(most // PAGE + len(rows), np.int32)
    moved, left, empty = 0, 0, 0
    for row in rows:
        stop, kept, broken = np.int64(count[row]), np.int64(0), False
        for i in range(stop):
            slot = slot_at(table, row, i)
            byte = byte_of(slot) + _KIND
            if words[word_of(slot) + _ID] == -1:
                broken |= (small[byte] & _CONTINUES) == _0
                continue
            if broken:
                small[byte] &= ~_CONTINUES
                broken = False
            if kept < i:
                to = slot_at(table, row, kept)
                _move(words, halves, small, slot, to)
                sources[moved], targets[moved] = slot, to
                moved += 1
            kept += 1
        for i in range(kept, stop):
            vacant[left] = slot_at(table, row, i)
            _clear(words, halves, small, vacant[left])
            left += 1
        for page in range((kept + PAGE - 1) // PAGE, (stop + PAGE - 1) // PAGE):
            emptied[empty] = table[row, page]
            table[row, page] = -1
            empty += 1
        count[row] = kept
    return sources[:moved], targets[:moved], vacant[:left], emptied[:empty]
