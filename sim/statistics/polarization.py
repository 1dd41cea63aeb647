"""How far a population is apart in what it holds and how it feels about the other side."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.float64]

BIMODAL = 0.555
"""Bimodality coefficient of the uniform distribution; above it two peaks are taken to exist."""


def bimodality_coefficient(values: ArrayLike) -> float:
    """Tell whether a distribution has one peak or two.

    BC = (skewness^2 + 1) / (excess kurtosis + 3 (n - 1)^2 / ((n - 2)(n - 3))), both corrected
    for the size of the sample.

    Args:
        values: Attitudes on a scale with two ends, shape (agents,), agents >= 4. Opinions
            without bounds mislead: their heavy tails raise the kurtosis, so that two clear
            camps can score as one (Baumann's polarized case: .18 raw, .74 after tanh).

    Returns:
        About 1 for two camps at the ends, .555 for the uniform distribution, .333 for the
        normal one; NaN where all hold the same or there are fewer than 4.

    Source:
        SAS Institute 1990; Pfister, Schwarz, Janczyk, Dale, Freeman 2013,
        doi:10.3389/fpsyg.2013.00700 (both recalled).
    """
    x = _column(values)
    n = len(x)
    centred = x - x.mean() if n else x
    second = np.mean(centred**2) if n else 0.0
    # Rounding leaves equal values a tiny variance, of which shape says nothing.
    if n < 4 or second <= (1e-12 * np.abs(x).max()) ** 2:
        return float("nan")
    skewness = np.mean(centred**3) / second**1.5 * np.sqrt(n * (n - 1)) / (n - 2)
    raw = np.mean(centred**4) / second**2 - 3
    excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * raw + 6)
    return float((skewness**2 + 1) / (excess + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))))


def esteban_ray(
    values: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 10.0,
    bins: int = 10,
    alpha: float = 1.3,
) -> float:
    """Measure how far a population falls into large groups far apart.

    P = K sum_i sum_j p_i^(1 + a) p_j |y_i - y_j| over groups i and j of shares p and means y.

    Args:
        values: Attitudes, shape (agents,).
        low: Lower end of the scale.
        high: Upper end of the scale.
        bins: Groups that the scale is cut into, of equal width.
        alpha: a in [1, 1.6], how much it counts that one's own group is large; 1.3 is a choice.

    Returns:
        K is 2^(1 + a) / (high - low), so 1 for one half at each end and 0 where all hold the
        same; NaN without agents.

    Raises:
        ParameterError: If values leave the scale or a number is out of range.

    Source:
        Esteban and Ray 1994, doi:10.2307/2951734 (recalled).
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
    """Give the difference of two sides' means.

    Args:
        values: Attitudes, shape (agents,).
        sides: 1 or -1, 0 for who is of no side, shape (agents,).

    Returns:
        Mean of side 1 less mean of side -1; NaN where one has nobody.

    Source:
        Difference of party means, common in studies of mass polarization; this project.
    """
    x, side = _column(values), np.asarray(sides)
    return _mean(x[side == 1]) - _mean(x[side == -1])


def thermometer_gap(own: ArrayLike, other: ArrayLike, sides: ArrayLike) -> float:
    """Give how much warmer people feel to their own party than to the other one.

    Args:
        own: Feeling thermometer of one's own party, 0 to 100, shape (agents,).
        other: That of the other party, shape (agents,).
        sides: 1 or -1, 0 for who is of no side and so has neither, shape (agents,).

    Returns:
        Mean of own - other over those with a side; NaN where there is nobody.

    Source:
        Affective polarization: Iyengar, Sood, Lelkes 2012, doi:10.1093/poq/nfs038 (recalled).
    """
    sided = np.asarray(sides) != 0
    return _mean(_column(own)[sided] - _column(other)[sided])


def extreme_share(values: ArrayLike, start: ArrayLike) -> float:
    """Give the share of those beyond one standard deviation of the start.

    Args:
        values: Attitudes now, shape (agents,).
        start: Attitudes at the start, whose mean and standard deviation (of the whole
            population) set the bounds, shape (any,).

    Returns:
        Share of values below mean - sd or above mean + sd, in [0, 1]; NaN without agents.

    Source:
        This project.
    """
    x, first = _column(values), _column(start)
    if not len(x) or not len(first):
        return float("nan")
    return float(np.mean(np.abs(x - first.mean()) > first.std()))


class Moves(NamedTuple):
    """Which way people went, in shares of all.

    Attributes:
        extreme: Further from the middle, on the same side of it.
        moderate: Closer to the middle, on the same side or upon it.
        crossed: From one side of the middle to the other.
    """

    extreme: float
    moderate: float
    crossed: float


def moves(start: ArrayLike, end: ArrayLike, *, middle: float = 5.0, least: float = 0.0) -> Moves:
    """Count who became more extreme, who more moderate and who crossed sides.

    Args:
        start: Attitudes before, shape (agents,).
        end: Attitudes after, shape (agents,).
        middle: Middle of the scale; who starts upon it can only become more extreme.
        least: A change of no more than this counts as none.

    Returns:
        Three shares of all; the rest stayed. NaN without agents.

    Source:
        Piao et al. 2025 (AgentSociety), arXiv:2502.08691, report such shares (recalled).
    """
    before, after = _column(start) - middle, _column(end) - middle
    moved = np.abs(after - before) > least
    crossed = moved & (before * after < 0)
    further = np.abs(after) > np.abs(before)
    return Moves(
        _mean(moved & ~crossed & further), _mean(moved & ~crossed & ~further), _mean(crossed)
    )


def clusters(opinions: ArrayLike, *, gap: float, least: float = 0.02) -> int:
    """Count the groups that opinions have come to.

    Args:
        opinions: Shape (agents,).
        gap: Neighbours on the scale that are further apart are of two groups, >= 0.
        least: Share of all from which a group counts, in [0, 1].

    Returns:
        Number of groups.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        This project; small groups are left out, as the extremes keep a few stragglers.
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
