"""How much a firm makes: expected sales, stock, hours of work, and shocks to the economy."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

MONTH_WEEKS = 30 / 7
"""Weeks in a month of 30 days."""


def expected_sales(expected: ArrayLike, asked: ArrayLike, *, weight: float) -> FloatArray:
    """Expect a part of the surprise to last.

    Args:
        expected: Units expected for the last step, shape (firms,), >= 0.
        asked: Units buyers asked for in it, also those the firm had not, shape (firms,).
        weight: Part of the difference that is taken over, in [0, 1].

    Returns:
        Units expected for the next step, shape (firms,).

    Source:
        Adaptive expectations as in Caiani et al. 2016, Journal of Economic Dynamics and
        Control 69:375-408 (recalled).
    """
    before = np.asarray(expected, np.float64)
    return before + weight * (np.asarray(asked, np.float64) - before)


def wanted_output(
    expected: ArrayLike, inventory: ArrayLike, *, target: float, pace: float
) -> FloatArray:
    """Make what is expected to be sold, and close a part of the gap in the store.

    Args:
        expected: Units expected to be sold, shape (firms,).
        inventory: Units in store, shape (firms,).
        target: Stock wanted, in steps of expected sales.
        pace: Part of the gap between wanted and real stock that is closed in a step, in
            (0, 1]; 1 closes it at once, and lets stocks swing.

    Returns:
        Units to make, >= 0, shape (firms,).

    Source:
        Target stock as in Caiani et al. 2016 (recalled); the pace is the partial adjustment
        of Metzler 1941, Review of Economics and Statistics 23:113-129 (recalled).
    """
    sales = np.asarray(expected, np.float64)
    gap = target * sales - np.asarray(inventory, np.float64)
    return np.maximum(0.0, sales + pace * gap)


def labour_of(hours: ArrayLike, skill: ArrayLike) -> FloatArray:
    """Work of somebody in a month, weighted by skill.

    Args:
        hours: Hours a week, shape (agents,).
        skill: Hourly wage at the start, USD, which stands for the work done in an hour.

    Returns:
        Hours a month of somebody who earned one dollar an hour, shape (agents,).
    """
    return np.asarray(hours, np.float64) * MONTH_WEEKS * np.asarray(skill, np.float64)


def wandering(level: float, draw: float, *, persistence: float, deviation: float) -> float:
    """Move a shock to the whole economy on by a step.

    Args:
        level: Where it stands, as a logarithm.
        draw: From the standard normal distribution.
        persistence: Part of it that is left after a step, in [0, 1).
        deviation: Standard deviation of the shock over a long time.

    Returns:
        The level after the step, an autoregressive process of order one.

    Source:
        Kydland and Prescott 1982, Econometrica 50:1345-1370, for productivity (recalled).
    """
    return persistence * level + deviation * float(np.sqrt(1 - persistence**2)) * draw
