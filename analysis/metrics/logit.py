"""Logistic regression by Newton's method, for pseudo-R2 of who leaves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Float = NDArray[np.float64]

_STEPS = 100
_CLOSE = 1e-10


@dataclass(frozen=True, eq=False)
class LogitFit:
    """A fitted logistic regression.

    Attributes:
        coefficients: The constant, then one of each column, shape (columns + 1,).
        log_likelihood: At these.
        null_log_likelihood: With the constant alone.
        converged: Whether the steps came to rest.
    """

    coefficients: Float
    log_likelihood: float
    null_log_likelihood: float
    converged: bool

    @property
    def pseudo_r2(self) -> float:
        """McFadden's 1 - log L / log L0, in [0, 1]; 0 where everyone did the same.

        Source:
            McFadden 1974, Conditional logit analysis of qualitative choice behavior (recalled).
        """
        if self.null_log_likelihood == 0:
            return 0.0
        return max(0.0, 1 - self.log_likelihood / self.null_log_likelihood)


def fit_logit(columns: Float, outcome: NDArray[np.bool_], *, ridge: float = 1e-6) -> LogitFit:
    """Fit a logistic regression with a constant.

    Args:
        columns: What explains, shape (people, columns); centred and scaled inside.
        outcome: What is explained, shape (people,).
        ridge: Penalty on squared coefficients of the scaled columns, > 0: it keeps them finite
            where columns separate the outcome or repeat each other.

    Returns:
        The fit, in the scale of the columns given.

    Raises:
        ParameterError: If shapes do not fit, there are no rows, or `ridge` is not positive.

    Source:
        Newton-Raphson on the log likelihood (iteratively reweighted least squares): Nelder and
        Wedderburn 1972, doi:10.2307/2344614 (recalled); steps are halved until the likelihood
        does not fall.
    """
    if columns.ndim != 2 or outcome.shape != columns.shape[:1] or not len(outcome):
        raise ParameterError(
            f"columns have shape {columns.shape} and outcome {outcome.shape}; "
            "(people, columns) and (people,) of at least one person are needed"
        )
    if not ridge > 0:
        raise ParameterError(f"ridge is {ridge}; more than 0 is needed")
    y = outcome.astype(np.float64)
    mean, spread = columns.mean(axis=0), columns.std(axis=0)
    # A column that is the same for all explains nothing; it takes the coefficient 0.
    spread = np.where(spread > 1e-12 * (1 + np.abs(mean)), spread, np.inf)
    x = np.column_stack([np.ones(len(y)), (columns - mean) / spread])
    penalty = np.full(x.shape[1], ridge)
    penalty[0] = 1e-12
    beta, converged = _newton(x, y, penalty)
    slopes = beta[1:] / spread
    constant = beta[0] - float(slopes @ mean)
    coefficients = np.concatenate([[constant], slopes])
    return LogitFit(coefficients, _likelihood(x, y, beta), _null_likelihood(y), converged)


def _null_likelihood(y: Float) -> float:
    share = float(y.mean())
    if share in {0.0, 1.0}:
        return 0.0
    return float(len(y) * (share * np.log(share) + (1 - share) * np.log(1 - share)))


def _newton(x: Float, y: Float, penalty: Float) -> tuple[Float, bool]:
    beta = np.zeros(x.shape[1])
    value = _penalised(x, y, beta, penalty)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -500, 500)))
        gradient = x.T @ (y - p) - penalty * beta
        curvature = (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        scale = 1.0
        while (trial := _penalised(x, y, beta + scale * step, penalty)) < value and scale > 1e-6:
            scale /= 2
        if trial < value:
            return beta, True
        beta = beta + scale * step
        if trial - value <= _CLOSE * (1 + abs(trial)):
            return beta, True
        value = trial
    return beta, False


def _penalised(x: Float, y: Float, beta: Float, penalty: Float) -> float:
    return _likelihood(x, y, beta) - float(penalty @ (beta * beta)) / 2


def _likelihood(x: Float, y: Float, beta: Float) -> float:
    score = x @ beta
    return float((y * score - np.logaddexp(0, score)).sum())


def dummies(values: NDArray[np.str_]) -> Float:
    """Turn a named attribute into columns of 0 and 1, all values but the most frequent.

    Args:
        values: Shape (people,).

    Returns:
        Shape (people, distinct values - 1).
    """
    names, counts = np.unique(values, return_counts=True)
    rest = np.delete(names, int(counts.argmax()))
    return np.asarray(values[:, None] == rest[None, :], np.float64)
