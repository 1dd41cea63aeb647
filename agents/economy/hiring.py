"""Wage offers, hiring and layoffs of firms."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def adjust_wage(
    wage: ArrayLike,
    vacancies: ArrayLike,
    filled_for: ArrayLike,
    draw: ArrayLike,
    *,
    patience: int,
    step: float,
) -> FloatArray:
    """Raise the offered wage if jobs stay vacant, lower it if all have been filled for long.

    Args:
        wage: Offered wage, 1 at the start, shape (firms,).
        vacancies: Jobs that stayed vacant in the last step, shape (firms,).
        filled_for: Number of steps without vacancies, shape (firms,).
        draw: Size of the change, in [0, 1), shape (firms,).
        patience: Number of steps without vacancies after which a firm lowers its wage.
        step: Maximum relative change per step.

    Returns:
        New wages, shape (firms,).

    Source:
        Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120 (recalled).
    """
    up = np.asarray(vacancies) > 0
    down = ~up & (np.asarray(filled_for) >= patience)
    sign = up.astype(np.float64) - down
    return np.asarray(np.asarray(wage, np.float64) * (1 + sign * step * np.asarray(draw)))


def select_layoffs(
    employer: ArrayLike, labour: ArrayLike, surplus: ArrayLike, order: ArrayLike
) -> NDArray[np.bool_]:
    """Select the workers that firms with surplus labour lay off, one by one in random order.

    A worker is selected if at least half of the worker's labour is surplus. So a firm with a
    surplus of less than half a job keeps all workers.

    Args:
        employer: Number of each worker's firm, shape (workers,).
        labour: Labour of each worker, > 0, shape (workers,).
        surplus: Surplus labour of each firm, shape (firms,).
        order: Positions of the workers in the order of consideration.

    Returns:
        Whether each worker is laid off, shape (workers,).
    """
    return _select_within(employer, labour, surplus, order)


def select_hires(
    firm: ArrayLike, labour: ArrayLike, gap: ArrayLike, order: ArrayLike
) -> NDArray[np.bool_]:
    """Select the applicants that firms hire, one by one in random order.

    An applicant is hired if at least half of the applicant's labour is still needed.

    Args:
        firm: Number of the firm applied to, shape (applicants,).
        labour: Labour of each applicant, > 0, shape (applicants,).
        gap: Labour that each firm still needs, shape (firms,).
        order: Positions of the applicants in the order of consideration.

    Returns:
        Whether each applicant is hired, shape (applicants,).
    """
    return _select_within(firm, labour, gap, order)


def _select_within(
    firm: ArrayLike, labour: ArrayLike, capacity: ArrayLike, order: ArrayLike
) -> NDArray[np.bool_]:
    """Select persons as long as at most half of their labour exceeds the capacity."""
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
