"""Price setting by stock, bounded by costs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def choose_price_change(
    price: ArrayLike,
    cost: ArrayLike,
    stock: ArrayLike,
    *,
    low: ArrayLike,
    high: ArrayLike,
    least: float,
    most: float,
) -> FloatArray:
    """Choose to raise prices if stocks are low, and to lower them if stocks are high.

    A price below the minimum mark-up is raised and one above the maximum is lowered regardless of
    stock, so wages affect prices. Both directions follow the same rule, so there is no drift.

    Args:
        price: Price of each firm, USD, shape (firms,).
        cost: Unit labour cost, USD, > 0, shape (firms,).
        stock: Stock divided by expected sales, shape (firms,).
        low: Stock below which prices rise, one value or shape (firms,).
        high: Stock above which prices fall, one value or shape (firms,).
        least: Minimum price in units of cost.
        most: Maximum price in units of cost.

    Returns:
        1 to raise, -1 to lower, 0 to keep, shape (firms,).

    Source:
        Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120, without the
        probability of no price change (recalled).
    """
    stores = np.asarray(stock, np.float64)
    mark_up = np.asarray(price, np.float64) / np.asarray(cost, np.float64)
    up = ((stores < np.asarray(low)) & (mark_up < most)) | (mark_up < least)
    down = ((stores > np.asarray(high)) & (mark_up > least)) | (mark_up > most)
    return np.asarray(up.astype(np.float64) - down)
