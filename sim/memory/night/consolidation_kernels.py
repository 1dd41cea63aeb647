"""Consolidation of one memory in a compiled loop: the same bits as `consolidation.py`."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.layout import PAGE, PAGE_BYTES, PAGE_WORDS, places

_TIME, _ACCESSES, _TOPIC = places("time", "accesses", "topic")


@njit(cache=True, nogil=True)
def consolidation_one(tables, accesses, age, idle, topic):  # type: ignore[no-untyped-def]
    """Compute consolidation from accesses, age and idle ticks, and topic number."""
    old = min(max(age, 0), len(tables.longevity) - 1)
    still = min(max(idle, 0), tables.freshness.shape[1] - 1)
    fresh = tables.freshness[tables.group[topic], still]
    return (tables.reach[accesses] + tables.longevity[old]) + fresh


@njit(cache=True, nogil=True)
def retention_one(tables, consolidation, idle, topic):  # type: ignore[no-untyped-def]
    """Compute retention from consolidation, ticks since the last use, and topic number."""
    since = np.float32(max(idle, 0)) * tables.pace[tables.group[topic]]
    steps = since / (np.float32(1) + tables.boost * np.float32(consolidation))
    return tables.retention[np.int32(min(steps, np.float32(len(tables.retention) - 1)))]


@njit(cache=True, nogil=True)
def last_update_tick(words, updates, at, q):  # type: ignore[no-untyped-def]
    """Return when a memory was created or last updated; `updates` may be empty."""
    created = words[at * PAGE_WORDS + _TIME + q]
    if len(updates):
        return max(created, updates[at * PAGE + q])
    return created


@njit(cache=True, nogil=True)
def consolidation_at(view, updates, at, q, now, tables):  # type: ignore[no-untyped-def]
    """Compute the consolidation of memory q of page `at`."""
    _, words, _, small = view
    age = now - words[at * PAGE_WORDS + _TIME + q]
    idle = now - last_update_tick(words, updates, at, q)
    accesses = small[at * PAGE_BYTES + _ACCESSES + q]
    return consolidation_one(tables, accesses, age, idle, small[at * PAGE_BYTES + _TOPIC + q])
