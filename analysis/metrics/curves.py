"""Fit curves to shares over time and to who leaves, and measure how far a shift has receded."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Float = NDArray[np.float64]


def r_squared(observed: Float, predicted: Float) -> float:
    """Compute the share of variance that a prediction explains, both of shape (n,).

    Returns 1 - SSE / SST, at most 1; 1 where both are the same constant, else 0 for a constant.
    Raises ParameterError if shapes differ or are empty.
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


def fit_s_curve(hours: Float, share: Float) -> float:
    """Fit two S-curves to a cumulative share, and return R2 of the better one.

    Returns R2, at most 1; 0 if the share never changes. Hours ascend; both have the shape (n,), n
    >= 4.

    Source: Logistic c / (1 + exp(-a (t - h))) and Rayleigh c (1 - exp(-(t - t0)^2 / (2 s^2))),
    which fit the departures of Irene 2011 best of the S-curves: Transportation Research Record 2376
    (form found in the abstract); the start t0 and level c are added here.
    """
    if np.ptp(share) <= 0:
        return 0.0
    span, half = float(hours[-1] - hours[0]), (share[0] + share[-1]) / 2
    middle = float(np.interp(half, share, hours))
    top = float(share[-1])

    def logistic(t: Float, c: float, a: float, h: float) -> Float:
        return np.asarray(c / (1 + np.exp(-np.clip(a * (t - h), -500, 500))))

    def rayleigh(t: Float, c: float, t0: float, s: float) -> Float:
        return np.asarray(c * (1 - np.exp(-(np.maximum(t - t0, 0) ** 2) / (2 * s * s))))

    guesses = ((logistic, [top, 10 / span, middle]), (rayleigh, [top, middle - span / 6, span / 8]))
    fits = ((curve, _fit(curve, hours, share, guess)) for curve, guess in guesses)
    return max(r_squared(share, curve(hours, *fitted)) for curve, fitted in fits)


def saturating(hours: Float, level: float, hours_to_recover: float) -> Float:
    """Compute a saturating recovery: level * (1 - exp(-t / tau)).

    `hours` since recovery began have the shape (n,); after tau, `hours_to_recover`, > 0, 63% of the
    level is reached.

    Source: Population recovery after five disasters follows a common exponential curve: Yabe et al.
    2020, doi:10.1098/rsif.2019.0532 (form found).
    """
    return np.asarray(level * (1 - np.exp(-np.maximum(hours, 0) / hours_to_recover)))


def fit_recovery(hours: Float, share: Float) -> tuple[float, float, float]:
    """Fit a saturating recovery to a share by hours since it could begin, at least 3 points.

    Returns level, hours to recover, and R2 of the fit.
    """
    if len(hours) < 3:
        raise ParameterError(f"a recovery has {len(hours)} points; fitting needs at least 3 points")
    guess = [max(float(share.max()), 1e-6), max(float(np.ptp(hours)) / 4, 1e-6)]
    level, tau = _fit(saturating, hours, share, guess, bounds=([0, 1e-6], [np.inf, np.inf]))
    return level, tau, r_squared(share, saturating(hours, level, tau))


def _fit(
    curve: Callable[..., Float], x: Float, y: Float, start: Sequence[float], **options: Any
) -> list[float]:
    """Fit a curve by least squares; return the first guess if the fit does not converge."""
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


def first_back(ratios: Float, trough: int, level: float) -> int:
    """Count the steps after a trough until a ratio reaches a level; -1 if it never does."""
    back = np.flatnonzero(ratios[trough + 1 :] >= level)
    return int(back[0]) + 1 if len(back) else -1


def share_left(shift: Float) -> float:
    """Compute how much of the largest shift from a baseline remains: |last| / max |shift|.

    It is in [0, 1]; 0 if there is no shift.

    Source: This project: a scale-free measure of how long a feeling or an attitude stays changed.
    """
    largest = float(np.abs(shift).max())
    return float(abs(shift[-1])) / largest if largest > 0 else 0.0


RIDGE = 1e-6
"""Penalty on squared coefficients of the standardized columns.

It keeps them finite where columns separate the outcome or are collinear.
"""


def pseudo_r2(columns: Float, outcome: NDArray[np.bool_]) -> float:
    """Fit a logistic regression with a constant, and compute how much it explains.

    Returns McFadden's 1 - log L / log L0, in [0, 1]; 0 if all outcomes are equal. Raises
    ParameterError if shapes do not fit, or there are no rows.

    Args:
        columns: Explanatory variables, shape (people, columns); standardized internally.
        outcome: Explained variable, shape (people,).

    Source: Pseudo-R2: McFadden 1974, Conditional logit analysis of qualitative choice behavior
    (recalled). Maximum of the penalized log likelihood: Nelder and Wedderburn 1972,
    doi:10.2307/2344614 (recalled), by the trust-region Newton method of `scipy.optimize.minimize`.
    """
    from scipy.optimize import minimize
    from scipy.special import entr

    if columns.ndim != 2 or outcome.shape != columns.shape[:1] or not len(outcome):
        raise ParameterError(
            f"columns have shape {columns.shape} and outcome {outcome.shape}; "
            "(people, columns) and (people,) of at least one person are needed"
        )
    y = outcome.astype(np.float64)
    mean, spread = columns.mean(axis=0), columns.std(axis=0)
    # A constant column explains nothing; its coefficient is 0.
    spread = np.where(spread > 1e-12 * (1 + np.abs(mean)), spread, np.inf)
    x = np.column_stack([np.ones(len(y)), (columns - mean) / spread])
    penalty = np.full(x.shape[1], RIDGE)
    penalty[0] = 1e-12

    def loss(beta: Float) -> float:
        return float(penalty @ (beta * beta)) / 2 - _likelihood(x, y, beta)

    def gradient(beta: Float) -> Float:
        return np.asarray(penalty * beta - x.T @ (y - _probability(x, beta)))

    def curvature(beta: Float) -> Float:
        p = _probability(x, beta)
        return np.asarray((x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty))

    start = np.zeros(x.shape[1])
    result = minimize(loss, start, method="trust-exact", jac=gradient, hess=curvature)
    share = y.mean()
    null = -len(y) * float(entr(share) + entr(1 - share))
    return max(0.0, 1 - _likelihood(x, y, result.x) / null) if null else 0.0


def _probability(x: Float, beta: Float) -> Float:
    return np.asarray(1 / (1 + np.exp(-np.clip(x @ beta, -500, 500))))


def _likelihood(x: Float, y: Float, beta: Float) -> float:
    score = x @ beta
    return float((y * score - np.logaddexp(0, score)).sum())
