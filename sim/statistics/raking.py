"""Fit weights and shares to known totals: raking of a sample, and intercepts of logit choices."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

FloatArray = NDArray[np.float64]


def rake(
    weights: ArrayLike, features: ArrayLike, targets: ArrayLike, *, tolerance: float = 1e-9
) -> FloatArray:
    """Adjust the weights of a sample minimally so that its weighted means match targets.

    The weights returned, shape (cases,), are `weights * exp(features @ x)`, scaled to sum to 1: the
    same as by iterative proportional fitting, but computed by Newton's method, and for means (such
    as persons per household) as well as for shares. `features` have shape (cases, features), and
    `tolerance` is the largest error of a mean, in standard deviations of the feature. Raises
    ParameterError if no weights give these means.

    Source: W. E. Deming and F. F. Stephan 1940, Annals of Mathematical Statistics 11, 427-444,
    doi:10.1214/aoms/1177731829; that the solution minimises discrimination information: C. T.
    Ireland and S. Kullback 1968, Biometrika 55, 179-188, doi:10.1093/biomet/55.1.179.
    """
    start = np.asarray(weights, np.float64)
    start = start / start.sum()
    raw = np.asarray(features, np.float64)
    scale = np.sqrt(start @ (raw - start @ raw) ** 2)
    scale = np.where(scale > 0, scale, 1.0)
    gap = (raw - np.asarray(targets, np.float64)) / scale
    x = np.zeros(gap.shape[1])
    value, current = _potential(start, gap, x)
    for _ in range(100):
        miss = current @ gap
        if np.abs(miss).max() < tolerance:
            return current
        spread = (gap * current[:, None]).T @ gap - np.outer(miss, miss)
        step = np.linalg.solve(spread + 1e-10 * np.eye(len(x)), miss)
        length = 1.0
        while length > 1e-6:
            tried, scaled = _potential(start, gap, x - length * step)
            if tried < value:
                break
            length /= 2
        else:
            break
        x, value, current = x - length * step, tried, scaled
    miss = np.abs(current @ gap)
    if miss.max() < 1e-6:
        return current
    raise ParameterError(
        f"raking: no weights give the target means; features {np.flatnonzero(miss > 1e-6)} are "
        f"off by {miss.max():.3g} standard deviations; check that the targets are consistent"
    )


def _potential(start: FloatArray, gap: FloatArray, x: FloatArray) -> tuple[float, FloatArray]:
    exponent = gap @ x
    top = float(exponent.max())
    grown = start * np.exp(exponent - top)
    total = float(grown.sum())
    return top + float(np.log(total)), grown / total


def fit_intercepts(
    scores: ArrayLike, weights: ArrayLike, targets: ArrayLike, *, rounds: int = 200
) -> FloatArray:
    """Find the constants of a logit choice, (options,), at which its mean shares match targets.

    `scores` are the utilities without constants, shape (..., options), and `weights` those of the
    cases. Each round adds log(target / share) to the constants; that of an option with share 0 is
    -inf.
    """
    wanted = np.asarray(targets, np.float64)
    wanted = wanted / wanted.sum()
    cases = np.asarray(scores, np.float64).reshape(-1, len(wanted))
    share = np.asarray(weights, np.float64).ravel()
    share = share / share.sum()
    used = wanted > 0
    constants = np.where(used, 0.0, -np.inf)
    for _ in range(rounds):
        current = share @ shares(cases + constants)
        change = np.log(wanted[used] / current[used])
        constants[used] += change
        if np.abs(change).max() < 1e-6:
            break
    return constants


def shares(scores: ArrayLike) -> FloatArray:
    """Turn utilities into choice shares, shape (..., options), summing to 1 over the last."""
    raised = np.asarray(scores, np.float64)
    raised = np.exp(raised - raised.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def normal_scores(values: ArrayLike, weights: ArrayLike) -> FloatArray:
    """Convert values to standard normal scores of their weighted ranks, shape (cases,).

    Equal values get equal scores; the weighted mean is near 0, the standard deviation near 1.
    """
    from scipy.special import ndtri

    distinct, place = np.unique(np.asarray(values, np.float64), return_inverse=True)
    mass = np.bincount(place, weights=np.asarray(weights, np.float64), minlength=len(distinct))
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    return np.asarray(ndtri(np.clip(middle, 1e-6, 1 - 1e-6))[place])
