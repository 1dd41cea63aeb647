"""Production of firms: expected sales, output, labour, and aggregate shocks."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

MONTH_WEEKS = 30 / 7
"""Weeks in a month of 30 days."""


def adapt_expected_sales(expected: ArrayLike, asked: ArrayLike, *, weight: float) -> FloatArray:
    """Adapt expected sales to demand.

    Args:
        expected: Units expected for the last step, >= 0, shape (firms,).
        asked: Units demanded in the last step, unmet demand included, shape (firms,).
        weight: Share of the forecast error that is adopted, in [0, 1].

    Returns:
        Units expected for the next step, shape (firms,).

    Source:
        Adaptive expectations as in Caiani et al. 2016, Journal of Economic Dynamics and
        Control 69:375-408 (recalled).
    """
    before = np.asarray(expected, np.float64)
    return before + weight * (np.asarray(asked, np.float64) - before)


def plan_output(
    expected: ArrayLike, inventory: ArrayLike, *, target: ArrayLike, pace: float
) -> FloatArray:
    """Plan output: expected sales plus part of the gap between target and actual stock.

    Args:
        expected: Expected sales in units, shape (firms,).
        inventory: Units in stock, shape (firms,).
        target: Target stock, in steps of expected sales, one value or shape (firms,).
        pace: Share of the stock gap closed per step, in (0, 1]; 1 closes it at once, which makes
            stocks oscillate.

    Returns:
        Planned units, >= 0, shape (firms,).

    Source:
        Target stock as in Caiani et al. 2016 (recalled); the pace is the partial adjustment
        of Metzler 1941, Review of Economics and Statistics 23:113-129 (recalled).
    """
    sales = np.asarray(expected, np.float64)
    gap = np.asarray(target) * sales - np.asarray(inventory, np.float64)
    return np.maximum(0.0, sales + pace * gap)


def compute_labour(hours: ArrayLike, skill: ArrayLike) -> FloatArray:
    """Compute monthly labour in efficiency units.

    Args:
        hours: Weekly hours, shape (agents,).
        skill: Initial hourly wage in USD, a proxy for productivity.

    Returns:
        Hours per month times skill, shape (agents,).
    """
    return np.asarray(hours, np.float64) * MONTH_WEEKS * np.asarray(skill, np.float64)


def advance_shock(level: float, draw: float, *, persistence: float, deviation: float) -> float:
    """Advance an aggregate shock by one step: an autoregressive process of order one.

    Args:
        level: Current level, as a logarithm.
        draw: Standard normal draw.
        persistence: Share of the level that remains after a step, in [0, 1).
        deviation: Long-run standard deviation.

    Returns:
        Level after the step.

    Source:
        Kydland and Prescott 1982, Econometrica 50:1345-1370, for productivity (recalled).
    """
    return persistence * level + deviation * float(np.sqrt(1 - persistence**2)) * draw
