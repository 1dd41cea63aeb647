"""Infer a posterior from simulations, and check whether its intervals contain the truth.

The nearest simulations are accepted, weighted, and corrected for their distance. In the check, each
simulation of the first generation, whose parameters come from the prior, serves once as the data,
and the posterior is inferred from all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.calibration import smc
from memopolis.analysis.calibration.priors import Prior
from memopolis.analysis.compare.intervals import binomial_interval

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


def find_covered(
    scores: smc.Array, summaries: smc.Array, *, kept: int, datasets: int
) -> NDArray[np.bool_]:
    """Infer the parameters of simulations, and check whether intervals contain the true ones.

    Returns flags of shape (data sets, parameters, levels), without data sets that lack a summary.
    `scores` are the true parameters, drawn from the prior, shape (simulations, parameters),
    `summaries` have noise and the shape (simulations, summaries). The first `datasets` simulations
    serve as data, and for each `kept` others are accepted.

    Source: Prangle, Blum, Popovic and Sisson 2014, doi:10.1515/sagmb-2013-0014.
    """
    shares = [share for level in LEVELS for share in ends_of(level)]
    scale, weights = smc.summary_scale(summaries), np.ones(len(scores) - 1)
    complete = np.flatnonzero(np.isfinite(summaries[:datasets]).all(axis=1))
    covered = np.zeros((len(complete), scores.shape[1], len(LEVELS)), bool)
    for number, row in enumerate(complete):
        others = np.arange(len(scores)) != row
        inferred = infer(
            scores[others], summaries[others], weights, summaries[row], kept=kept, scale=scale
        )
        for column, own in enumerate(inferred.scores.T):
            ends = smc.quantiles(own, inferred.weights, shares).reshape(-1, 2)
            truth = scores[row, column]
            covered[number, column] = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return covered


def coverage_table(covered: NDArray[np.bool_], names: Sequence[str]) -> pd.DataFrame:
    """Count how often intervals of named parameters contain the true value, see `find_covered`.

    Data sets share the simulations from which they are inferred, so they are not independent: for
    parameters that the targets do not identify, coverage varies less than its binomial interval.
    Returns a row per parameter and level: parameter, level, covered, datasets, coverage, low and
    high (binomial interval, Clopper and Pearson) and passes (whether it contains the level).
    """
    rows = []
    for column, name in enumerate(names):
        for number, level in enumerate(LEVELS):
            own = covered[:, column, number]
            low, high = binomial_interval(int(own.sum()), len(own), method="exact")
            rows.append(
                {
                    "parameter": name,
                    "level": level,
                    "covered": int(own.sum()),
                    "datasets": len(own),
                    "coverage": float(own.mean()) if len(own) else np.nan,
                    "low": low,
                    "high": high,
                    "passes": low <= level <= high,
                }
            )
    return pd.DataFrame(rows)
