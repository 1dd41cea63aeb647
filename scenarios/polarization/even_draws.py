"""Draws that fill an interval evenly, as a poll with quotas does."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance


def even_draws(
    chance: Chance, purpose: str, rows: ArrayLike, *, dimensions: int
) -> NDArray[np.float64]:
    """Draw points that lie more evenly than independent ones, one a row.

    Each is uniform by itself. Rows 0 to m - 1 together hit any share to about log(m) / m, where
    independent draws miss it by about 1 / sqrt(m); and one more row changes no other.

    Args:
        chance: Luck of the run, which shifts all points as one.
        purpose: What the draws are for. Draws of two purposes differ only in the shift: use them
            for one purpose at a time, and dimensions for what is drawn for the same rows.
        rows: Rows of the agents, shape (m,).
        dimensions: Numbers a point, >= 1.

    Returns:
        In [0, 1), shape (m, dimensions).

    Source:
        Multiples of an irrational vector, here powers of the generalised golden ratio: M. Roberts
        2018, "The unreasonable effectiveness of quasirandom sequences" (recalled); the shift: R.
        Cranley and T. N. L. Patterson 1976, SIAM Journal on Numerical Analysis 13, 904-914
        (recalled).
    """
    ratio = 2.0
    for _ in range(64):  # the positive root of x^(d + 1) = x + 1
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    step = ratio ** -np.arange(1.0, dimensions + 1)
    shift = chance.uniform(purpose, np.arange(dimensions))
    points = shift + np.asarray(rows, np.float64)[:, None] * step
    return np.asarray(points % 1.0)
