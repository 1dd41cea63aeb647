"""Attitudes that citizens start with: distributions by party, and how attitudes hang together.

Each attitude has the distribution of the party, whatever else is known of somebody: what is known
only says where within it somebody stands, as the rank z, standard normal in each party.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.float64]

SCALE = 10.0
"""Length of the scale of attitudes."""
_LEAST = 1e-9
"""Least distance of a rank from 0 and 1, whose deviates are infinite."""


def beta_ranked(rank: Floats, mean: Floats, sd: Floats, *, scale: float = SCALE) -> Floats:
    """Give what stands at given ranks of Beta distributions from 0 to the end of a scale.

    Args:
        rank: In (0, 1), shape (agents,).
        mean: Mean of each one's distribution, in (0, scale), shape (agents,).
        sd: Its standard deviation, > 0, shape (agents,).
        scale: Length of the scale, > 0.

    Returns:
        In [0, scale], shape (agents,).

    Raises:
        ParameterError: If no Beta distribution has such a mean and standard deviation.

    Source:
        Parameters by moments: a = m n and b = (1 - m) n with n = m (1 - m) / s^2 - 1, where m
        and s are mean and standard deviation on 0 to 1.
    """
    m, s = np.asarray(mean) / scale, np.asarray(sd) / scale
    if ((m <= 0) | (m >= 1) | (s <= 0) | (s**2 >= m * (1 - m))).any():
        raise ParameterError(
            f"no Beta distribution fits: a mean inside 0 to {scale:g} and a standard deviation "
            f"above 0 and below sqrt(mean ({scale:g} - mean)) are needed"
        )
    n = m * (1 - m) / s**2 - 1
    return np.asarray(scale * betaincinv(m * n, (1 - m) * n, rank))


def linked(z: Floats, other: Floats, link: float) -> Floats:
    """Give ranks that correlate with others.

    Args:
        z: Standard normal and independent of `other`, shape (agents,).
        other: Standard normal, shape (agents,).
        link: Correlation wanted, in [-1, 1].

    Returns:
        Standard normal, shape (agents,).
    """
    return np.asarray(link * other + np.sqrt(1 - link**2) * z)


def lowered(z: Floats, owner: NDArray[np.bool_], share: Floats, effect: float) -> Floats:
    """Rank owners lower than others of their party, leaving the distribution of all as it is.

    Args:
        z: Standard normal, shape (agents,).
        owner: Whether each owns a gun, shape (agents,).
        share: Share of owners in each one's party, in [0, 1], shape (agents,).
        effect: How many standard deviations owners are below others, >= 0.

    Returns:
        Rank in (0, 1), uniform in each party, shape (agents,): the distribution function of the
        mixture of owners and others, at z - effect for owners and at z for others.
    """
    moved = z - effect * owner
    return inside(share * ndtr(moved + effect) + (1 - share) * ndtr(moved))


def steps_ranked(step: NDArray[np.integer], shares: Floats, u: Floats) -> Floats:
    """Turn steps of a scale into standard normal ranks.

    Args:
        step: Number of the step, from 0, shape (agents,).
        shares: Share of each step in each one's group, rows summing to 1, shape (agents, steps).
        u: Uniform draws in [0, 1), which tell apart who stands on one step, shape (agents,).

    Returns:
        Standard normal in each group, shape (agents,).
    """
    rows = np.arange(len(step))
    own = shares[rows, step]
    below = np.cumsum(shares, axis=1)[rows, step] - own
    return deviate(below + u * own)


def placed(step: NDArray[np.integer], steps: int, u: Floats) -> Floats:
    """Spread the steps of a scale over 0 to 10, everybody anywhere on the own step.

    Args:
        step: Number of the step, from 0, shape (agents,).
        steps: How many there are.
        u: Uniform draws in [0, 1), shape (agents,).

    Returns:
        In [0, 10), shape (agents,).
    """
    return np.asarray(SCALE * (step + u) / steps)


def power_law(u: Floats, *, least: float, exponent: float) -> Floats:
    """Draw activities whose density falls as a power between `least` and 1.

    Args:
        u: Uniform draws in [0, 1), shape (agents,).
        least: Least activity, in (0, 1).
        exponent: Of the density, > 1.

    Returns:
        In [least, 1), shape (agents,).

    Source:
        Activities a ~ a^-2.1 on [0.01, 1]: Baumann, Lorenz-Spreen, Sokolov, Starnini 2020,
        Physical Review Letters 124, 048301 (found in a public replication); by the inverse of
        the distribution function.
    """
    power = 1 - exponent
    return np.asarray((least**power + u * (1 - least**power)) ** (1 / power))


def deviate(rank: Floats) -> Floats:
    """Standard normal deviate of a rank in [0, 1], shape of `rank`."""
    return np.asarray(ndtri(inside(rank)))


def inside(rank: Floats) -> Floats:
    """Ranks kept off 0 and 1, shape of `rank`."""
    return np.asarray(np.clip(rank, _LEAST, 1 - _LEAST))
