"""What the levels of a factor change in a sweep, all other factors alike."""

from collections.abc import Mapping

import pandas as pd

from memopolis.analysis.compare.intervals import interval

COLUMNS = ("factor", "first", "level", "outcome", "difference", "low", "high", "replications")
"""Columns of the table of effects."""


def effects_of(
    runs: pd.DataFrame,
    *,
    factors: Mapping[str, str],
    outcomes: Mapping[str, str],
    confidence: float,
) -> pd.DataFrame:
    """Every other level of a factor less its first one.

    Runs of one replication are paired where all other factors have the same level, and their
    differences averaged: a number a replication. So the other factors cancel, with paired seeds
    also the random draws that runs share, and the interval is over replications.

    Args:
        runs: One row per run, from `SweepResults.runs`.
        factors: Column of each factor by its name.
        outcomes: Column of each outcome by its name.
        confidence: Of the intervals, in (0, 1).

    Returns:
        A row a factor, level and outcome, with the columns `COLUMNS`; low and high are NaN for
        fewer than two replications. Levels that share no such pair of runs are left out.
    """
    # Levels may be lists or None, which no index takes: they are compared as text.
    written = runs.assign(**{column: runs[column].map(str) for column in factors.values()})
    rows = []
    for factor, column in factors.items():
        others = [one for one in factors.values() if one != column]
        first, *levels = written[column].unique()
        tables = {
            outcome: written.pivot_table(
                index=["replication", *others], columns=column, values=values
            ).reindex(columns=[first, *levels])
            for outcome, values in outcomes.items()
        }
        for level in levels:
            for outcome, cells in tables.items():
                apart = (cells[level] - cells[first]).dropna().groupby("replication").mean()
                if len(apart):
                    one = interval(apart, confidence=confidence)
                    summary = (one.mean, one.low, one.high, one.seeds)
                    rows.append((factor, first, level, outcome, *summary))
    return pd.DataFrame(rows, columns=list(COLUMNS))
