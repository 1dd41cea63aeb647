"""Wage offers, hiring and layoffs of firms."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
