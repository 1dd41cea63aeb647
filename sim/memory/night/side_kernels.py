"""Compiled copies of side columns, agent by agent."""

import numpy as np
from numba import njit

from memopolis.sim.memory.streams.stream import PAGE


@njit(cache=True, nogil=True)
def read(table, rows, first, starts, column):  # type: ignore[no-untyped-def]
    """Read a side column at the memories from `first` on, in turn."""
    width = table.shape[1]
    values = np.empty(starts[-1], column.dtype)
    for p in range(len(rows)):
        stop = first[p] + starts[p + 1] - starts[p]
        for page in range(first[p] // PAGE, (stop + PAGE - 1) // PAGE):
            begin, end = max(page * PAGE, first[p]), min((page + 1) * PAGE, stop)
            kept = column[np.int64(table[rows[p], page % width]) * PAGE + begin % PAGE :]
            part = values[starts[p] + begin - first[p] : starts[p] + end - first[p]]
            for i in range(len(part)):
                part[i] = kept[i]
    return values


@njit(cache=True, nogil=True)
def write(table, rows, first, starts, column, values):  # type: ignore[no-untyped-def]
    """Write a side column at the memories from `first` on, in turn."""
    width = table.shape[1]
    for p in range(len(rows)):
        stop = first[p] + starts[p + 1] - starts[p]
        for page in range(first[p] // PAGE, (stop + PAGE - 1) // PAGE):
            begin, end = max(page * PAGE, first[p]), min((page + 1) * PAGE, stop)
            kept = column[np.int64(table[rows[p], page % width]) * PAGE + begin % PAGE :]
            part = values[starts[p] + begin - first[p] : starts[p] + end - first[p]]
            for i in range(len(part)):
                kept[i] = part[i]
