"""The equations of the protective action decision: from what is recalled to readiness.

Source of the form: Lindell and Perry 2012, doi:10.1111/j.1539-6924.2011.01647.x (protective
action decision model) and Rogers 1975, doi:10.1080/00223980.1975.9915803 (protection
motivation). Weights are settings with their own origins.
"""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Float32 = NDArray[np.float32]


def perceived_threat(
    score: Float32, importance: Float32, confidence: Float32, danger: Float32, *, scale: float
) -> Float32:
    """Sum up how dangerous the recalled memories make things look.

    Args:
        score: What each memory was ranked by, >= 0, 0 where there is none, shape (adults, k).
        importance: In [0, 1], shape (adults, k).
        confidence: In [0, 1], shape (adults, k).
        danger: How bad a memory of a dangerous topic is, in [0, 1], and how good one of
            relief is, in [-1, 0]; 0 for others, shape (adults, k).
        scale: Weighted recollections of danger at which the threat is 1 - 1/e, > 0.

    Returns:
        In [0, 1), shape (adults,); 0 where nothing dangerous is recalled, or more relief.

    Raises:
        ParameterError: If the scale is not positive.

    Source:
        This project: 1 - exp(-sum / scale), so that a second warning adds less than the first.
    """
    if scale <= 0:
        raise ParameterError(f"scale is {scale}; more than 0 is needed")
    total = np.maximum((score * importance * confidence * danger).sum(axis=1), 0)
    return np.asarray(1 - np.exp(-total / scale), np.float32)


def coping_appraisal(
    vehicle: NDArray[np.bool_], income: Float32, kin: NDArray[np.bool_], pets: NDArray[np.bool_]
) -> Float32:
    """Judge how well the household could leave.

    Args:
        vehicle: Whether it has one, shape (adults,).
        income: Yearly income in dollars, shape (adults,).
        kin: Whether family or friends live out of the area.
        pets: Whether there are pets.

    Returns:
        In [-1, 1], shape (adults,).

    Source:
        Efficacy minus cost, Rogers 1975; the weights are illustrative.
    """
    means = np.clip(income / 60_000, 0, 1)
    value = 0.4 * (vehicle * 2.0 - 1) + 0.3 * (means * 2 - 1) + 0.3 * kin - 0.2 * pets
    return np.asarray(np.clip(value, -1, 1), np.float32)


def unattenuated(spread: float) -> float:
    """Factor from a logit over the whole population to one given a household's inclination.

    Published logits are of shares over everybody. Where households differ in a lasting
    inclination, the same shares need steeper logits for each of them.

    Args:
        spread: Standard deviation of the inclination in logits, >= 0.

    Returns:
        At least 1.

    Source:
        Zeger, Liang, Albert 1988, doi:10.2307/2531734: sqrt(1 + c^2 spread^2) with
        c = 16 sqrt(3) / (15 pi).
    """
    c = 16 * np.sqrt(3) / (15 * np.pi)
    return float(np.sqrt(1 + (c * spread) ** 2))


def readiness(logit: NDArray[np.floating]) -> Float32:
    """Turn a logit into a rating from 0 to 10."""
    return (10 / (1 + np.exp(-logit))).astype(np.float32)


def joined(ratings: Float32, first: NDArray[np.intp], *, most_concerned: float) -> Float32:
    """Join the ratings of a household's adults.

    Args:
        ratings: Adults' ratings, household by household, shape (adults,).
        first: Where each household begins, shape (households,).
        most_concerned: Weight of the highest rating against the mean, in [0, 1].

    Returns:
        Shape (households,).

    Raises:
        ParameterError: If the weight is out of range.

    Source:
        This project: weight 1 is the rule that the most concerned adult decides.
    """
    if not 0 <= most_concerned <= 1:
        raise ParameterError(f"most_concerned is {most_concerned}; a number from 0 to 1 is needed")
    highest = np.maximum.reduceat(ratings, first)
    count = np.diff(np.append(first, len(ratings)))
    mean = np.add.reduceat(ratings, first) / count
    return (most_concerned * highest + (1 - most_concerned) * mean).astype(np.float32)


def leaving_chance(
    rating: Float32, hour: float, time_left: Float32, *, pace: float, night: float, evening: float
) -> Float32:
    """Chance that a household decides to leave at a decision.

    Args:
        rating: Joined readiness, 0 to 10, shape (households,).
        hour: Hour of the day.
        time_left: 1 while there is time, falling to 0 when gales arrive, shape (households,).
        pace: Chance of a fully ready household by day.
        night: Pace from midnight to six relative to the day.
        evening: Pace from eight to midnight relative to the day.

    Returns:
        In [0, 1], shape (households,).

    Source:
        Sequential logit after Fu and Wilmot 2004, doi:10.3141/1882-03 (form recalled); the
        effect of the time of day after Marasco 2020 (sign found, size illustrative).
    """
    of_day = night if hour < 6 else evening if hour >= 20 else 1.0
    return (rating / 10 * (pace * of_day) * time_left).astype(np.float32)
