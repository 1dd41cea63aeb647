"""Compare the points of a sweep, and the levels of its factors."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from memopolis.analysis.compare.intervals import interval, paired_difference, welch_difference

COLUMNS = ("factor", "first", "level", "outcome", "difference", "low", "high", "replications")
"""Columns of the table of main effects."""


def compare_points(
    runs: pd.DataFrame,
    outcomes: Mapping[str, str],
    *,
    reference: int,
    paired: bool,
    confidence: float,
) -> pd.DataFrame:
    """Compute the difference of every other point from a reference point.

    `runs` is `SweepResults.runs`, `outcomes` the column of each outcome by its name. Seeds are
    paired if a replication has the same seed at every point. Returns the columns point, outcome,
    difference, low, high, runs; NaN where there are too few runs.
    """
    rows = []
    for outcome, column in outcomes.items():
        values = runs.pivot_table(
            index="replication", columns="point", values=column, dropna=False
        ).reindex(columns=sorted(runs["point"].unique()))
        base = values[reference].to_numpy(np.float64)
        compare = paired_difference if paired else welch_difference
        for point in values.columns[values.columns != reference]:
            one = compare(values[point].to_numpy(np.float64), base, confidence=confidence)
            rows.append((point, outcome, *one))
    frame = pd.DataFrame(rows, columns=["point", "outcome", "difference", "low", "high", "runs"])
    return frame.sort_values("point", kind="stable").reset_index(drop=True)


def main_effects(
    runs: pd.DataFrame,
    *,
    factors: Mapping[str, str],
    outcomes: Mapping[str, str],
    confidence: float,
) -> pd.DataFrame:
    """Compute the difference of every level of a factor from its first level.

    Runs of one replication are paired where all other factors have the same level, and their
    differences are averaged to one number per replication. So the other factors cancel, and with
    paired seeds also the shared random draws. Intervals are over replications. `factors` and
    `outcomes` are columns of `runs`, see `SweepResults`, by name. Returns a row per factor, level
    and outcome, with the columns `COLUMNS`; low and high are NaN for fewer than two replications.
    Levels without such a pair of runs are omitted.
    """
    # Levels may be lists or None, which an index cannot contain: they are compared as text.
    texts = runs.assign(**{column: runs[column].map(str) for column in factors.values()})
    rows = []
    for factor, column in factors.items():
        others = [other for other in factors.values() if other != column]
        first, *levels = texts[column].unique()
        tables = {
            outcome: texts.pivot_table(
                index=["replication", *others], columns=column, values=values
            ).reindex(columns=[first, *levels])
            for outcome, values in outcomes.items()
        }
        for level in levels:
            for outcome, cells in tables.items():
                difference = (cells[level] - cells[first]).dropna().groupby("replication").mean()
                if len(difference):
                    one = interval(difference, confidence=confidence)
                    rows.append((factor, first, level, outcome, *one))
    return pd.DataFrame(rows, columns=list(COLUMNS))
