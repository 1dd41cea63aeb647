"""Initial attitudes: distributions by party, and correlations between attitudes.

Each attitude has the distribution of the citizen's party. Other traits determine only the position
within it, as a rank z that is standard normal in each party.
"""

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

from memopolis.sim.arrays import Bools, Float64, Ints
from memopolis.sim.errors import ParameterError

SCALE = 10.0  # length of the scale of attitudes
_LEAST = 1e-9  # minimum distance of a rank from 0 and 1, where deviates are infinite


def beta_quantile(rank: Float64, mean: Float64, sd: Float64, *, scale: float = SCALE) -> Float64:
    """Return quantiles of Beta distributions on a scale, in [0, scale], shape (agents,).

    Raises ParameterError if no Beta distribution has this mean and standard deviation.

    Source: Parameters by moments: a = m n and b = (1 - m) n with n = m (1 - m) / s^2 - 1, where m
    and s are mean and standard deviation on 0 to 1.
    """
    m, s = np.asarray(mean) / scale, np.asarray(sd) / scale
    if ((m <= 0) | (m >= 1) | (s <= 0) | (s**2 >= m * (1 - m))).any():
        raise ParameterError(
            f"no Beta distribution fits: the mean must be between 0 and {scale:g}, and the "
            f"standard deviation above 0 and below sqrt(mean ({scale:g} - mean))"
        )
    n = m * (1 - m) / s**2 - 1
    return np.asarray(scale * betaincinv(m * n, (1 - m) * n, rank))


def correlate(z: Float64, other: Float64, link: float) -> Float64:
    """Return standard normal ranks with a correlation `link` to others, shape (agents,)."""
    return np.asarray(link * other + np.sqrt(1 - link**2) * z)


def shift_owners(z: Float64, owner: Bools, share: Float64, effect: float) -> Float64:
    """Lower the ranks of gun owners within their party, without changing its distribution.

    Returns ranks in (0, 1), uniform in each party: the distribution function of the mixture of
    owners and others, evaluated at z - effect for owners and at z for others. `share` is that of
    owners in the citizen's party.
    """
    moved = z - effect * owner
    return clip_rank(share * ndtr(moved + effect) + (1 - share) * ndtr(moved))


def rank_steps(step: Ints, shares: Float64, u: Float64) -> Float64:
    """Convert steps of a scale to standard normal ranks, by their shares in the citizen's group.

    `shares` has shape (agents, steps); `u` separates citizens on the same step.
    """
    rows = np.arange(len(step))
    own = shares[rows, step]
    below = np.cumsum(shares, axis=1)[rows, step] - own
    return to_normal(below + u * own)


def spread_steps(step: Ints, steps: int, u: Float64) -> Float64:
    """Spread the steps of a scale over 0 to 10, uniformly within each step."""
    return np.asarray(SCALE * (step + u) / steps)


def to_normal(rank: Float64) -> Float64:
    """Convert ranks in [0, 1] to standard normal deviates, same shape."""
    return np.asarray(ndtri(clip_rank(rank)))


def clip_rank(rank: Float64) -> Float64:
    """Clip ranks to exclude 0 and 1, same shape."""
    return np.asarray(np.clip(rank, _LEAST, 1 - _LEAST))
