"""Compiled loops over whole streams."""

import numpy as np
from numba import njit

from memopolis.sim.memory.stream import OFFSETS, PAGE, PAGE_BYTES, PAGE_WORDS

_TEXT = OFFSETS["text"] // 4
_ACCESSED = OFFSETS["accessed"] // 4
_KIND = OFFSETS["kind"]
_ACCESSES = OFFSETS["accesses"]


@njit(cache=True, nogil=True)
def find_thoughts(view, following, limit, rows, texts):  # type: ignore[no-untyped-def]
    """Find each agent's newest thought of a given text; -1 where there is none."""
    table, words, _, small = view
    found = np.full(len(rows), -1, np.int32)
    width = table.shape[1]
    for p in range(len(rows)):
        row = rows[p]
        stop = np.int64(following[row])
        for i in range(stop - 1, max(stop - limit, 0) - 1, -1):
            at = np.int64(table[row, (i // PAGE) % width])
            if words[at * PAGE_WORDS + _TEXT + i % PAGE] == texts[p] and (
                small[at * PAGE_BYTES + _KIND + i % PAGE] & 127
            ):
                found[p] = i
                break
    return found


@njit(cache=True, nogil=True)
def mark_texts(view, following, limit, used):  # type: ignore[no-untyped-def]
    """Set `used` at every text number that some agent still remembers."""
    table, words, _, _ = view
    width = table.shape[1]
    for row in range(len(following)):
        stop = np.int64(following[row])
        for i in range(max(stop - limit, 0), stop):
            at = np.int64(table[row, (i // PAGE) % width])
            used[words[at * PAGE_WORDS + _TEXT + i % PAGE]] = True


@njit(cache=True, nogil=True)
def book(view, following, limit, rows, ids, ticks):  # type: ignore[no-untyped-def]
    """Count an access of each memory that is still there, at its tick; counts end at 255."""
    table, words, _, small = view
    width = table.shape[1]
    for p in range(len(rows)):
        stop = following[rows[p]]
        i = np.int64(ids[p])
        if i >= stop or i < stop - limit:
            continue
        at = np.int64(table[rows[p], (i // PAGE) % width])
        w = at * PAGE_WORDS + _ACCESSED + i % PAGE
        b = at * PAGE_BYTES + _ACCESSES + i % PAGE
        words[w] = max(words[w], ticks[p])
        if small[b] < 255:
            small[b] += 1
