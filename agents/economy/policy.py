"""Reactions of policy to the economy: interest rate, and benefits over the business cycle."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Float64, Int64
from memopolis.sim.errors import ParameterError

INFLATION_TARGET = 0.02  # neutral inflation, a fraction per year
NATURAL_UNEMPLOYMENT = 0.04  # neutral unemployment, a fraction of the labour force


def policy_rate(inflation: float, unemployment: float, *, neutral: float = 0.03) -> float:
    """Compute the interest rate from inflation and unemployment.

    All three are fractions: 3 % inflation is 0.03. With percentages, as in one published
    implementation, the same rule gives 152 % interest. Returns the interest rate, a fraction per
    year, >= 0.

    Args:
        inflation: Change of the price level over a year, such as 0.02.
        unemployment: Unemployed share of the labour force, such as 0.04.
        neutral: Rate at 2 % inflation and 4 % unemployment.

    Source: Li et al. 2024, EconAgent, ACL, after Taylor 1993, Carnegie-Rochester Conference Series
    39:195-214 (the form found in the published code, the reference recalled).
    """
    gap = 0.5 * (inflation - INFLATION_TARGET) + 0.5 * (NATURAL_UNEMPLOYMENT - unemployment)
    return max(0.0, neutral + gap)


def monthly_interest(cents: ArrayLike, rate: float) -> Int64:
    """Compute one month's interest, rounded to whole cents, cents, same shape.

    Amounts are >= 0, of any shape; `rate` is a fraction per year.
    """
    return np.rint(np.asarray(cents, np.float64) * (rate / 12)).astype(np.int64)


def weigh_review(need: ArrayLike, strain: ArrayLike, *, threshold: float) -> Float64:
    """Choose the direction of benefits by the need for them and the strain on the budget.

    Returns 1 to extend, -1 to reduce, 0 to keep, same shape. Raises ParameterError if the threshold
    is negative.

    Args:
        need: Need for support, negative in good times, any shape.
        strain: Strain on the budget, negative with a surplus, same shape.
        threshold: Difference from which benefits change, >= 0.

    Source: A fiscal rule that reacts to the cycle and to the budget: Gali and Perotti 2003,
    Economic Policy 18:533-572; Bohn 1998, Quarterly Journal of Economics 113:949-963 (both
    recalled). The three steps are this project's.
    """
    if threshold < 0:
        raise ParameterError(f"threshold is {threshold:g}; it must be >= 0")
    balance = np.asarray(need, np.float64) - np.asarray(strain, np.float64)
    return np.where(np.abs(balance) > threshold, np.sign(balance), 0.0)


def adjust_support(support: ArrayLike, sign: ArrayLike, *, step: float, bound: float) -> Float64:
    """Change the factor on benefits by one step, within bounds around 1.

    The result is in [1 - bound, 1 + bound], same shape. Raises ParameterError if the step is
    negative or the bound is out of range.

    Args:
        support: Factor, >= 0, any shape.
        sign: -1, 0 or 1, same shape.
        step: Size of a step, >= 0.
        bound: Maximum distance of the factor from 1, in [0, 1].

    Source: This project.
    """
    if step < 0 or not 0 <= bound <= 1:
        raise ParameterError(
            f"step is {step:g} and bound is {bound:g}; step must be >= 0 and bound in [0, 1]"
        )
    moved = np.asarray(support, np.float64) + step * np.asarray(sign, np.float64)
    return np.clip(moved, 1 - bound, 1 + bound)
