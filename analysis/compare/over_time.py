"""Compare measures of arms over time: means over seeds, and differences with intervals."""

from collections.abc import Sequence
from math import inf

import pandas as pd

from memopolis.analysis.compare.intervals import interval_rows, welch_difference
from memopolis.analysis.run.run import Run

type Limits = tuple[float, float]

UNLIMITED: Limits = (-inf, inf)


def values_by_seed(runs: Sequence[Run], measure: str, group: str = "") -> pd.DataFrame:
    """Return a measure of runs with different seeds: a row per time, a column per seed.

    `group` is a value of the measure's grouping attribute, "" for all agents. Runs that have no
    such measure or group are left out.
    """
    known = {
        run.seed: run.measure(measure, group)
        for run in runs
        if measure in run.measured and group in run.groups(measure)
    }
    return pd.DataFrame(known)


def mean_over_time(
    values: pd.DataFrame, *, limits: Limits = UNLIMITED, confidence: float = 0.95
) -> pd.DataFrame:
    """Compute the mean over seeds at each time, with its t-interval, from `values_by_seed`.

    Returns the columns mean, low and high by time; low and high are NaN for fewer than two seeds.
    The interval is cut at the least and largest value that is possible, which keeps its coverage,
    since the mean is between them. (The interval of a mean logit would be that of another quantity,
    and of none at 0 and 1; a bootstrap is too narrow with few seeds.)
    """
    rows = interval_rows(values.to_numpy(), values.index, confidence=confidence)
    return rows.clip(*limits)


def difference_over_time(
    treated: pd.DataFrame,
    control: pd.DataFrame,
    *,
    limits: Limits = UNLIMITED,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compute the difference of two arms at each time that both have, from their `values_by_seed`.

    Runs with the same seed are paired, so that shared random draws cancel; seeds of only one arm
    are left out. Without common seeds, means are compared (Welch's t). Returns the columns mean,
    low and high of treated minus control, as `mean_over_time`; intervals are cut at the largest
    difference that the limits allow.
    """
    most = limits[1] - limits[0]
    times = treated.index.intersection(control.index)
    one, other = treated.loc[times], control.loc[times]
    seeds = one.columns.intersection(other.columns)
    if len(seeds):
        paired = one[seeds] - other[seeds]
        return mean_over_time(paired, limits=(-most, most), confidence=confidence)
    rows = [
        welch_difference(first, second, confidence=confidence)[:3]
        for first, second in zip(one.to_numpy(), other.to_numpy(), strict=True)
    ]
    table = pd.DataFrame(rows, columns=["mean", "low", "high"], index=times, dtype=float)
    return table.clip(-most, most)
