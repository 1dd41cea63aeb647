"""A compiled pass over whole streams: memories due for review."""

import numpy as np
from numba import njit

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.streams.layout import (
    PAGE,
    PAGE_BYTES,
    PAGE_WORDS,
    places,
)
from memopolis.sim.memory.streams.prefetch_kernels import prefetch_stream

# Unsigned indices need no check.
_ACCESSED, _TIME, _TAGS = map(np.uint64, places("accessed", "time", "tags"))
_ID, _ACCESSES, _TOPIC = map(np.uint64, places("id", "accesses", "topic"))
_VALENCE, _CONFIDENCE = map(np.uint64, places("valence", "confidence"))
_ZERO, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)
_PAGE = np.int64(PAGE)
# Weights of the priority; that of the confidence is in its table.
_CONSOLIDATION, _STRENGTH = np.float32(0.3), np.float32(0.3)


@njit(cache=True, nogil=True)
def consolidation_one(tables, accesses, age, idle, topic):  # type: ignore[no-untyped-def]
    """Compute consolidation of a memory, with the bits of `compute_consolidation`."""
    old = min(max(age, 0), len(tables.longevity) - 1)
    still = min(max(idle, 0), tables.freshness.shape[1] - 1)
    fresh = tables.freshness[tables.group[topic], still]
    return (tables.reach[accesses] + tables.longevity[old]) + fresh


@njit(cache=True, nogil=True)
def marks_of(tags, strength):  # type: ignore[no-untyped-def]
    """Return the row of `Strength.table` for a memory with some tags."""
    marks = int((tags & strength.positive) != 0) + 2 * int((tags & strength.negative) != 0)
    return marks + 4 * int((tags & strength.urgent) != 0)


@njit(cache=True, nogil=True)
def strength_at(view, at, q, strength):  # type: ignore[no-untyped-def]
    """Return the emotional strength of a memory, by its page and its place there."""
    _, _, halves, small = view
    marks = marks_of(halves[np.uint64(at * 2 * PAGE_WORDS + q) + _TAGS], strength)
    return strength.table[np.uint64(marks), small[np.uint64(at * PAGE_BYTES + q) + _VALENCE]]


@inner
def _reach(values, bound):  # type: ignore[no-untyped-def]
    """Count the values that are at least a bound."""
    count = np.int32(0)
    for q in range(len(values)):
        count += np.int32(values[q] >= bound)
    return count


@inner
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
    view, updates, counts, rows, now, tables, confidence, intervals, least, days, strength,
    ids, worth, late,
):  # fmt: skip
    """Find each agent's due memories, as defined in `replay`: ids, priorities and days overdue.

    `confidence` and `intervals` are tables by code and by accesses; `least` is below 0 for the
    median priority, and `days` are those of a tick.
    """
    table, words, _, small = view
    longest = np.int64(0)
    for row in rows:
        longest = max(longest, np.int64(counts[row]))
    priority, waited = np.empty((2, longest), np.float32)
    number = np.empty(longest, np.int32)
    rank = np.empty(ids.shape[1], np.float32)
    for p in range(len(rows)):
        stop = np.int64(counts[rows[p]])
        if p + 1 < len(rows):
            prefetch_stream(view, counts, rows[p + 1])
        n = 0
        for page in range((stop + PAGE - 1) // PAGE):
            at = np.int64(table[rows[p], page])
            for q in range(min(stop - page * PAGE, _PAGE)):
                word, byte = np.uint64(at * PAGE_WORDS + q), np.uint64(at * PAGE_BYTES + q)
                accesses, created = small[byte + _ACCESSES], words[word + _TIME]
                updated = max(created, updates[at * PAGE + q]) if len(updates) else created
                last = words[word + _ACCESSED] if accesses else updated
                known = confidence[small[byte + _CONFIDENCE]]
                known += _CONSOLIDATION * consolidation_one(
                    tables, accesses, now - created, now - updated, small[byte + _TOPIC]
                )
                priority[n] = known + _STRENGTH * strength_at(view, at, q, strength)
                waited[n] = np.float32(now - last) * days - intervals[accesses]
                if last > now:
                    waited[n] = _ZERO
                number[n] = words[word + _ID]
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
