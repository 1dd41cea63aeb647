"""Compiled passes over whole streams that find old and faded memories."""

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
    """Set `old` at each memory created more than `hours` ago; other arguments as `mark_faded`."""
    table, words, _, small = view
    width = table.shape[1]
    for p in range(len(rows)):
        stop = np.int64(following[rows[p]])
        first = max(stop - limit, 0)
        for i in range(first, stop):
            at = np.int64(table[rows[p], (i // PAGE) % width])
            q = i % PAGE
            age = np.float64(now - words[at * PAGE_WORDS + _TIME + q]) * tick_hours
            forgotten = small[at * PAGE_BYTES + _KIND + q] & FORGOTTEN
            old[starts[p] + i - first] = age > hours and not forgotten


@njit(cache=True, nogil=True)
def mark_faded(  # type: ignore[no-untyped-def]
    view, updates, following, limit, rows, now, tables, least, starts, faded
):
    """Set `faded` at each memory with a retention below `least`.

    Args:
        view: Page table of the streams, and their pages as words, half words and bytes.
        updates: Tick of the last update by slot, empty if there is none.
        following: Id of each agent's next memory.
        limit: Maximum number of memories per agent.
        rows: Rows of agents, int64, shape (n,).
        now: Tick.
        tables: Tables of consolidation.
        least: Lower bound of the retention, float32.
        starts: Start of each agent's memories in `faded`, int64, shape (n,).
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
            consolidated = consolidation_at(view, updates, at, q, now, tables)
            retention = retention_one(
                tables, consolidated, now - last, small[at * PAGE_BYTES + _TOPIC + q]
            )
            faded[starts[p] + i - first] = retention < least
