"""Scores of predictions, as functions of arrays."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit
from scipy.stats import spearmanr

from memopolis.analysis.compare.intervals import NAN, Interval, check_confidence


def crps(members: ArrayLike, value: float) -> float:
    """Compute the continuous ranked probability score of an ensemble, in units of the value.

    The score is proper: it is lowest in expectation for the true distribution. This form is fair:
    its expectation does not depend on the number of members. Returns the mean |x - y| - sum |x -
    x'| / (2 m (m - 1)) for at least one member, shape (members,); the absolute error for a single
    one.

    Source: Gneiting and Raftery 2007, eq. 21, doi:10.1198/016214506000001437; fair form: Ferro
    2014, doi:10.1002/qj.2270.
    """
    x = np.asarray(members, np.float64)
    error = float(np.abs(x - value).mean())
    if len(x) == 1:
        return error
    spread = float(np.abs(x[:, None] - x[None, :]).sum())
    return error - spread / (2 * len(x) * (len(x) - 1))


def prediction_interval(members: ArrayLike, *, confidence: float = 0.9) -> tuple[float, float]:
    """Compute the interval in which a further member is expected.

    Returns mean +- t(m - 1) sd sqrt(1 + 1 / m), for normal values; NaN for fewer than two members.
    Raises ParameterError if `confidence` is not between 0 and 1. `members` are predicted values,
    shape (members,).

    Source: Hahn 1969, doi:10.2307/1266896.
    """
    check_confidence(confidence)
    x = np.asarray(members, np.float64)
    count = len(x)
    if count < 2:
        return NAN, NAN
    half = stdtrit(count - 1, (1 + confidence) / 2) * x.std(ddof=1) * np.sqrt(1 + 1 / count)
    return float(x.mean() - half), float(x.mean() + half)


def rank_correlation(predicted: ArrayLike, observed: ArrayLike) -> float:
    """Compute Spearman's rank correlation; NaN for fewer than three values or equal ones.

    Both arguments have shape (outcomes,).
    """
    one, other = np.asarray(predicted, np.float64), np.asarray(observed, np.float64)
    if len(one) < 3 or not np.ptp(one) or not np.ptp(other):
        return NAN
    return float(spearmanr(one, other).statistic)


def jackknife_interval(statistic: Callable[[NDArray[np.intp]], float], members: int) -> Interval:
    """Compute a statistic of members, such as seeds, with an interval for any such statistic.

    `statistic` takes positions of members, shape (n,). Returns that of all members, and Student's
    95 % t interval with the standard error of leaving out one member at a time; without an interval
    for fewer than three members.

    Source: Tukey 1958, doi:10.1214/aoms/1177706647; Efron and Tibshirani 1993, chapter 11.
    """
    every = np.arange(members)
    whole = statistic(every)
    if members < 3 or np.isnan(whole):
        return Interval(whole, NAN, NAN, members)
    left = np.array([statistic(np.delete(every, one)) for one in every])
    error = np.sqrt((members - 1) * left.var())
    half = float(stdtrit(members - 1, 0.975) * error)
    return Interval(whole, whole - half, whole + half, members)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of numbers that are not missing (NaN); NaN without any."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else NAN
