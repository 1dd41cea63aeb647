"""How a firm sets its price: by its stock, between bounds on its costs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def repriced(
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
    """Raise the price where stock runs low and cut it where stock piles up.

    A price below the least mark-up is raised, one above the most is cut, whatever the stock:
    so wages reach prices. Both directions follow the same rule, so nothing drifts by itself.

    Args:
        price: Price of each firm, USD, shape (firms,).
        cost: Cost of labour for a unit, USD, shape (firms,), > 0.
        stock: Units in store over expected sales, shape (firms,).
        draw: From [0, 1), the size of the change, shape (firms,).
        low: Stock below which the price rises, in steps of expected sales.
        high: Stock above which it falls.
        least: Least price in units of cost.
        most: Greatest price in units of cost.
        step: Most relative change in a step.

    Returns:
        New prices, shape (firms,).

    Source:
        Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120, without the
        chance that a firm forgets to change its price (recalled).
    """
    old = np.asarray(price, np.float64)
    costs = np.asarray(cost, np.float64)
    stores = np.asarray(stock, np.float64)
    mark_up = old / costs
    up = ((stores < low) & (mark_up < most)) | (mark_up < least)
    down = ((stores > high) & (mark_up > least)) | (mark_up > most)
    sign = up.astype(np.float64) - down
    return np.asarray(old * (1 + sign * step * np.asarray(draw, np.float64)))
