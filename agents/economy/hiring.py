"""How a firm gets the work it wants: jobs offered, notices given, and the wage it offers."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def offered_wage(
    wage: ArrayLike,
    vacancies: ArrayLike,
    filled_for: ArrayLike,
    draw: ArrayLike,
    *,
    patience: int,
    step: float,
) -> FloatArray:
    """Offer more where jobs stay open, less where all have been filled for long.

    Args:
        wage: Wage offered, 1 at the start, shape (firms,).
        vacancies: Jobs that stayed open in the last step, shape (firms,).
        filled_for: Steps in which no job stayed open, shape (firms,).
        draw: From [0, 1), the size of the change, shape (firms,).
        patience: Steps after which a firm tries a lower wage.
        step: Most relative change in a step.

    Returns:
        New offers, shape (firms,).

    Source:
        Lengnick 2013, Journal of Economic Behavior and Organization 86:102-120 (recalled).
    """
    up = np.asarray(vacancies) > 0
    down = ~up & (np.asarray(filled_for) >= patience)
    sign = up.astype(np.float64) - down
    return np.asarray(np.asarray(wage, np.float64) * (1 + sign * step * np.asarray(draw)))


def given_notice(
    employer: ArrayLike, labour: ArrayLike, surplus: ArrayLike, order: ArrayLike
) -> NDArray[np.bool_]:
    """Choose whom a firm with too much work gives notice, one by one in an order drawn.

    Somebody is chosen if at least half of his work is too much, so a firm with less than half
    a job too much keeps everybody.

    Args:
        employer: Number of each worker's firm, shape (workers,).
        labour: Work of each, > 0, shape (workers,).
        surplus: Work each firm has too much, shape (firms,).
        order: Positions of the workers in the order in which they are looked at.

    Returns:
        Whether each worker is given notice, shape (workers,).
    """
    return _fits(employer, labour, surplus, order)


def taken_on(
    firm: ArrayLike, labour: ArrayLike, gap: ArrayLike, order: ArrayLike
) -> NDArray[np.bool_]:
    """Choose whom a firm takes on of those who apply, one by one in an order drawn.

    Somebody is taken on if at least half of his work is still wanted.

    Args:
        firm: Number of the firm each applies to, shape (applicants,).
        labour: Work of each, > 0, shape (applicants,).
        gap: Work each firm still wants, shape (firms,).
        order: Positions of the applicants in the order in which they are looked at.

    Returns:
        Whether each applicant is taken on, shape (applicants,).
    """
    return _fits(firm, labour, gap, order)


def _fits(
    firm: ArrayLike, labour: ArrayLike, room: ArrayLike, order: ArrayLike
) -> NDArray[np.bool_]:
    """Whoever ends less than half of himself beyond the room, in the order given."""
    turn = np.asarray(order, np.intp)
    firms = np.asarray(firm, np.intp)[turn]
    work = np.asarray(labour, np.float64)[turn]
    rooms = np.asarray(room, np.float64)
    by_firm = np.argsort(firms, kind="stable")
    before = sums_before(firms[by_firm], work[by_firm])
    fits = np.zeros(len(turn), np.bool_)
    fits[turn[by_firm]] = before + work[by_firm] / 2 <= rooms[firms[by_firm]]
    return fits


def sums_before(group: NDArray[np.intp], values: FloatArray) -> FloatArray:
    """What those before each one in its group sum up to.

    Args:
        group: Numbers of groups, ascending, shape (n,).
        values: Numbers to sum, shape (n,).

    Returns:
        Shape (n,).
    """
    total = np.cumsum(values) - values
    first = np.searchsorted(group, group)
    return total - total[first] if len(total) else total
