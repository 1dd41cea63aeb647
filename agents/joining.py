"""Arrays of a block by row, in a population that agents may join."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.arrays import Ints


def extend_rows[T: np.generic](values: NDArray[T], agents: int, missing: float) -> NDArray[T]:
    """Extend an array by row, shape (..., agents), for agents that joined, with a missing value."""
    new = agents - values.shape[-1]
    if not new:
        return values
    added = np.full((*values.shape[:-1], new), missing, values.dtype)
    return np.concatenate([values, added], axis=-1)


def read_rows[T: np.generic](values: NDArray[T], rows: Ints, missing: float) -> NDArray[T]:
    """Return the values of some agents; those that joined later have the missing value."""
    return extend_rows(values, max(int(rows.max(initial=-1)) + 1, values.shape[-1]), missing)[
        ..., rows
    ]
