"""Price setting by stock, bounded by costs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def adjust_price(
    price: ArrayLike,
    cost: ArrayLike,
    stock: ArrayLike,
    draw: ArrayLike,
    *,
    low: float,
    high: float,
    least: float,
    most: float,
    step: float,
) -> FloatArray:
    """Raise prices if stocks are low, lower them if stocks are high.

    A price below the minimum mark-up is raised and one above the maximum is lowered regardless of
    stock, so wages affect prices. Both directions follow the same rule, so there is no drift.

    Args:
        price: Price of each firm, USD, shape (firms,).
        cost: Unit labour cost, USD, > 0, shape (firms,).
        stock: Stock divided by expected sales, shape (firms,).
        draw: Size of the change, in [0, 1), shape (firms,).
        low: Stock below which prices rise, in steps of expected sales.
        high: Stock above which prices fall.
        least: Minimum price in units of cost.
        most: Maximum price in units of cost.
        step: Maximum relative change per step.

    Returns:
        New prices, shape (firms,).

    Source:
        Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120, without the
        probability of no price change (recalled).
    """
    old = np.asarray(price, np.float64)
    costs = np.asarray(cost, np.float64)
    stores = np.asarray(stock, np.float64)
    mark_up = old / costs
    up = ((stores < low) & (mark_up < most)) | (mark_up < least)
    down = ((stores > high) & (mark_up > least)) | (mark_up > most)
    sign = up.astype(np.float64) - down
    return np.asarray(old * (1 + sign * step * np.asarray(draw, np.float64)))
