"""Low-discrepancy draws, which fill an interval evenly like a poll with quotas."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance


def even_draws(
    chance: Chance, purpose: str, rows: ArrayLike, *, dimensions: int
) -> NDArray[np.float64]:
    """Draw points that are more evenly distributed than independent ones, one per row.

    Each point is uniform. The first m rows approximate any share to about log(m) / m, where
    independent draws have an error of about 1 / sqrt(m). Adding a row changes no other.

    Args:
        chance: Random streams of the run, which shift all points together.
        purpose: Name of the random stream. Two purposes differ only in the shift: use several
            dimensions, not purposes, for joint draws.
        rows: Rows of the agents, shape (m,).
        dimensions: Numbers per point, >= 1.

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
