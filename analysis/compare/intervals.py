"""Compute means and differences over seeds, with intervals and effect sizes."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

NAN = float("nan")


class Interval(NamedTuple):
    """A mean over seeds and its confidence interval."""

    mean: float  # mean over the seeds
    low: float  # lower bound; NaN for fewer than two seeds
    high: float  # upper bound; NaN for fewer than two seeds
    seeds: int  # number of seeds

    def excludes(self, value: float) -> bool:
        """Check whether the interval excludes a value; False for fewer than two seeds."""
        return bool(value < self.low or value > self.high)


def interval(values: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Compute the mean over seeds with its t-interval: mean +- t(seeds - 1) * sd / sqrt(seeds).

    Values have the shape (seeds,), NaN where missing. Raises ParameterError if `confidence` is not
    between 0 and 1.

    Source: Student 1908, doi:10.2307/2331554.
    """
    check_confidence(confidence)
    known = _known(values)
    if not len(known):
        return Interval(NAN, NAN, NAN, 0)
    mean, low, high = _intervals(known[None], confidence)[0].tolist()
    return Interval(mean, low, high, len(known))


def interval_rows(
    samples: Iterable[ArrayLike], index: pd.Index, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Compute the mean and t-interval of several samples: columns mean, low and high by `index`.

    Samples without a missing value are computed at once if all have the same length.
    """
    check_confidence(confidence)
    rows = np.full((len(index), 3), NAN)
    if isinstance(samples, np.ndarray) and samples.ndim == 2 and samples.shape[1]:
        complete = ~np.isnan(samples).any(axis=1)
        rows[complete] = _intervals(samples[complete], confidence)
    for row, values in zip(rows, samples, strict=True):
        if np.isnan(row[0]):
            row[:] = interval(values, confidence=confidence)[:3]
    return pd.DataFrame(rows, columns=["mean", "low", "high"], index=index)


def _intervals(samples: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
    """Compute mean, low and high of samples without missing values, shape (samples, 3)."""
    from scipy.special import stdtrit

    seeds = samples.shape[1]
    mean = samples.mean(axis=1)
    if seeds == 1:
        half = np.full(len(mean), NAN)
    else:
        quantile = stdtrit(seeds - 1, (1 + confidence) / 2)
        half = quantile * samples.std(axis=1, ddof=1) / np.sqrt(seeds)
    return np.stack([mean, mean - half, mean + half], axis=1)


def paired_difference(
    treated: ArrayLike, control: ArrayLike, *, confidence: float = 0.95
) -> Interval:
    """Compute the mean difference of two arms that share their seeds.

    Returns the t-interval of treated - control; shared random draws cancel. Raises ParameterError
    if the arms differ in length or `confidence` is out of range. Outcomes of both arms are in the
    same order of seeds, shape (seeds,).
    """
    return interval(_differences(treated, control), confidence=confidence)


def welch_difference(
    treated: ArrayLike, control: ArrayLike, *, confidence: float = 0.95
) -> Interval:
    """Compute the difference of the means of runs that share no seeds.

    Returns its t-interval; `seeds` counts the runs of both. Raises ParameterError if `confidence`
    is not between 0 and 1. Outcomes are one per run, NaN if missing; the arms may have different
    numbers of runs.

    Source: Welch 1947, doi:10.2307/2332510.
    """
    check_confidence(confidence)
    samples = [_known(treated), _known(control)]
    counts = np.array([len(sample) for sample in samples])
    seeds = int(counts.sum())
    if not counts.all():
        return Interval(NAN, NAN, NAN, seeds)
    difference = float(samples[0].mean() - samples[1].mean())
    if (counts < 2).any():
        return Interval(difference, NAN, NAN, seeds)
    from scipy.special import stdtrit

    variance = np.array([sample.var(ddof=1) for sample in samples]) / counts
    if not variance.sum():
        return Interval(difference, difference, difference, seeds)
    freedom = variance.sum() ** 2 / (variance**2 / (counts - 1)).sum()
    half = float(stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance.sum()))
    return Interval(difference, difference - half, difference + half, seeds)


def bootstrap_interval(
    values: ArrayLike, *, confidence: float = 0.95, resamples: int = 9_999, seed: int = 1
) -> Interval:
    """Compute the mean over seeds with its bootstrap interval, which assumes no distribution.

    With fewer than about ten seeds it is too narrow, like every bootstrap; use the t-interval then.
    Values have the shape (seeds,), NaN where missing. Returns the interval, bias-corrected and
    accelerated (BCa); if all seeds have the same value, that value. Raises ParameterError if
    `confidence` is not between 0 and 1, or there are no resamples.

    Source: Efron 1987, doi:10.1080/01621459.1987.10478410; as `scipy.stats.bootstrap`.
    """
    check_confidence(confidence)
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
    """Compute the paired difference in standard deviations, corrected for few seeds.

    Returns Hedges' g of pairs: d_z = mean / sd of the differences, times J(seeds - 1), which is
    about 1 - 3 / (4 seeds - 5). Infinite, with its sign, if all seeds differ by the same amount; 0
    if none differs; NaN for fewer than three seeds, where J is 0. Raises ParameterError if the arms
    differ in length.

    Outcomes of both arms are in the same order of seeds, shape (seeds,).

    Source: d_z: Cohen 1988, Statistical Power Analysis, p. 48; Lakens 2013,
    doi:10.3389/fpsyg.2013.00863. J: Hedges 1981, doi:10.3102/10769986006002107.
    """
    differences = _differences(treated, control)
    if len(differences) < 3:
        return NAN
    mean = float(differences.mean())
    if _is_constant(differences):
        return float(np.copysign(np.inf, mean)) if mean else 0.0
    return mean / float(differences.std(ddof=1)) * _correction(len(differences) - 1)


def superiority(treated: ArrayLike, control: ArrayLike) -> float:
    """Compute the share of seeds in which the treated arm has more, ties counting half.

    Returns the probability of superiority of pairs: 1 if it always has more, 0 if it always has
    less; NaN without seeds. Twice it minus 1 is the paired form of Cliff's delta. Raises
    ParameterError if the arms differ in length. Outcomes of both arms are in the same order of
    seeds, shape (seeds,).

    Source: Grissom and Kim 2012, Effect Sizes for Research, 2nd ed., chapter 5; Cliff 1993,
    doi:10.1037/0033-2909.114.3.494.
    """
    differences = _differences(treated, control)
    if not len(differences):
        return NAN
    return float(np.mean((differences > 0) + 0.5 * (differences == 0)))


def binomial_interval(
    hits: int, of: int, *, method: Literal["wilson", "exact"] = "wilson"
) -> tuple[float, float]:
    """Compute the 95 % interval of a share; NaN without trials.

    Source: Wilson 1927, doi:10.1080/01621459.1927.10502953; "exact": Clopper and Pearson 1934,
    doi:10.1093/biomet/26.4.404.
    """
    from scipy.stats import binomtest

    if not of:
        return NAN, NAN
    bounds = binomtest(hits, of).proportion_ci(0.95, method=method)
    return float(bounds.low), float(bounds.high)


def _correction(freedom: int) -> float:
    """Compute Hedges' factor J, which corrects the bias of d in small samples."""
    from scipy.special import gammaln

    ratio = gammaln(freedom / 2) - gammaln((freedom - 1) / 2)
    return float(np.exp(ratio) / np.sqrt(freedom / 2))


def _differences(treated: ArrayLike, control: ArrayLike) -> NDArray[np.float64]:
    first, second = np.asarray(treated, np.float64), np.asarray(control, np.float64)
    if len(first) != len(second):
        raise ParameterError(
            f"arms have {len(first)} and {len(second)} seeds; paired arms need the same seeds"
        )
    return _known(first - second)


def _known(values: ArrayLike) -> NDArray[np.float64]:
    known = np.asarray(values, np.float64)
    return known[~np.isnan(known)]


def _is_constant(values: NDArray[np.float64]) -> bool:
    """Check whether values are equal up to rounding."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0))


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that is not between 0 and 1. Raises ParameterError if it is not."""
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence is {confidence}; a number between 0 and 1 is needed")
