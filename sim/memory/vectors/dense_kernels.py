"""Compiled cosines of one query with many texts, read where their vectors are stored."""

import numpy as np
from numba import njit

# The product of two int32 is an int64 to numba: cut back at each step, so that loops vectorise.
_32 = np.int32


@njit(cache=True, nogil=True)
def fill_cosines(query, stored, numbers, out):  # type: ignore[no-untyped-def]
    """Fill the cosines of an int8 query with some int8 rows, nan for a zero vector."""
    dimensions = len(query)
    own = _32(0)
    for d in range(dimensions):
        own = _32(own + _32(_32(query[d]) * _32(query[d])))
    for i in range(len(numbers)):
        vector = stored[numbers[i]]
        dot, square = _32(0), _32(0)
        for d in range(dimensions):
            value = _32(vector[d])
            dot = _32(dot + _32(_32(query[d]) * value))
            square = _32(square + _32(value * value))
        norm = np.sqrt(np.float64(own) * np.float64(square))
        if norm == 0:
            out[i] = np.nan
        else:
            out[i] = min(max(np.float64(dot) / norm, -1.0), 1.0)
