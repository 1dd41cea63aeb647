"""The pseudo-R2 of a logistic regression, of who leaves."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Float = NDArray[np.float64]


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
