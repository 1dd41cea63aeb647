"""Inequality: the Gini coefficient."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.float64]


def gini(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Compute the Gini coefficient: half the relative mean absolute difference.

    Returns 0 if all values are equal, (n - 1) / n if one of n units has everything; NaN if the mean
    is not above 0 or there are no units. With negative values it may exceed 1. `weights` of the
    units, such as persons of a household, are >= 0.

    Source: Gini 1912; from sorted data and the Lorenz curve: Lerman and Yitzhaki 1989,
    doi:10.1016/0304-4076(89)90025-9 (recalled).
    """
    x, w = _sorted(*_checked(values, weights))
    total = (w * x).sum()
    if not total > 0:
        return float("nan")
    # Twice the area under the Lorenz curve, by the trapezoidal rule.
    reached = np.cumsum(w * x)
    under = (w * (2 * reached - w * x)).sum()
    return float(1 - under / (w.sum() * total))


def _checked(values: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    x = np.asarray(values, np.float64).ravel()
    w = np.ones(len(x)) if weights is None else np.asarray(weights, np.float64).ravel()
    if w.shape != x.shape or (w < 0).any():
        raise ParameterError(
            f"{len(w)} weights for {len(x)} values: one of at least 0 for each is needed"
        )
    return x, w


def _sorted(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(values, kind="stable")
    return values[order], weights[order]
