"""Firms: expected sales, output, prices, wage offers, hiring, and aggregate shocks."""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Bools, Float64, Floats, Intp

MONTH_WEEKS = 30 / 7  # weeks in a month of 30 days
HOURS_RANGE = (0.9, 1.15)  # short time and overtime at most, as shares of hours (illustrative)


def adapt_expected_sales(expected: ArrayLike, asked: ArrayLike, *, weight: float) -> Float64:
    """Adopt a share `weight` of the forecast error: units asked minus units expected, (firms,).

    Source: Adaptive expectations as in Caiani et al. 2016, Journal of Economic Dynamics and Control
    69:375-408 (recalled).
    """
    before = np.asarray(expected, np.float64)
    return before + weight * (np.asarray(asked, np.float64) - before)


def plan_output(
    expected: ArrayLike, inventory: ArrayLike, *, target: ArrayLike, pace: float
) -> Float64:
    """Plan expected sales plus a share `pace` of the gap between target and actual stock, (firms,).

    The target is in steps of expected sales. A pace of 1 makes stocks oscillate.

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


def advance_shock(level: Floats, draw: Floats, *, persistence: float, deviation: float) -> Float64:
    """Advance the log level of shocks, AR(1) processes, by standard normal draws.

    `deviation` is the long-run standard deviation.

    Source: Kydland and Prescott 1982, Econometrica 50:1345-1370, for productivity (recalled).
    """
    innovation = deviation * np.sqrt(1 - persistence**2) * np.asarray(draw, np.float64)
    return np.asarray(persistence * np.asarray(level, np.float64) + innovation)


def choose_price_change(price: ArrayLike, target: ArrayLike, *, menu: float) -> Float64:
    """Return 1 to raise, -1 to lower and 0 to keep prices, by their log distance to the target.

    Distances up to `menu` are not worth the cost of a change.

    Source: Full-cost pricing (Hall and Hitch 1939, Oxford Economic Papers 2:12-45) with menu costs
    (Mankiw 1985, Quarterly Journal of Economics 100:529-537; both recalled): prices follow costs,
    and quantities follow demand.
    """
    gap = np.log(np.asarray(target, np.float64) / np.asarray(price, np.float64))
    return np.where(np.abs(gap) > menu, np.sign(gap), 0.0)


def change_price(price: ArrayLike, target: ArrayLike, sign: ArrayLike, *, menu: float) -> Float64:
    """Return prices that are raised (1), kept (0) or lowered (-1) to their target.

    A change against the direction of the target, which a mind may choose, has the size `menu`.

    Source: Firms that pay the menu cost set the best price: Golosov and Lucas 2007, Journal of
    Political Economy 115:171-199 (recalled).
    """
    before, way = np.asarray(price, np.float64), np.asarray(sign, np.float64)
    gap = np.log(np.asarray(target, np.float64) / before)
    return np.asarray(before * np.exp(way * np.maximum(way * gap, menu)))


def produce(planned: ArrayLike, capacity: ArrayLike) -> Float64:
    """Produce the planned units, up to the capacity of the present workers, shape (firms,).

    Source: Labour hoarding and variable utilisation (Burnside, Eichenbaum and Rebelo 1993, Journal
    of Political Economy 101:245-273, recalled).
    """
    return np.minimum(np.asarray(planned, np.float64), np.asarray(capacity, np.float64))


def adapt_staff(target: ArrayLike, needed: ArrayLike, *, pace: float) -> Float64:
    """Close a share `pace` of the gap between the labour wanted and needed; new firms want all.

    Source: Partial adjustment of employment (Hamermesh 1993, Labor Demand, chapter 6, recalled).
    """
    before, need = np.asarray(target, np.float64), np.asarray(needed, np.float64)
    return np.where(before > 0, before + pace * (need - before), need)


def adapt_hours(needed: ArrayLike, staff: ArrayLike, *, elasticity: float) -> Float64:
    """Return hours relative to those that workers want, by the labour needed, shape (firms,).

    It is (needed / staff) ^ elasticity, within `HOURS_RANGE`; 1 for a firm without workers.

    Source: Hours per worker follow demand: about a third of the change of total hours over the
    business cycle is in hours, the rest in employment (Ohanian and Raffo 2012, Journal of Monetary
    Economics 59:40-56, recalled). The power law is this project's.
    """
    need, have = np.asarray(needed, np.float64), np.asarray(staff, np.float64)
    ratio = np.where(have > 0, np.maximum(need, 0) / np.where(have > 0, have, 1.0), 1.0)
    return np.clip(ratio**elasticity, *HOURS_RANGE)


def choose_wage_change(
    vacancies: ArrayLike, filled_for: ArrayLike, *, patience: ArrayLike
) -> Float64:
    """Return 1 to raise wages while jobs are vacant, -1 to lower them after `patience`, else 0.

    `filled_for` counts the steps without vacancies.

    Source: Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120 (recalled).
    """
    up = np.asarray(vacancies) > 0
    down = ~up & (np.asarray(filled_for) >= np.asarray(patience))
    return np.asarray(up.astype(np.float64) - down)


def select_workers(
    firm: ArrayLike, labour: ArrayLike, capacity: ArrayLike, order: ArrayLike
) -> Bools:
    """Select workers up to the capacity of their firms, one by one in the given order.

    The capacity of a firm, shape (firms,), is its surplus labour for layoffs, and the labour that
    it needs for hires. A worker is selected if at least half of the worker's labour is within it,
    so a firm with a surplus of less than half a job keeps everyone. All else, and the result, has
    shape (workers,).
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
    """Return the sum of all previous values of the same group; group numbers ascend."""
    total = np.cumsum(values) - values
    first = np.searchsorted(group, group)
    return total - total[first] if len(total) else total
