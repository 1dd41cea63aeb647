"""Damage to homes and stores by gusts, and its repair."""

import numpy as np

from memopolis.sim.arrays import Bools, Float32, Float64

LEAST_KT, SCALE_KT = 50.0, 60.0
"""Gust from which buildings are damaged, and its excess at which 63 % are, kt (illustrative)."""
MOBILE = 2.0  # damage to mobile homes relative to other buildings (illustrative)
SLIGHT = 0.01  # damage below which a building is repaired (choice)


def damage_by_gust(gust: Float32, exposure: Float64, fragile: Bools | None = None) -> Float32:
    """Compute the damage to buildings in the strongest gust, from 0 to 1, shape (buildings,).

    `gust` is in kt, `exposure` a uniform draw that is fixed for each building, `fragile` marks
    mobile homes. The share of damaged buildings is 1 - exp(-((gust - 50) / 60)^2), and one is
    damaged by the excess of this share over its draw.

    Source: Shape of fragility curves of homes, as in FEMA's Hazus (recalled); illustrative.
    """
    share = 1 - np.exp(-((np.maximum(gust - LEAST_KT, 0) / SCALE_KT) ** 2))
    if fragile is not None:
        share = np.minimum(share * np.where(fragile, MOBILE, 1.0), 1.0)
    return np.asarray(np.maximum(share - exposure, 0), np.float32)


def repair(damage: Float32, *, days: float) -> Float32:
    """Return the damage that is left after a day of repairs with a mean length in days."""
    left = damage * np.float32(np.exp(-1 / days))
    return np.where(left < SLIGHT, np.float32(0), left)
