"""Reactions of policy to the economy: interest rate, and benefits over the business cycle."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Float64, Int64

INFLATION_TARGET = 0.02  # neutral inflation, a fraction per year
NATURAL_UNEMPLOYMENT = 0.04  # neutral unemployment, a fraction of the labour force


def policy_rate(inflation: float, unemployment: float, *, neutral: float = 0.03) -> float:
    """Compute the interest rate from inflation and unemployment, all as fractions, at least 0.

    With percentages, as in one published implementation, the same rule gives 152 % interest.
    `neutral` is the rate at 2 % inflation and 4 % unemployment.

    Source: Li et al. 2024, EconAgent, ACL, after Taylor 1993, Carnegie-Rochester Conference Series
    39:195-214 (the form found in the published code, the reference recalled).
    """
    gap = 0.5 * (inflation - INFLATION_TARGET) + 0.5 * (NATURAL_UNEMPLOYMENT - unemployment)
    return max(0.0, neutral + gap)


def monthly_interest(cents: ArrayLike, rate: float) -> Int64:
    """Compute one month's interest on cents at a yearly rate, rounded to whole cents."""
    return np.rint(np.asarray(cents, np.float64) * (rate / 12)).astype(np.int64)


def weigh_review(need: ArrayLike, strain: ArrayLike, *, threshold: float) -> Float64:
    """Return 1 to extend benefits, -1 to reduce and 0 to keep them, by need minus strain.

    Need is negative in good times, strain on the budget with a surplus.

    Source: A fiscal rule that reacts to the cycle and to the budget: Gali and Perotti 2003,
    Economic Policy 18:533-572; Bohn 1998, Quarterly Journal of Economics 113:949-963 (both
    recalled). The three steps are this project's.
    """
    balance = np.asarray(need, np.float64) - np.asarray(strain, np.float64)
    return np.where(np.abs(balance) > threshold, np.sign(balance), 0.0)


def adjust_support(support: ArrayLike, sign: ArrayLike, *, step: float, bound: float) -> Float64:
    """Change the factor on benefits by a step, within a bound around 1."""
    moved = np.asarray(support, np.float64) + step * np.asarray(sign, np.float64)
    return np.clip(moved, 1 - bound, 1 + bound)
