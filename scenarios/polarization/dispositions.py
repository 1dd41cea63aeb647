"""Dispositions: what a lifetime supports, and the considerations that come to mind for a while.

The attitude that a citizen returns to has a normal rank within its party, the sum of two parts: a
settled part, which a lifetime of memories supports and which is constant here, and considerations,
which come to mind and fade as memories do. Ranks are standard normal in each party at all times,
so opinions of a party neither drift nor contract for want of news.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv, ndtr, ndtri

from memopolis.scenarios.polarization.start import compute_beta_shape
from memopolis.sim.arrays import Float64, Floats

FARTHEST = 3.0
"""Largest normal rank of an attitude in its party, from 0, so that one at an end of the scale does
not stay there forever (choice)."""


def rank_attitudes(attitude: Floats, mean: Float64, sd: Float64, *, scale: float) -> Float64:
    """Return normal ranks of attitudes in Beta distributions on 0 to `scale`, shape (agents,)."""
    a, b = compute_beta_shape(mean, sd, scale=scale)
    rank = betainc(a, b, np.clip(np.asarray(attitude, np.float64) / scale, 0, 1))
    return np.asarray(np.clip(ndtri(rank), -FARTHEST, FARTHEST))


def find_dispositions(rank: Float64, mean: Float64, sd: Float64, *, scale: float) -> Float64:
    """Return attitudes on 0 to `scale` by normal ranks in Beta distributions, shape (agents,)."""
    a, b = compute_beta_shape(mean, sd, scale=scale)
    return np.asarray(scale * betaincinv(a, b, ndtr(rank)))


def settle(rank: Float64, normal: Float64, share: Floats) -> Float64:
    """Draw the settled parts of ranks, with variance `share`, given the ranks, shape (agents,).

    Settled part and considerations are independent and sum to the rank, which is standard normal;
    this is a draw from the conditional distribution of the first, by standard normal draws.
    """
    return np.asarray(share * rank + np.sqrt(share * (1 - share)) * normal)


def renew(considerations: Floats, normal: Float64, *, kept: float, share: Floats) -> Float64:
    """Return considerations a day later, shape (agents,).

    `kept` is their correlation between two days, and 1 - `share` their variance, which stays.

    Source: An autoregressive process of order 1. People answer by the considerations that come to
    mind (Zaller and Feldman 1992, doi:10.2307/2111583) and return to settled dispositions (Kiley
    and Vaisey 2020, doi:10.1177/0003122420922989; both recalled). That considerations fade like the
    memories that brought them to mind is this project's.
    """
    spread = np.sqrt((1 - kept**2) * (1 - share))
    return np.asarray(kept * considerations + spread * normal)


def compute_settled_share(strength: Floats, *, least: float, most: float) -> Float64:
    """Return the settled share of the variance of ranks by strength of identification, (agents,).

    `strength` is 0 for Independents and 1 for strong partisans.

    Source: Attitudes of strong partisans are more stable (Converse 1964,
    doi:10.1080/08913810608443650; Feldman 1989; recalled); linear interpolation is this project's.
    """
    return np.asarray(least + (most - least) * np.asarray(strength, np.float64))


def measure_strength(pid: ArrayLike) -> Float64:
    """Return the strength of party identifications 0 to 6: 0 Independent, 1 strong, (agents,)."""
    return np.asarray(np.abs(np.asarray(pid, np.float64) - 3) / 3)
