"""Equations of the protective action decision: from memories to readiness.

Source of the form: Lindell and Perry 2012, doi:10.1111/j.1539-6924.2011.01647.x (protective
action decision model) and Rogers 1975, doi:10.1080/00223980.1975.9915803 (protection motivation).
Weights are settings with their own origins.
"""

from dataclasses import dataclass

import numpy as np

from memopolis.sim.arrays import Bools, Float32, Float64, Floats, Intp

EXPOSURE = {"A": 1.0, "B": 0.1, "C": 0.05}
"""Exposure to surge of a home by its band, 0 in the others: the open coast and the islands, which
people leave under an order whatever the forecast, and less the risk areas behind them (Baker 1991,
found; the shares are a choice)."""
ORDER_KM = 40.0
"""Distance to the sea over which the harm that an order lets expect falls by e (illustrative)."""
AMPLE_HOURS = 36.0  # hours before gales from which people do not hurry (illustrative)
LEAST_HOURS = 6.0  # time left below which people do not decide any faster (illustrative)
NOT_FORECAST = 48.0
"""Hours that people believe to have left if they recall no forecast (illustrative)."""


def believed_impact(weight: Float32, harm: Float32, *, doubt: float) -> Float32:
    """Compute the impact at home that recalled reports let expect: (adults,), at least 0.

    The mean of `harm` over the recalled reports, weighted by `weight`, score * importance *
    confidence, both of shape (adults, k), and by a doubt of no harm with the weight `doubt`. So a
    new forecast replaces earlier ones as they fade, and a single report convinces less than many.

    Source: Bayesian mean of reports and a prior of no harm; this project.
    """
    total = np.einsum("ij->i", weight)
    return np.asarray(np.einsum("ij,ij->i", weight, harm) / (total + doubt), np.float32)


def belief_in_order(coast_km: Float64) -> Float32:
    """Compute the share of the harm that an order lets expect at home, (zones,).

    People further from the sea believe less that an order to evacuate is meant for them. It is 1 at
    the shore and where the distance is unknown.

    Source: Exponential; evacuation falls with distance to the coast (Ivan 2004, found; under orders
    too, Baker 1991, found), the form and its length are this project's.
    """
    return np.exp(-np.nan_to_num(coast_km) / ORDER_KM).astype(np.float32)


def perceived_threat(impact: Float32, *, scale: float) -> Float32:
    """Compute perceived threat from an impact: 1 - exp(-impact / scale), in [0, 1).

    Source: This project, so that a further impact adds less than the first.
    """
    return np.asarray(1 - np.exp(-np.maximum(impact, 0) / scale), np.float32)


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


@dataclass(frozen=True)
class Pace:
    """How fast ready households decide."""

    every: float  # hours between two decisions
    wait: float  # mean hours until a decision by day, if at least `AMPLE_HOURS` are left
    night: float  # pace from midnight to six, relative to the day
    evening: float  # pace from sunset to midnight, relative to the day
    too_late: float  # hours before gales from which departures decline
    sunset: float = 20.0  # hour at which the evening begins


def leaving_probability(is_ready: Bools, hour: float, hours_left: Float32, pace: Pace) -> Float32:
    """Compute the probability that a household decides to leave, in [0, 1], shape (households,).

    Only households whose readiness exceeds their threshold decide, so those that the same news
    convinces leave together. `hours_left` are the hours until gales that the household recalls from
    forecasts. The mean time until a decision is `wait`, and shorter in proportion to the time left
    once that is below `AMPLE_HOURS`. So departures bunch if little time is left when a threat
    appears, and spread over days otherwise.

    Source: Thresholds after Granovetter 1978, doi:10.1086/226707; the time to landfall in the rate
    after Fu and Wilmot 2004, doi:10.3141/1882-03 (recalled, the form is this project's); the
    effect of the time of day after Marasco 2020 (sign found, size illustrative).
    """
    of_day = pace.night if hour < 6 else pace.evening if hour >= pace.sunset else 1.0
    wait = pace.wait * np.clip(hours_left, LEAST_HOURS, AMPLE_HOURS) / AMPLE_HOURS
    possible = np.clip(hours_left / max(pace.too_late, 1e-6), 0, 1) if pace.too_late else 1.0
    decided = 1 - np.exp(-pace.every * of_day / wait)
    return np.asarray(is_ready * decided * possible, np.float32)
