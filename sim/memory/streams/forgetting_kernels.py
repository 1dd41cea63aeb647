"""Compiled passes over whole streams that find what is old, and what has faded."""

import numpy as np
from numba import njit

from memopolis.sim.memory.night.consolidation_kernels import (
    consolidation_at,
    last_update_tick,
    retention_one,
)
from memopolis.sim.memory.streams.layout import FORGOTTEN, OFFSETS, PAGE, PAGE_BYTES, PAGE_WORDS

_ACCESSED = OFFSETS["accessed"] // 4
_TIME = OFFSETS["time"] // 4
_KIND = OFFSETS["kind"]
_TOPIC = OFFSETS["topic"]


@njit(cache=True, nogil=True)
def mark_old(  # type: ignore[no-untyped-def]
    view, following, limit, rows, now, tick_hours, hours, starts, old
):
    """Set `old` at each memory made more than so many hours ago; the rest as `mark_faded`."""
    table, words, _, small = view
    width = table.shape[1]
    for p in range(len(rows)):
        stop = np.int64(following[rows[p]])
        first = max(stop - limit, 0)
        for i in range(first, stop):
            at = np.int64(table[rows[p], (i // PAGE) % width])
            q = i % PAGE
            age = np.float64(now - words[at * PAGE_WORDS + _TIME + q]) * tick_hours
            gone = small[at * PAGE_BYTES + _KIND + q] & FORGOTTEN
            old[starts[p] + i - first] = age > hours and not gone


@njit(cache=True, nogil=True)
def mark_faded(  # type: ignore[no-untyped-def]
    view, updates, following, limit, rows, now, of, least, starts, faded
):
    """Set `faded` at each memory of which less than `least` is left.

    Args:
        view: Page table of the streams, and their pages as words, half words and bytes.
        updates: Tick of the last update by slot, empty where there is none.
        following: Id of each agent's next memory.
        limit: Most memories an agent keeps.
        rows: Rows of agents, int64, shape (n,).
        now: The tick.
        of: Tables of consolidation.
        least: Share below which a memory has faded, float32.
        starts: Where each agent's memories begin in `faded`, int64, shape (n,).
        faded: Result, bool filled with false, one per memory, oldest first.
    """
    table, words, _, small = view
    width = table.shape[1]
    for p in range(len(rows)):
        stop = np.int64(following[rows[p]])
        first = max(stop - limit, 0)
        for i in range(first, stop):
            at = np.int64(table[rows[p], (i // PAGE) % width])
            q = i % PAGE
            if small[at * PAGE_BYTES + _KIND + q] & FORGOTTEN:
                continue
            last = max(
                last_update_tick(words, updates, at, q), words[at * PAGE_WORDS + _ACCESSED + q]
            )
            sits = consolidation_at(view, updates, at, q, now, of)
            left = retention_one(of, sits, now - last, small[at * PAGE_BYTES + _TOPIC + q])
            faded[starts[p] + i - first] = left < least
