"""Firms: expected sales, output, prices, wage offers, hiring, and aggregate shocks."""

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


def choose_wage_change(
    vacancies: ArrayLike, filled_for: ArrayLike, *, patience: ArrayLike
) -> FloatArray:
    """Choose to raise the wage offer while jobs are vacant, and to lower it after `patience`.

    Args:
        vacancies: Jobs that stayed vacant in the last step, shape (firms,).
        filled_for: Number of steps without vacancies, shape (firms,).
        patience: Number of steps without vacancies after which a firm lowers its wage, one
            value or shape (firms,).

    Returns:
        1 to raise, -1 to lower, 0 to keep, shape (firms,).

    Source:
        Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120 (recalled).
    """
    up = np.asarray(vacancies) > 0
    down = ~up & (np.asarray(filled_for) >= np.asarray(patience))
    return np.asarray(up.astype(np.float64) - down)


def select_workers(
    firm: ArrayLike, labour: ArrayLike, capacity: ArrayLike, order: ArrayLike
) -> NDArray[np.bool_]:
    """Select workers up to the capacity of their firms, one by one in the given order.

    Used for layoffs, where the capacity of a firm is its surplus labour, and for hires, where it
    is the labour that the firm still needs. A worker is selected if at least half of the worker's
    labour is within the capacity, so a firm with a surplus of less than half a job keeps everyone.

    Args:
        firm: Number of each worker's firm, shape (workers,).
        labour: Labour of each worker, > 0, shape (workers,).
        capacity: Labour to lay off or hire, shape (firms,).
        order: Positions of the workers in the order of selection.

    Returns:
        Whether each worker is selected, shape (workers,).
    """
    turn = np.asarray(order, np.intp)
    firms = np.asarray(firm, np.intp)[turn]
    work = np.asarray(labour, np.float64)[turn]
    capacities = np.asarray(capacity, np.float64)
    by_firm = np.argsort(firms, kind="stable")
    before = sum_previous(firms[by_firm], work[by_firm])
    selected = np.zeros(len(turn), np.bool_)
    selected[turn[by_firm]] = before + work[by_firm] / 2 <= capacities[firms[by_firm]]
    return selected


def sum_previous(group: NDArray[np.intp], values: FloatArray) -> FloatArray:
    """Compute the sum of all previous values of the same group.

    Args:
        group: Group numbers, ascending, shape (n,).
        values: Numbers to sum, shape (n,).

    Returns:
        Shape (n,).
    """
    total = np.cumsum(values) - values
    first = np.searchsorted(group, group)
    return total - total[first] if len(total) else total
