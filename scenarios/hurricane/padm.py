"""Equations of the protective action decision: from memories to readiness.

Source of the form: Lindell and Perry 2012, doi:10.1111/j.1539-6924.2011.01647.x (protective
action decision model) and Rogers 1975, doi:10.1080/00223980.1975.9915803 (protection motivation).
Weights are settings with their own origins.
"""

import numpy as np

from memopolis.sim.arrays import Bools, Float32, Floats, Intp


def perceived_threat(weight: Float32, *, scale: float) -> Float32:
    """Compute perceived threat from recalled memories: 1 - exp(-sum / scale), in [0, 1), (adults,).

    `weight` is score * importance * confidence * danger of each memory, (adults, k); danger is
    negative for relief, and 0 for other memories.

    Source: This project, so that a second warning adds less than the first.
    """
    total = np.maximum(weight.sum(axis=1), 0)
    return np.asarray(1 - np.exp(-total / scale), np.float32)


def coping_appraisal(vehicle: Bools, income: Float32, kin: Bools, pets: Bools) -> Float32:
    """Rate how well the household could leave, in [-1, 1], shape (adults,).

    `kin` says whether it has family or friends outside the area.

    Source: Efficacy minus cost, Rogers 1975; the weights are illustrative.
    """
    means = np.clip(income / 60_000, 0, 1)
    value = 0.4 * (vehicle * 2.0 - 1) + 0.3 * (means * 2 - 1) + 0.3 * kin - 0.2 * pets
    return np.asarray(np.clip(value, -1, 1), np.float32)


def individual_logit_factor(spread: float) -> float:
    """Compute the factor, at least 1, from population-average to household-specific logits.

    Published logits describe shares of the population. If households differ in a fixed inclination,
    with a standard deviation of `spread`, steeper individual logits are needed for the same shares.

    Source: Zeger, Liang, Albert 1988, doi:10.2307/2531734: sqrt(1 + c^2 spread^2) with c = 16
    sqrt(3) / (15 pi).
    """
    c = 16 * np.sqrt(3) / (15 * np.pi)
    return float(np.sqrt(1 + (c * spread) ** 2))


def readiness(logit: Floats) -> Float32:
    """Convert a logit to a rating from 0 to 10."""
    return (10 / (1 + np.exp(-logit))).astype(np.float32)


def combine_ratings(ratings: Float32, first: Intp, *, most_concerned: float) -> Float32:
    """Combine the ratings of each household's adults, of whom `first` is the first, (households,).

    `most_concerned` is the weight of the highest rating relative to the mean.

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

    `time_left` falls from 1 to 0 as gales arrive; `night` and `evening` are paces relative to the
    day.

    Source: Sequential logit after Fu and Wilmot 2004, doi:10.3141/1882-03 (form recalled); the
    effect of the time of day after Marasco 2020 (sign found, size illustrative).
    """
    of_day = night if hour < 6 else evening if hour >= 20 else 1.0
    return (rating / 10 * (pace * of_day) * time_left).astype(np.float32)
