"""How a disturbed quantity comes back: fits, ratios to a baseline, what is left of a shift."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Float = NDArray[np.float64]


def r_squared(observed: Float, predicted: Float) -> float:
    """Share of variance that a prediction explains.

    Args:
        observed: Shape (n,).
        predicted: Shape (n,).

    Returns:
        1 - SSE / SST, at most 1; 1 where both are the same constant, else 0 for a constant.

    Raises:
        ParameterError: If shapes differ or nothing is given.
    """
    if observed.shape != predicted.shape or not observed.size:
        raise ParameterError(
            f"observed has shape {observed.shape} and predicted {predicted.shape}; "
            "equal shapes of at least one number are needed"
        )
    error = float(((observed - predicted) ** 2).sum())
    total = float(((observed - observed.mean()) ** 2).sum())
    if total == 0:
        return 1.0 if error == 0 else 0.0
    return 1 - error / total


def fitted_r2(curve: Callable[..., Float], x: Float, y: Float, start: Sequence[float]) -> float:
    """Fit a curve by least squares.

    Args:
        curve: Function of x and its parameters.
        x: Shape (n,).
        y: Shape (n,).
        start: First guess of each parameter.

    Returns:
        R2 of the fit, at most 1; of the first guess if the fit does not converge.
    """
    fitted = _fit(curve, x, y, start)
    return r_squared(y, curve(x, *fitted))


def saturating(hours: Float, level: float, hours_to_recover: float) -> Float:
    """Saturating recovery: level * (1 - exp(-t / tau)).

    Args:
        hours: Time since recovery began, shape (n,); 0 before.
        level: What it rises to.
        hours_to_recover: tau, after which 63% of the way is done, > 0.

    Source:
        Population recovery after five disasters follows a common exponential curve: Yabe et
        al. 2020, doi:10.1098/rsif.2019.0532 (form found).
    """
    return np.asarray(level * (1 - np.exp(-np.maximum(hours, 0) / hours_to_recover)))


def fit_recovery(hours: Float, share: Float) -> tuple[float, float, float]:
    """Fit the saturating recovery to a curve.

    Args:
        hours: Time since recovery could begin, shape (n,), n >= 3.
        share: Share recovered, shape (n,).

    Returns:
        Level, hours to recover, and R2 of the fit.

    Raises:
        ParameterError: If fewer than 3 points are given.
    """
    if len(hours) < 3:
        raise ParameterError(f"a recovery is fitted to 3 points or more, given {len(hours)}")
    guess = [max(float(share.max()), 1e-6), max(float(np.ptp(hours)) / 4, 1e-6)]
    level, tau = _fit(saturating, hours, share, guess, bounds=([0, 1e-6], [np.inf, np.inf]))
    return level, tau, r_squared(share, saturating(hours, level, tau))


def _fit(
    curve: Callable[..., Float], x: Float, y: Float, start: Sequence[float], **options: Any
) -> list[float]:
    import warnings

    from scipy.optimize import OptimizeWarning, curve_fit

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Only the parameters are used: that their covariance is unknown does not matter.
        warnings.simplefilter("ignore", OptimizeWarning)
        try:
            fitted = curve_fit(curve, x, y, p0=list(start), maxfev=5_000, **options)[0]
        except RuntimeError:
            return [float(value) for value in start]
    return [float(value) for value in fitted]


def ratio(values: Float, baseline: Float) -> Float:
    """Divide by a baseline; NaN where the baseline is 0.

    Args:
        values: Shape (n,).
        baseline: Shape (n,).
    """
    nonzero = baseline != 0
    result = np.full(values.shape, np.nan)
    np.divide(values, baseline, out=result, where=nonzero)
    return result


def first_back(ratios: Float, trough: int, level: float) -> int:
    """Steps from a trough until a ratio is back.

    Args:
        ratios: Of each step, shape (n,).
        trough: Place of the trough.
        level: From which on it counts as back.

    Returns:
        Steps after the trough, at least 1; -1 if it never is.
    """
    back = np.flatnonzero(ratios[trough + 1 :] >= level)
    return int(back[0]) + 1 if len(back) else -1


def share_left(shift: Float) -> float:
    """How much of the largest shift is left at the end.

    Args:
        shift: Difference to a baseline over time, shape (n,), n >= 1.

    Returns:
        |last| / max |shift|, in [0, 1]; 0 if nothing ever shifted.

    Source:
        This project: one number for how long a feeling or an attitude stays moved, free of the
        scale of either.
    """
    largest = float(np.abs(shift).max())
    return float(abs(shift[-1])) / largest if largest > 0 else 0.0
