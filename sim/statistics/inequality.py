"""How unequally something is shared: Gini coefficient, quantiles, their means and shares."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.float64]


def gini(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Measure inequality: half the mean difference between two drawn at random, over the mean.

    Args:
        values: Incomes or fortunes, shape (units,). Zeros count as they are. With some below 0
            the coefficient may exceed 1 and is no share of anything; where the mean is not
            above 0 it means nothing.
        weights: How many each stands for, such as persons of a household, >= 0, shape (units,);
            1 unless given.

    Returns:
        0 where all have the same, (n - 1) / n where one of n has all; NaN where the mean is not
        above 0 or there are no units.

    Raises:
        ParameterError: If weights do not fit or are negative.

    Source:
        Gini 1912; from sorted data and the Lorenz curve: Lerman and Yitzhaki 1989,
        doi:10.1016/0304-4076(89)90025-9 (recalled).
    """
    x, w = _sorted(*_checked(values, weights))
    total = (w * x).sum()
    if not total > 0:
        return float("nan")
    # Twice the area under the Lorenz curve, by trapezes.
    reached = np.cumsum(w * x)
    under = (w * (2 * reached - w * x)).sum()
    return float(1 - under / (w.sum() * total))


def quantile_groups(
    values: ArrayLike, *, quantiles: int = 5, weights: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Put units in order and cut them into groups of equal weight.

    Args:
        values: What orders them, equals by place, shape (units,).
        quantiles: Number of groups, >= 1; 5 gives quintiles.
        weights: As in `gini`.

    Returns:
        Number of the group, 0 the lowest, by the middle of a unit's place in the order, shape
        (units,). So no unit is split, and a heavy one may leave a group empty.

    Raises:
        ParameterError: If a number or a weight is out of range.
    """
    if quantiles < 1:
        raise ParameterError(f"{quantiles} quantiles: at least 1 is needed")
    x, w = _checked(values, weights)
    order = np.argsort(x, kind="stable")
    middle = np.cumsum(w[order]) - w[order] / 2
    group = np.empty(len(x), np.int64)
    share = middle / max(w.sum(), np.finfo(float).tiny)
    group[order] = np.minimum((share * quantiles).astype(np.int64), quantiles - 1)
    return group


def quantile_means(
    values: ArrayLike,
    *,
    by: ArrayLike | None = None,
    quantiles: int = 5,
    weights: ArrayLike | None = None,
) -> Floats:
    """Give the mean of each quantile, the lowest first.

    Args:
        values: What is averaged, shape (units,).
        by: What orders the units, such as income where consumption is averaged; the values
            themselves unless given, shape (units,).
        quantiles: As in `quantile_groups`.
        weights: As in `gini`.

    Returns:
        Shape (quantiles,); NaN for a group without weight.

    Raises:
        ParameterError: As in `quantile_groups`.
    """
    total, weight = _by_quantile(values, by, quantiles, weights)
    return np.where(weight > 0, total / np.where(weight > 0, weight, 1), np.nan)


def quantile_shares(
    values: ArrayLike,
    *,
    by: ArrayLike | None = None,
    quantiles: int = 5,
    weights: ArrayLike | None = None,
) -> Floats:
    """Give the part of all that each quantile has, the lowest first; arguments as in the means.

    Returns:
        Shape (quantiles,), summing to 1; NaN where the total is not above 0.

    Raises:
        ParameterError: As in `quantile_groups`.
    """
    total, _ = _by_quantile(values, by, quantiles, weights)
    everything = total.sum()
    return total / everything if everything > 0 else np.full(quantiles, np.nan)


def _by_quantile(
    values: ArrayLike, by: ArrayLike | None, quantiles: int, weights: ArrayLike | None
) -> tuple[Floats, Floats]:
    """Weighted sum and weight of each quantile."""
    x, w = _checked(values, weights)
    order = x if by is None else np.asarray(by, np.float64).ravel()
    if order.shape != x.shape:
        raise ParameterError(f"{len(order)} numbers order {len(x)} values; one each is needed")
    group = quantile_groups(order, quantiles=quantiles, weights=w)
    total = np.bincount(group, weights=w * x, minlength=quantiles)
    return total, np.bincount(group, weights=w, minlength=quantiles)


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
