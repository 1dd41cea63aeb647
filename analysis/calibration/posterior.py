"""Infer a posterior from simulations: accept the nearest, weight them, correct their distance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.calibration import smc
from memopolis.analysis.calibration.priors import Prior

LEVELS = (0.8, 0.95)  # levels of the intervals


@dataclass(frozen=True)
class Particles:
    """Weighted samples of a posterior."""

    rows: NDArray[np.int64]  # rows of the accepted simulations, nearest first, shape (particles,)
    scores: smc.Array  # corrected scores, shape (particles, parameters)
    weights: smc.Array  # weights, shape (particles,), 1 in total


def infer(
    scores: smc.Array,
    summaries: smc.Array,
    weights: smc.Array,
    observed: smc.Array,
    *,
    kept: int,
    scale: smc.Array,
) -> Particles:
    """Infer the posterior from simulations, of which the `kept` nearest to the data are accepted.

    `scores` are their parameters, shape (simulations, parameters), `summaries` have noise and the
    shape (simulations, summaries), and importance `weights` the shape (simulations,). `observed` is
    the data, and `scale` the units of the summaries in the distance, shape (summaries,) each.
    """
    rows = smc.nearest(smc.distances(summaries, observed, scale), kept)
    adjusted, closer = smc.adjust(scores[rows], summaries[rows], observed, scale, weights[rows])
    return Particles(rows, adjusted, closer / closer.sum())


def resample(particles: Particles, count: int, start: float) -> NDArray[np.int64]:
    """Return numbers of particles, chosen systematically by weight, shape (count,).

    `start` is a random number in [0, 1).

    Source: Kitagawa 1996, doi:10.1080/10618600.1996.10474692.
    """
    places = (np.arange(count) + start) / count
    ends = np.cumsum(particles.weights)
    chosen = np.searchsorted(ends, places * ends[-1], side="right")
    limited: NDArray[np.int64] = np.minimum(chosen, len(ends) - 1).astype(np.int64)
    return limited


def summarise(
    particles: Particles, priors: Sequence[Prior], defaults: Sequence[float]
) -> pd.DataFrame:
    """Return a row per parameter: default, prior, posterior median and intervals.

    Returns the columns parameter, default, prior, prior_low and prior_high (95 %), median, low80,
    high80, low95, high95, and contraction: 1 minus the variance of the posterior relative to the
    prior, on the scale on which the prior is normal. Near 0, the targets do not identify the
    parameter (Schad, Betancourt and Vasishth 2021, doi:10.1037/met0000275).
    """
    rows = []
    for column, (prior, default) in enumerate(zip(priors, defaults, strict=True)):
        scores = particles.scores[:, column]
        shares = [0.5, *(share for level in LEVELS for share in ends_of(level))]
        values = prior.value(smc.quantiles(scores, particles.weights, shares))
        first, last = prior.value(np.array([-1.959964, 1.959964]))
        mean = particles.weights @ scores
        variance = float(particles.weights @ (scores - mean) ** 2)
        named = ("median", "low80", "high80", "low95", "high95")
        rows.append(
            {
                "parameter": prior.name,
                "default": default,
                "prior": str(prior),
                "prior_low": first,
                "prior_high": last,
                **dict(zip(named, values.tolist(), strict=True)),
                "contraction": 1 - variance,
            }
        )
    return pd.DataFrame(rows)


def ends_of(level: float) -> tuple[float, float]:
    """Return the shares below both ends of a central interval."""
    return (1 - level) / 2, (1 + level) / 2
