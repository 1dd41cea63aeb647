"""Compare measures of arms over time: means over seeds, and differences with intervals."""

from collections.abc import Mapping, Sequence
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


def values_of_same_agents(
    runs: Sequence[Run], like: Sequence[Run], measure: Mapping[str, str], group: str
) -> pd.DataFrame:
    """Return a measure of runs among the agents that are in a group in other runs.

    For arms in which no agent is in the group: each run is compared with the one of `like` with the
    same seed, at the times at which both recorded the status of agents. Runs without such a table
    are left out. `measure` is declared as in a manifest. Returns a table as `values_by_seed`.
    """
    others = {run.seed: run for run in like}
    values = {
        run.seed: _among_members(run, others[run.seed], measure, group)
        for run in runs
        if run.seed in others
    }
    return pd.DataFrame({seed: one for seed, one in values.items() if len(one)})


def _among_members(run: Run, other: Run, measure: Mapping[str, str], group: str) -> pd.Series:
    table, column, where = f"agents_{measure['population']}", measure["column"], measure["where"]
    columns = [column, where] if where else [column]
    if not (run.has(table, *columns) and other.has(table, measure["group"])):
        return pd.Series(dtype=float)
    groups = other.table(table, [measure["group"]])
    members = groups.loc[groups[measure["group"]].astype(str) == group, ["tick", "agent"]]
    rows = run.table(table, columns).merge(members, on=["tick", "agent"])
    rows = rows[rows[where]] if where else rows
    values = rows.groupby("tick")[column].agg(measure["of"]).astype(float)
    return values.set_axis(pd.Index(run.time_of(values.index.to_series()), name="time"))


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
