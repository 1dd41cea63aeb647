"""Firms: expected sales, output, prices, wage offers, hiring, and aggregate shocks."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Bools, Float64, Intp

MONTH_WEEKS = 30 / 7  # weeks in a month of 30 days


def adapt_expected_sales(expected: ArrayLike, asked: ArrayLike, *, weight: float) -> Float64:
    """Adapt expected sales to demand.

    Returns the units expected for the next step, shape (firms,).

    Args:
        expected: Units expected for the last step, >= 0, shape (firms,).
        asked: Units demanded in the last step, unmet demand included, shape (firms,).
        weight: Share of the forecast error that is adopted, in [0, 1].

    Source: Adaptive expectations as in Caiani et al. 2016, Journal of Economic Dynamics and Control
    69:375-408 (recalled).
    """
    before = np.asarray(expected, np.float64)
    return before + weight * (np.asarray(asked, np.float64) - before)


def plan_output(
    expected: ArrayLike, inventory: ArrayLike, *, target: ArrayLike, pace: float
) -> Float64:
    """Plan output: expected sales plus part of the gap between target and actual stock.

    Returns planned units, >= 0, shape (firms,).

    Args:
        expected: Expected sales in units, shape (firms,).
        inventory: Units in stock, shape (firms,).
        target: Target stock, in steps of expected sales, one value or shape (firms,).
        pace: Share of the stock gap closed per step, in (0, 1]; 1 closes it at once, which makes
            stocks oscillate.

    Source: Target stock as in Caiani et al. 2016 (recalled); the pace is the partial adjustment of
    Metzler 1941, Review of Economics and Statistics 23:113-129 (recalled).
    """
    sales = np.asarray(expected, np.float64)
    gap = np.asarray(target) * sales - np.asarray(inventory, np.float64)
    return np.maximum(0.0, sales + pace * gap)


def compute_labour(hours: ArrayLike, skill: ArrayLike) -> Float64:
    """Compute monthly labour in efficiency units: hours per month times skill, shape (agents,).

    `hours` are weekly; `skill` is the initial hourly wage in USD, a proxy for productivity.
    """
    return np.asarray(hours, np.float64) * MONTH_WEEKS * np.asarray(skill, np.float64)


def advance_shock(level: float, draw: float, *, persistence: float, deviation: float) -> float:
    """Advance an aggregate shock by one step: an autoregressive process of order one.

    Returns the level after the step.

    Args:
        level: Current level, as a logarithm.
        draw: Standard normal draw.
        persistence: Share of the level that remains after a step, in [0, 1).
        deviation: Long-run standard deviation.

    Source: Kydland and Prescott 1982, Econometrica 50:1345-1370, for productivity (recalled).
    """
    return persistence * level + deviation * float(np.sqrt(1 - persistence**2)) * draw


def choose_price_change(price: ArrayLike, target: ArrayLike, *, menu: float) -> Float64:
    """Choose to raise prices that are too far below their target, and to lower those above it.

    Returns 1 to raise, -1 to lower, 0 to keep, shape (firms,).

    Args:
        price: Price of each firm, USD, > 0, shape (firms,).
        target: Price that the firm wants: unit cost times mark-up, USD, > 0, shape (firms,).
        menu: Log difference up to which a change is not worth its cost, >= 0.

    Source: Full-cost pricing (Hall and Hitch 1939, Oxford Economic Papers 2:12-45) with menu costs
    (Mankiw 1985, Quarterly Journal of Economics 100:529-537; both recalled): prices follow costs,
    and quantities follow demand.
    """
    gap = np.log(np.asarray(target, np.float64) / np.asarray(price, np.float64))
    return np.where(np.abs(gap) > menu, np.sign(gap), 0.0)


def produce(planned: ArrayLike, capacity: ArrayLike) -> Float64:
    """Produce the planned output, up to capacity; workers without orders are idle.

    Returns units, shape (firms,).

    Args:
        planned: Planned units, >= 0, shape (firms,).
        capacity: Units that the present workers can make when fully used, shape (firms,).

    Source: Labour hoarding and variable utilisation (Burnside, Eichenbaum and Rebelo 1993, Journal
    of Political Economy 101:245-273, recalled).
    """
    return np.minimum(np.asarray(planned, np.float64), np.asarray(capacity, np.float64))


def adapt_staff(target: ArrayLike, needed: ArrayLike, *, pace: float) -> Float64:
    """Move the labour that firms want to employ towards what planned output needs.

    Returns the labour wanted now, shape (firms,); new firms want what they need.

    Args:
        target: Labour wanted in the last step, 0 for new firms, shape (firms,).
        needed: Labour for planned output at normal utilisation, shape (firms,).
        pace: Share of the gap closed per step, in (0, 1].

    Source: Partial adjustment of employment (Hamermesh 1993, Labor Demand, chapter 6, recalled).
    """
    before, need = np.asarray(target, np.float64), np.asarray(needed, np.float64)
    return np.where(before > 0, before + pace * (need - before), need)


def choose_wage_change(
    vacancies: ArrayLike, filled_for: ArrayLike, *, patience: ArrayLike
) -> Float64:
    """Choose to raise the wage offer while jobs are vacant, and to lower it after `patience`.

    Returns 1 to raise, -1 to lower, 0 to keep, shape (firms,).

    Args:
        vacancies: Jobs that stayed vacant in the last step, shape (firms,).
        filled_for: Number of steps without vacancies, shape (firms,).
        patience: Number of steps without vacancies after which a firm lowers its wage, one
            value or shape (firms,).

    Source: Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120 (recalled).
    """
    up = np.asarray(vacancies) > 0
    down = ~up & (np.asarray(filled_for) >= np.asarray(patience))
    return np.asarray(up.astype(np.float64) - down)


def select_workers(
    firm: ArrayLike, labour: ArrayLike, capacity: ArrayLike, order: ArrayLike
) -> Bools:
    """Select workers up to the capacity of their firms, one by one in the given order.

    Used for layoffs, where the capacity of a firm is its surplus labour, and for hires, where it is
    the labour that the firm still needs. A worker is selected if at least half of the worker's
    labour is within the capacity, so a firm with a surplus of less than half a job keeps everyone.
    Returns whether each worker is selected, shape (workers,).

    Args:
        firm: Number of each worker's firm, shape (workers,).
        labour: Labour of each worker, > 0, shape (workers,).
        capacity: Labour to lay off or hire, shape (firms,).
        order: Positions of the workers in the order of selection.
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


def sum_previous(group: Intp, values: Float64) -> Float64:
    """Compute the sum of all previous values of the same group, shape (n,).

    Group numbers ascend.
    """
    total = np.cumsum(values) - values
    first = np.searchsorted(group, group)
    return total - total[first] if len(total) else total
