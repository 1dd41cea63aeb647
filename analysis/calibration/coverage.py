"""Check by simulation whether intervals contain the true parameters as often as they claim.

Each simulation of the first generation, whose parameters come from the prior, serves once as the
data; the posterior is inferred from all others. No further simulations are needed.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.calibration import smc
from memopolis.analysis.calibration.posterior import LEVELS, ends_of, infer

CONFIDENCE = 0.95  # level of the binomial intervals of the coverage


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
            low, high = _binomial(int(own.sum()), len(own))
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


def _binomial(count: int, total: int) -> tuple[float, float]:
    """Source: Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404."""
    from scipy.stats import beta

    tail = (1 - CONFIDENCE) / 2
    low = float(beta.ppf(tail, count, total - count + 1)) if count else 0.0
    high = float(beta.ppf(1 - tail, count + 1, total - count)) if count < total else 1.0
    return low, high
