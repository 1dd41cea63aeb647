"""Consolidation of one memory in a compiled loop: the same bits as `consolidation.py`."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.stream import OFFSETS, PAGE, PAGE_BYTES, PAGE_WORDS

_TIME = OFFSETS["time"] // 4
_ACCESSES = OFFSETS["accesses"]
_TOPIC = OFFSETS["topic"]


@njit(cache=True, nogil=True)
def consolidation_one(of, accesses, age, idle, topic):  # type: ignore[no-untyped-def]
    """How firmly a memory sits: its accesses, age and idle ticks, and number of its topic."""
    old = min(max(age, 0), len(of.longevity) - 1)
    still = min(max(idle, 0), of.freshness.shape[1] - 1)
    return (of.reach[accesses] + of.longevity[old]) + of.freshness[of.group[topic], still]


@njit(cache=True, nogil=True)
def retention_one(of, firm, touched, topic):  # type: ignore[no-untyped-def]
    """How much is left of a memory of that consolidation, ticks after it was last touched."""
    since = np.float32(max(touched, 0)) * of.pace[of.group[topic]]
    steps = since / (np.float32(1) + of.boost * np.float32(firm))
    return of.retention[np.int32(min(steps, np.float32(len(of.retention) - 1)))]


@njit(cache=True, nogil=True)
def last_update(words, updates, at, q):  # type: ignore[no-untyped-def]
    """Tick at which a memory was made or last updated; `updates` may be empty."""
    made = words[at * PAGE_WORDS + _TIME + q]
    if len(updates):
        return max(made, updates[at * PAGE + q])
    return made


@njit(cache=True, nogil=True)
def firmness(view, updates, at, q, now, of):  # type: ignore[no-untyped-def]
    """How firmly the memory at a place of a page sits."""
    _, words, _, small = view
    age = now - words[at * PAGE_WORDS + _TIME + q]
    idle = now - last_update(words, updates, at, q)
    accesses = small[at * PAGE_BYTES + _ACCESSES + q]
    return consolidation_one(of, accesses, age, idle, small[at * PAGE_BYTES + _TOPIC + q])
