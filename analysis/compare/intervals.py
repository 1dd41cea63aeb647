"""Means and paired differences over seeds, with intervals and sizes of effects."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError


@dataclass(frozen=True)
class Interval:
    """A mean over seeds and where it may lie.

    Attributes:
        mean: Of the seeds.
        low: Lower end; NaN for fewer than two seeds.
        high: Upper end; NaN for fewer than two seeds.
        seeds: How many.
    """

    mean: float
    low: float
    high: float
    seeds: int

    def excludes(self, value: float) -> bool:
        """Whether the interval leaves a value out; never for fewer than two seeds."""
        return bool(value < self.low or value > self.high)


def interval(values: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Mean over seeds with its t-interval.

    Args:
        values: One per seed, NaN if missing, shape (seeds,).
        confidence: In (0, 1).

    Returns:
        mean +- t(seeds - 1) * sd / sqrt(seeds).

    Raises:
        ParameterError: If `confidence` is not between 0 and 1.

    Source:
        Student 1908, doi:10.2307/2331554.
    """
    _check_share(confidence)
    known = _known(values)
    seeds = len(known)
    if not seeds:
        return Interval(float("nan"), float("nan"), float("nan"), 0)
    mean = float(known.mean())
    if seeds == 1:
        return Interval(mean, float("nan"), float("nan"), 1)
    from scipy.special import stdtrit

    half = float(stdtrit(seeds - 1, (1 + confidence) / 2) * known.std(ddof=1) / np.sqrt(seeds))
    return Interval(mean, mean - half, mean + half, seeds)


def paired_difference(
    treated: Sequence[float], control: Sequence[float], *, confidence: float = 0.95
) -> Interval:
    """Mean difference of two arms that share their seeds.

    Args:
        treated: Outcome of each seed, shape (seeds,).
        control: Outcome of the same seeds in the same order, shape (seeds,).
        confidence: In (0, 1).

    Returns:
        Return the t-interval of treated - control; shared random draws cancel.

    Raises:
        ParameterError: If the arms differ in length or `confidence` is out of range.
    """
    return interval(_differences(treated, control), confidence=confidence)


def bootstrap_interval(
    values: ArrayLike, *, confidence: float = 0.95, resamples: int = 9_999, seed: int = 1
) -> Interval:
    """Mean over seeds with its bootstrap interval, which assumes no distribution.

    With fewer than some ten seeds it is too narrow, as every bootstrap is; the t-interval is
    then the safer one.

    Args:
        values: One per seed, NaN if missing, shape (seeds,).
        confidence: In (0, 1).
        resamples: Number of resamples of the seeds, >= 1.
        seed: Of these draws: the same numbers come out each time.

    Returns:
        The interval, bias-corrected and accelerated (BCa); where all seeds have the same value,
        that value.

    Raises:
        ParameterError: If `confidence` is not between 0 and 1, or there are no resamples.

    Source:
        Efron 1987, doi:10.1080/01621459.1987.10478410; as `scipy.stats.bootstrap`.
    """
    _check_share(confidence)
    if resamples < 1:
        raise ParameterError(f"resamples is {resamples}; at least 1 is needed, better 9,999")
    known = _known(values)
    if len(known) < 2:
        return interval(known, confidence=confidence)
    mean = float(known.mean())
    if _is_constant(known):
        return Interval(mean, mean, mean, len(known))
    from scipy.stats import bootstrap

    drawn = bootstrap(
        (known,),
        np.mean,
        confidence_level=confidence,
        n_resamples=resamples,
        method="BCa",
        rng=seed,
    )
    bounds = drawn.confidence_interval
    return Interval(mean, float(bounds.low), float(bounds.high), len(known))


def effect_size(treated: ArrayLike, control: ArrayLike) -> float:
    """Mean paired difference in its own standard deviations, corrected for few seeds.

    Args:
        treated: Outcome of each seed, shape (seeds,).
        control: Outcome of the same seeds in the same order, shape (seeds,).

    Returns:
        Hedges' g of pairs: d_z = mean / sd of the differences, times J(seeds - 1), which is about
        1 - 3 / (4 seeds - 5). Infinite, with its sign, where all seeds differ by the same; 0
        where none differs; NaN for fewer than three seeds, where J is 0.

    Raises:
        ParameterError: If the arms differ in length.

    Source:
        d_z: Cohen 1988, Statistical Power Analysis, p. 48; Lakens 2013,
        doi:10.3389/fpsyg.2013.00863. J: Hedges 1981, doi:10.3102/10769986006002107.
    """
    apart = _differences(treated, control)
    if len(apart) < 3:
        return float("nan")
    if _is_constant(apart):
        mean = float(apart.mean())
        return float(np.copysign(np.inf, mean)) if mean else 0.0
    return float(apart.mean() / apart.std(ddof=1)) * _correction(len(apart) - 1)


def superiority(treated: ArrayLike, control: ArrayLike) -> float:
    """Share of seeds in which the treated arm has more, ties counting half.

    Args:
        treated: Outcome of each seed, shape (seeds,).
        control: Outcome of the same seeds in the same order, shape (seeds,).

    Returns:
        The probability of superiority of pairs: 1 if it always has more, 0 if it always has
        less, 0.5 if neither; NaN without seeds. Twice it less 1 is the paired form of Cliff's
        delta.

    Raises:
        ParameterError: If the arms differ in length.

    Source:
        Grissom and Kim 2012, Effect Sizes for Research, 2nd ed., chapter 5; Cliff 1993,
        doi:10.1037/0033-2909.114.3.494.
    """
    apart = _differences(treated, control)
    if not len(apart):
        return float("nan")
    return float(np.mean((apart > 0) + 0.5 * (apart == 0)))


def _correction(freedom: int) -> float:
    """Hedges' factor J, which takes out what few values add to d."""
    from scipy.special import gammaln

    ratio = gammaln(freedom / 2) - gammaln((freedom - 1) / 2)
    return float(np.exp(ratio) / np.sqrt(freedom / 2))


def _differences(treated: ArrayLike, control: ArrayLike) -> NDArray[np.float64]:
    first, second = np.asarray(treated, np.float64), np.asarray(control, np.float64)
    if len(first) != len(second):
        raise ParameterError(
            f"arms have {len(first)} and {len(second)} seeds; paired arms have the same"
        )
    return _known(first - second)


def _known(values: ArrayLike) -> NDArray[np.float64]:
    known = np.asarray(values, np.float64)
    return known[~np.isnan(known)]


def _is_constant(values: NDArray[np.float64]) -> bool:
    """Whether values are the same but for rounding."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0))


def _check_share(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence is {confidence}; a number between 0 and 1 is needed")
