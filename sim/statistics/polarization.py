"""Measures of polarization of attitudes, and of affective polarization."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.float64]

BIMODAL = 0.555
"""Bimodality coefficient of the uniform distribution; larger values indicate two peaks."""


def bimodality_coefficient(values: ArrayLike) -> float:
    """Compute the bimodality coefficient of a distribution of bounded values, shape (agents,).

    BC = (skewness^2 + 1) / (excess kurtosis + 3 (n - 1)^2 / ((n - 2)(n - 3))), both corrected for
    the size of the sample: about 1 for two camps at the ends, .555 for the uniform distribution,
    .333 for the normal one; NaN if all values are equal or there are fewer than 4. Unbounded
    opinions are misleading: heavy tails raise the kurtosis, so that two clear camps can score as
    one (Baumann's polarized case: .18 raw, .74 after tanh).

    Source: SAS Institute 1990; Pfister, Schwarz, Janczyk, Dale, Freeman 2013,
    doi:10.3389/fpsyg.2013.00700 (both recalled).
    """
    x = _column(values)
    n = len(x)
    centred = x - x.mean() if n else x
    second = np.mean(centred**2) if n else 0.0
    # Rounding gives equal values a tiny variance.
    if n < 4 or second <= (1e-12 * np.abs(x).max()) ** 2:
        return float("nan")
    skewness = np.mean(centred**3) / second**1.5 * np.sqrt(n * (n - 1)) / (n - 2)
    raw = np.mean(centred**4) / second**2 - 3
    excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * raw + 6)
    return float((skewness**2 + 1) / (excess + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))))


def esteban_ray(
    values: ArrayLike, *, low: float = 0.0, high: float = 10.0, bins: int = 10, alpha: float = 1.3
) -> float:
    """Compute the Esteban-Ray index: large groups far apart are polarized.

    P = K sum_i sum_j p_i^(1 + a) p_j |y_i - y_j| over groups i and j of shares p and means y, with
    K = 2^(1 + a) / (high - low): 1 for one half at each end, 0 if all values are equal; NaN without
    agents. The groups are `bins` of equal width on the scale; a is `alpha` in [1, 1.6], the weight
    of group identification (1.3 is a choice).

    Source: Esteban and Ray 1994, doi:10.2307/2951734 (recalled).
    """
    if not low < high or bins < 1 or not 1 <= alpha <= 1.6:
        raise ParameterError(
            f"a scale from {low} to {high} in {bins} bins with alpha {alpha}: low below high, at "
            f"least 1 bin and alpha in [1, 1.6] are needed"
        )
    x = _column(values)
    if not len(x):
        return float("nan")
    if x.min() < low or x.max() > high:
        raise ParameterError(f"values from {x.min():g} to {x.max():g} leave {low:g} to {high:g}")
    group = np.minimum(((x - low) / (high - low) * bins).astype(np.int64), bins - 1)
    count = np.bincount(group, minlength=bins)
    share = count / len(x)
    mean = np.bincount(group, weights=x, minlength=bins) / np.maximum(count, 1)
    apart = np.abs(mean[:, None] - mean[None, :])
    return float(2 ** (1 + alpha) / (high - low) * (share ** (1 + alpha) @ apart @ share))


def party_gap(values: ArrayLike, sides: ArrayLike) -> float:
    """Compute the mean of side 1 minus that of side -1 (0 for none), NaN if one is empty."""
    x, side = _column(values), np.asarray(sides)
    return _mean(x[side == 1]) - _mean(x[side == -1])


def thermometer_gap(own: ArrayLike, other: ArrayLike, sides: ArrayLike) -> float:
    """Compute the mean of feelings, 0 to 100, towards the own minus the other party.

    Agents of side 0 are ignored; NaN without others.

    Source: Affective polarization: Iyengar, Sood, Lelkes 2012, doi:10.1093/poq/nfs038 (recalled).
    """
    sided = np.asarray(sides) != 0
    return _mean(_column(own)[sided] - _column(other)[sided])


def extreme_share(values: ArrayLike, start: ArrayLike) -> float:
    """Return the share of agents more than one initial standard deviation from the first mean."""
    x, first = _column(values), _column(start)
    if not len(x) or not len(first):
        return float("nan")
    return float(np.mean(np.abs(x - first.mean()) > first.std()))


class Moves(NamedTuple):
    """Directions of change, as shares of all agents."""

    extreme: float  # moved away from the middle, on the same side
    moderate: float  # moved towards the middle, on the same side or to the middle
    crossed: float  # moved from one side of the middle to the other


def moves(start: ArrayLike, end: ArrayLike, *, middle: float = 5.0, least: float = 0.0) -> Moves:
    """Compute the shares of agents that became more extreme, more moderate, or crossed sides.

    The others did not change by more than `least`; NaN without agents. From the middle of the
    scale, agents can only become more extreme.

    Source: Piao et al. 2025 (AgentSociety), arXiv:2502.08691, report such shares (recalled).
    """
    before, after = _column(start) - middle, _column(end) - middle
    moved = np.abs(after - before) > least
    crossed = moved & (before * after < 0)
    further = np.abs(after) > np.abs(before)
    return Moves(
        _mean(moved & ~crossed & further), _mean(moved & ~crossed & ~further), _mean(crossed)
    )


def clusters(opinions: ArrayLike, *, gap: float, least: float = 0.02) -> int:
    """Count groups of opinions, separated by more than `gap`, of at least the share `least`.

    Source: This project; small clusters are ignored, since a few agents remain at the extremes.
    """
    if gap < 0 or not 0 <= least <= 1:
        raise ParameterError(f"gap {gap}, least {least}: at least 0, and a share, are needed")
    x = np.sort(_column(opinions))
    if not len(x):
        return 0
    sizes = np.diff([0, *(np.flatnonzero(np.diff(x) > gap) + 1), len(x)])
    return int((sizes >= least * len(x)).sum())


def _column(values: ArrayLike) -> Floats:
    return np.asarray(values, np.float64).ravel()


def _mean(values: NDArray[np.generic]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")  # type: ignore[arg-type]
