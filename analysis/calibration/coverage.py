"""Check by simulation whether intervals contain the true parameters as often as they claim.

Each simulation of the first generation, whose parameters come from the prior, serves once as the
data; the posterior is inferred from all others. No further simulations are needed.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import beta, kstest

from memopolis.analysis.calibration import smc
from memopolis.analysis.calibration.posterior import LEVELS, infer
from memopolis.sim.errors import ParameterError

CONFIDENCE = 0.95
"""Level of the binomial intervals of the coverage."""


def prior_ranks(scores: smc.Array, summaries: smc.Array, *, kept: int, datasets: int) -> smc.Array:
    """Infer the parameters of simulations, and return the posterior share below the true ones.

    Args:
        scores: True parameters, drawn from the prior, shape (simulations, parameters).
        summaries: Summary statistics with noise, shape (simulations, summaries).
        kept: Number of simulations to accept for each data set.
        datasets: Number of simulations that serve as data.

    Returns:
        Shares, uniformly distributed if posteriors are right, shape (data sets, parameters). Data
        sets with a missing summary are left out.

    Raises:
        ParameterError: If there are fewer simulations than data sets.

    Source:
        Talts et al. 2018, arXiv:1804.06788; with rejection from one table of simulations, Prangle
        et al. 2014, doi:10.1515/sagmb-2013-0014.
    """
    if not 0 < datasets <= len(scores):
        raise ParameterError(
            f"coverage is {datasets}; the first generation has {len(scores):,} simulations, each "
            "of which serves as data once: use 1 to that many, or raise samples"
        )
    ranks = []
    scale, weights = smc.summary_scale(summaries), np.ones(len(scores) - 1)
    for row in np.flatnonzero(np.isfinite(summaries).all(axis=1)):
        if row >= datasets:
            break
        others = np.arange(len(scores)) != row
        inferred = infer(
            scores[others], summaries[others], weights, summaries[row], kept=kept, scale=scale
        )
        columns = zip(inferred.scores.T, scores[row], strict=True)
        ranks.append([smc.share_below(own, inferred.weights, true) for own, true in columns])
    return np.array(ranks).reshape(-1, scores.shape[1])


def coverage_table(ranks: smc.Array, names: Sequence[str]) -> pd.DataFrame:
    """Count how often intervals contain the true parameter.

    Args:
        ranks: As returned by `prior_ranks`.
        names: Names of the parameters.

    Returns:
        A row per parameter and level: parameter, level, covered, datasets, coverage, low and high
        (binomial interval, Clopper and Pearson), passes (whether it contains the level) and
        uniform (p-value of the ranks under a uniform distribution, Kolmogorov and Smirnov).
    """
    rows = []
    for name, own in zip(names, ranks.T, strict=True):
        uniform = float(kstest(own, "uniform").pvalue)
        for level in LEVELS:
            covered = int((np.abs(own - 0.5) <= level / 2).sum())
            low, high = _binomial(covered, len(own))
            rows.append(
                {
                    "parameter": name,
                    "level": level,
                    "covered": covered,
                    "datasets": len(own),
                    "coverage": covered / len(own),
                    "low": low,
                    "high": high,
                    "passes": low <= level <= high,
                    "uniform": uniform,
                }
            )
    return pd.DataFrame(rows)


def _binomial(count: int, total: int) -> tuple[float, float]:
    """Source: Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404."""
    tail = (1 - CONFIDENCE) / 2
    low = float(beta.ppf(tail, count, total - count + 1)) if count else 0.0
    high = float(beta.ppf(1 - tail, count + 1, total - count)) if count < total else 1.0
    return low, high
