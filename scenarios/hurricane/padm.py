"""Equations of the protective action decision: from memories to readiness.

Source of the form: Lindell and Perry 2012, doi:10.1111/j.1539-6924.2011.01647.x (protective
action decision model) and Rogers 1975, doi:10.1080/00223980.1975.9915803 (protection motivation).
Weights are settings with their own origins.
"""

import numpy as np

from memopolis.sim.arrays import Bools, Float32, Floats, Intp


def perceived_threat(
    score: Float32, importance: Float32, confidence: Float32, danger: Float32, *, scale: float
) -> Float32:
    """Compute perceived threat from recalled memories.

    The result is in [0, 1), shape (adults,); 0 without memories of danger, or with more relief.
    Raises ParameterError if the scale is not positive.

    Args:
        score: Retrieval score, >= 0, 0 without a memory, shape (adults, k).
        importance: In [0, 1], shape (adults, k).
        confidence: In [0, 1], shape (adults, k).
        danger: Severity of memories of danger, in [0, 1], and of relief, in [-1, 0]; 0 for
            others, shape (adults, k).
        scale: Weighted sum of memories at which threat is 1 - 1/e, > 0.

    Source: This project: 1 - exp(-sum / scale), so that a second warning adds less than the first.
    """
    total = np.maximum((score * importance * confidence * danger).sum(axis=1), 0)
    return np.asarray(1 - np.exp(-total / scale), np.float32)


def coping_appraisal(vehicle: Bools, income: Float32, kin: Bools, pets: Bools) -> Float32:
    """Rate how well the household could leave.

    The result is in [-1, 1], shape (adults,). `income` is in dollars per year. Arguments say
    whether the household has a vehicle or pets, and family or friends (`kin`) outside the area.

    Source: Efficacy minus cost, Rogers 1975; the weights are illustrative.
    """
    means = np.clip(income / 60_000, 0, 1)
    value = 0.4 * (vehicle * 2.0 - 1) + 0.3 * (means * 2 - 1) + 0.3 * kin - 0.2 * pets
    return np.asarray(np.clip(value, -1, 1), np.float32)


def individual_logit_factor(spread: float) -> float:
    """Compute the factor that converts population-average to household-specific logits: at least 1.

    Published logits describe shares of the population. If households differ in a fixed inclination,
    steeper individual logits are needed for the same shares. `spread` is the standard deviation of
    the inclination in logits, >= 0.

    Source: Zeger, Liang, Albert 1988, doi:10.2307/2531734: sqrt(1 + c^2 spread^2) with c = 16
    sqrt(3) / (15 pi).
    """
    c = 16 * np.sqrt(3) / (15 * np.pi)
    return float(np.sqrt(1 + (c * spread) ** 2))


def readiness(logit: Floats) -> Float32:
    """Convert a logit to a rating from 0 to 10."""
    return (10 / (1 + np.exp(-logit))).astype(np.float32)


def combine_ratings(ratings: Float32, first: Intp, *, most_concerned: float) -> Float32:
    """Combine the ratings of a household's adults.

    The result has shape (households,). Raises ParameterError if the weight is out of range.

    Args:
        ratings: Ratings of adults, household by household, shape (adults,).
        first: Position of each household's first adult, shape (households,).
        most_concerned: Weight of the highest rating relative to the mean, in [0, 1].

    Source: This project: with weight 1, the most concerned adult decides.
    """
    highest = np.maximum.reduceat(ratings, first)
    count = np.diff(np.append(first, len(ratings)))
    mean = np.add.reduceat(ratings, first) / count
    return (most_concerned * highest + (1 - most_concerned) * mean).astype(np.float32)


def leaving_probability(
    rating: Float32, hour: float, time_left: Float32, *, pace: float, night: float, evening: float
) -> Float32:
    """Compute the probability that a household decides to leave, in [0, 1], shape (households,).

    Args:
        rating: Combined readiness, 0 to 10, shape (households,).
        hour: Hour of the day.
        time_left: 1 while there is time, falling to 0 as gales arrive, shape (households,).
        pace: Probability of a fully ready household by day.
        night: Pace from midnight to six relative to the day.
        evening: Pace from eight to midnight relative to the day.

    Source: Sequential logit after Fu and Wilmot 2004, doi:10.3141/1882-03 (form recalled); the
    effect of the time of day after Marasco 2020 (sign found, size illustrative).
    """
    of_day = night if hour < 6 else evening if hour >= 20 else 1.0
    return (rating / 10 * (pace * of_day) * time_left).astype(np.float32)
