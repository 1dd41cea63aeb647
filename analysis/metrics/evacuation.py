"""Who leaves, when, and where to."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Float = NDArray[np.float64]
Int = NDArray[np.int64]


def share_by(flags: NDArray[np.bool_], groups: NDArray[np.str_]) -> dict[str, float]:
    """Share of people for whom something is true, by group.

    Args:
        flags: Whether it is, shape (people,).
        groups: Group of each, shape (people,).

    Returns:
        Share in [0, 1] by group, groups in alphabetical order.
    """
    names, numbers = np.unique(groups, return_inverse=True)
    shares = np.bincount(numbers, weights=flags, minlength=len(names)) / np.bincount(numbers)
    return {str(name): float(share) for name, share in zip(names, shares, strict=True)}


def cumulative_share(ticks: Int, people: int, length: int) -> Float:
    """Share of people to whom something has happened by the end of each tick.

    Args:
        ticks: When it happened, one entry an occurrence, >= 0; those from `length` on are left
            out, shape (occurrences,).
        people: How many it could happen to, >= 1.
        length: Ticks to give.

    Returns:
        Shares that never fall, shape (length,).

    Raises:
        ParameterError: If `people` is below 1.
    """
    if people < 1:
        raise ParameterError(f"people is {people}; at least 1 is needed")
    counts = np.bincount(ticks[ticks < length], minlength=length)
    return np.asarray(np.cumsum(counts) / people)


def by_hour_of_day(counts: Float, hours: Float) -> Float:
    """Share of occurrences in each hour of the day.

    Args:
        counts: Occurrences in each tick, shape (ticks,).
        hours: Hour of the day at which each tick begins, in [0, 24), shape (ticks,).

    Returns:
        Shares that sum to 1, or zeros if nothing occurred, shape (24,).
    """
    total = np.bincount(hours.astype(np.int64), weights=counts, minlength=24)
    return np.asarray(total / max(total.sum(), 1e-300)) if total.sum() else total


def s_curve_fit(hours: Float, share: Float) -> float:
    """How well the better of two S-curves fits a cumulative share.

    Args:
        hours: Time, rising, shape (n,), n >= 4.
        share: Cumulative share, shape (n,).

    Returns:
        R2 of the better fit, at most 1; 0 if the share never moves.

    Source:
        Logistic c / (1 + exp(-a (t - h))) and Rayleigh c (1 - exp(-(t - t0)^2 / (2 s^2))),
        which fit the departures of Irene 2011 best of the S-curves: Transportation Research
        Record 2376 (form found in the abstract); the start t0 and level c are added here.
    """
    from memopolis.analysis.metrics.recovery import fitted_r2

    if np.ptp(share) <= 0:
        return 0.0
    span, half = float(hours[-1] - hours[0]), (share[0] + share[-1]) / 2
    middle = float(np.interp(half, share, hours))
    top = float(share[-1])

    def logistic(t: Float, c: float, a: float, h: float) -> Float:
        return np.asarray(c / (1 + np.exp(-np.clip(a * (t - h), -500, 500))))

    def rayleigh(t: Float, c: float, t0: float, s: float) -> Float:
        return np.asarray(c * (1 - np.exp(-(np.maximum(t - t0, 0) ** 2) / (2 * s * s))))

    return max(
        fitted_r2(logistic, hours, share, [top, 10 / span, middle]),
        fitted_r2(rayleigh, hours, share, [top, middle - span / 6, span / 8]),
    )
