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
    """Choose whether to raise or lower prices, by stock and within bounds on the mark-up.

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
        As `adjust_price`.
    """
    stores = np.asarray(stock, np.float64)
    mark_up = np.asarray(price, np.float64) / np.asarray(cost, np.float64)
    up = ((stores < np.asarray(low)) & (mark_up < most)) | (mark_up < least)
    down = ((stores > np.asarray(high)) & (mark_up > least)) | (mark_up > most)
    return np.asarray(up.astype(np.float64) - down)


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
    sign = choose_price_change(price, cost, stock, low=low, high=high, least=least, most=most)
    change = sign * step * np.asarray(draw, np.float64)
    return np.asarray(np.asarray(price, np.float64) * (1 + change))
