"""The bank's rate of interest, and interest in whole cents."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

INFLATION_TARGET = 0.02
"""Inflation at which the rate is neutral, a fraction a year."""
NATURAL_UNEMPLOYMENT = 0.04
"""Unemployment at which the rate is neutral, a fraction of the labour force."""


def policy_rate(inflation: float, unemployment: float, *, neutral: float = 0.03) -> float:
    """Rate of interest from inflation and unemployment.

    All three are fractions a year: 3 % inflation is 0.03. Counted in percent, as one
    published engine does, the same rule gives 152 % interest.

    Args:
        inflation: Rise of the price level over a year, such as 0.02.
        unemployment: Share of the labour force without work, such as 0.04.
        neutral: Rate at 2 % inflation and 4 % unemployment.

    Returns:
        The rate, a fraction a year, >= 0.

    Source:
        Li et al. 2024, EconAgent, ACL, after Taylor 1993, Carnegie-Rochester Conference
        Series 39:195-214 (the form found in the published code, the reference recalled).
    """
    gap = 0.5 * (inflation - INFLATION_TARGET) + 0.5 * (NATURAL_UNEMPLOYMENT - unemployment)
    return max(0.0, neutral + gap)


def monthly_interest(cents: ArrayLike, rate: float) -> NDArray[np.int64]:
    """A month's interest on sums of money, rounded to whole cents.

    Args:
        cents: Sums, >= 0, of any shape.
        rate: Rate of interest, a fraction a year.

    Returns:
        Cents, of the same shape.
    """
    return np.rint(np.asarray(cents, np.float64) * (rate / 12)).astype(np.int64)
