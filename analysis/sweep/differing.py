"""How the points of a sweep differ from one of them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.compare.intervals import Interval, paired_difference

NAN = float("nan")


def differences_of(
    runs: pd.DataFrame,
    columns: Mapping[str, str],
    *,
    reference: int,
    paired: bool,
    confidence: float,
) -> pd.DataFrame:
    """Every other point less the reference.

    Args:
        runs: One row per run, from `SweepResults.runs`.
        columns: Column of each outcome by its name.
        reference: Number of the point that others are compared with.
        paired: Whether a replication has the same seed at every point.
        confidence: In (0, 1).

    Returns:
        Columns point, outcome, difference, low, high, runs; NaN where runs are too few.
    """
    rows = []
    for outcome, column in columns.items():
        values = runs.pivot_table(
            index="replication", columns="point", values=column, dropna=False
        ).reindex(columns=sorted(runs["point"].unique()))
        base = values[reference].to_numpy(np.float64)
        for point in values.columns[values.columns != reference]:
            own = values[point].to_numpy(np.float64)
            apart = (
                paired_difference(list(own), list(base), confidence=confidence)
                if paired
                else welch_difference(own, base, confidence=confidence)
            )
            rows.append((point, outcome, apart.mean, apart.low, apart.high, apart.seeds))
    frame = pd.DataFrame(rows, columns=["point", "outcome", "difference", "low", "high", "runs"])
    return frame.sort_values("point", kind="stable").reset_index(drop=True)


def welch_difference(
    treated: NDArray[np.float64], control: NDArray[np.float64], *, confidence: float = 0.95
) -> Interval:
    """Difference of the means of runs that share no seeds.

    Args:
        treated: Outcome of each run, NaN for one without, shape (runs,).
        control: Outcome of other runs, shape (other runs,).
        confidence: In (0, 1).

    Returns:
        Its t-interval; `seeds` counts the runs of both.

    Source:
        Welch 1947, doi:10.2307/2332510.
    """
    treated, control = (sample[~np.isnan(sample)] for sample in (treated, control))
    counts = np.array([len(treated), len(control)])
    if not counts.all():
        return Interval(NAN, NAN, NAN, int(counts.sum()))
    apart = float(treated.mean() - control.mean())
    if (counts < 2).any():
        return Interval(apart, NAN, NAN, int(counts.sum()))
    from scipy.special import stdtrit

    spread = np.array([treated.var(ddof=1), control.var(ddof=1)]) / counts
    if not spread.sum():
        return Interval(apart, apart, apart, int(counts.sum()))
    freedom = spread.sum() ** 2 / (spread**2 / (counts - 1)).sum()
    half = float(stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(spread.sum()))
    return Interval(apart, apart - half, apart + half, int(counts.sum()))
