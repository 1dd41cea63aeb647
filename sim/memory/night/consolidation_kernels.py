"""Consolidation of one memory in a compiled loop: the same bits as `consolidation.py`."""

import numpy as np
from numba import njit


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
