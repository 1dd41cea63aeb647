"""Compiled passes over ties, see `ties.py`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def weighted_sums(
    starts: NDArray[np.int64],
    contacts: NDArray[np.int32],
    strength: NDArray[np.float32],
    values: NDArray[np.float64],
    rows: NDArray[np.int64],
    totals: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """Add to each row's total the values of its contacts times strength, in stored order."""
    for i in range(len(rows)):
        total = totals[i]
        weight = weights[i]
        for j in range(starts[rows[i]], starts[rows[i] + 1]):
            total += strength[j] * values[contacts[j]]
            weight += strength[j]
        totals[i] = total
        weights[i] = weight
