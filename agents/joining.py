"""Arrays of a block by row, in a population that agents may join."""

import numpy as np
from numpy.typing import NDArray


def extend_rows[T: np.generic](values: NDArray[T], agents: int, missing: float) -> NDArray[T]:
    """Extend an array for agents that joined.

    Args:
        values: Values by row, shape (..., earlier agents).
        agents: Number of agents now.
        missing: Value of new agents.

    Returns:
        Shape (..., agents).
    """
    new = agents - values.shape[-1]
    if not new:
        return values
    added = np.full((*values.shape[:-1], new), missing, values.dtype)
    return np.concatenate([values, added], axis=-1)


def read_rows[T: np.generic](
    values: NDArray[T], rows: NDArray[np.integer], missing: float
) -> NDArray[T]:
    """Return the values of some agents, without extending the array.

    Args:
        values: Values by row, shape (..., earlier agents).
        rows: Rows of the agents, shape (n,).
        missing: Value of agents that joined later.

    Returns:
        Shape (..., n).
    """
    return extend_rows(values, max(int(rows.max(initial=-1)) + 1, values.shape[-1]), missing)[
        ..., rows
    ]
