"""Measures of inequality: Gini coefficient, quantiles, and their means and shares."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.float64]


def gini(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Compute the Gini coefficient: half the relative mean absolute difference.

    Args:
        values: Incomes or wealth, shape (units,). With negative values the coefficient may
            exceed 1; it is undefined if the mean is not above 0.
        weights: Weight of each unit, such as persons of a household, >= 0, shape (units,); None
            for 1.

    Returns:
        0 if all values are equal, (n - 1) / n if one of n units has everything; NaN if the mean
        is not above 0 or there are no units.

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
    # Twice the area under the Lorenz curve, by the trapezoidal rule.
    reached = np.cumsum(w * x)
    under = (w * (2 * reached - w * x)).sum()
    return float(1 - under / (w.sum() * total))


def quantile_groups(
    values: ArrayLike, *, quantiles: int = 5, weights: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Sort units and divide them into groups of equal weight.

    Args:
        values: Sort key, shape (units,); ties keep their order.
        quantiles: Number of groups, >= 1; 5 gives quintiles.
        weights: See `gini`.

    Returns:
        Number of the group, 0 for the lowest, by the midpoint of a unit's cumulative weight, shape
        (units,). Units are not split, so a unit with a large weight may leave a group empty.

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
    """Compute the mean of each quantile, lowest first.

    Args:
        values: Values to average, shape (units,).
        by: Sort key of the units, such as income for means of consumption, shape (units,); None
            for the values.
        quantiles: See `quantile_groups`.
        weights: See `gini`.

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
    """Compute the share of the total of each quantile, lowest first; see `quantile_means`.

    Returns:
        Shape (quantiles,), summing to 1; NaN if the total is not above 0.

    Raises:
        ParameterError: As in `quantile_groups`.
    """
    total, _ = _by_quantile(values, by, quantiles, weights)
    everything = total.sum()
    return total / everything if everything > 0 else np.full(quantiles, np.nan)


def _by_quantile(
    values: ArrayLike, by: ArrayLike | None, quantiles: int, weights: ArrayLike | None
) -> tuple[Floats, Floats]:
    """Return the weighted sum and the weight of each quantile."""
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
