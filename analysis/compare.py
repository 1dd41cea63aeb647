"""Means and paired differences over seeds, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

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
        values: One a seed, NaN for a seed that has none, shape (seeds,).
        confidence: In (0, 1).

    Returns:
        mean +- t(seeds - 1) * sd / sqrt(seeds).

    Raises:
        ParameterError: If `confidence` is not between 0 and 1.

    Source:
        Student 1908, doi:10.2307/2331554.
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence is {confidence}; a number between 0 and 1 is needed")
    given = np.asarray(values, np.float64)
    given = given[~np.isnan(given)]
    seeds = len(given)
    if not seeds:
        return Interval(float("nan"), float("nan"), float("nan"), 0)
    mean = float(given.mean())
    if seeds == 1:
        return Interval(mean, float("nan"), float("nan"), 1)
    from scipy.special import stdtrit

    half = float(stdtrit(seeds - 1, (1 + confidence) / 2) * given.std(ddof=1) / np.sqrt(seeds))
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
        The t-interval of treated - control; luck that both share cancels.

    Raises:
        ParameterError: If the arms differ in length or `confidence` is out of range.
    """
    if len(treated) != len(control):
        raise ParameterError(
            f"arms have {len(treated)} and {len(control)} seeds; paired arms have the same"
        )
    difference = np.asarray(treated, np.float64) - np.asarray(control, np.float64)
    return interval(difference, confidence=confidence)
