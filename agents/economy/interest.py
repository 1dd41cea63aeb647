"""The bank's interest rate, and interest in whole cents."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

INFLATION_TARGET = 0.02
"""Neutral inflation, a fraction per year."""
NATURAL_UNEMPLOYMENT = 0.04
"""Neutral unemployment, a fraction of the labour force."""


def policy_rate(inflation: float, unemployment: float, *, neutral: float = 0.03) -> float:
    """Compute the interest rate from inflation and unemployment.

    All three are fractions: 3 % inflation is 0.03. With percentages, as in one published
    implementation, the same rule gives 152 % interest.

    Args:
        inflation: Change of the price level over a year, such as 0.02.
        unemployment: Unemployed share of the labour force, such as 0.04.
        neutral: Rate at 2 % inflation and 4 % unemployment.

    Returns:
        Interest rate, a fraction per year, >= 0.

    Source:
        Li et al. 2024, EconAgent, ACL, after Taylor 1993, Carnegie-Rochester Conference
        Series 39:195-214 (the form found in the published code, the reference recalled).
    """
    gap = 0.5 * (inflation - INFLATION_TARGET) + 0.5 * (NATURAL_UNEMPLOYMENT - unemployment)
    return max(0.0, neutral + gap)


def monthly_interest(cents: ArrayLike, rate: float) -> NDArray[np.int64]:
    """Compute one month's interest, rounded to whole cents.

    Args:
        cents: Amounts, >= 0, any shape.
        rate: Interest rate, a fraction per year.

    Returns:
        Cents, same shape.
    """
    return np.rint(np.asarray(cents, np.float64) * (rate / 12)).astype(np.int64)
