"""Differences of arms over time are paired by seed, with t-intervals."""

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.compare.intervals import interval, welch_difference
from memopolis.analysis.compare.over_time import difference_over_time, mean_over_time

TIMES = pd.date_range("2024-01-01", periods=3, freq="D")


def by_seed(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {int(seed.removeprefix("s")): values for seed, values in columns.items()}, index=TIMES
    )


def test_runs_of_equal_seeds_are_paired() -> None:
    treated = by_seed(s1=[1, 2, 3], s2=[10, 22, 35], s4=[0, 0, 900])
    control = by_seed(s2=[9, 20, 30], s1=[1, 1, 1], s3=[500, 0, 0])
    result = difference_over_time(treated, control)
    assert result["mean"].to_list() == [0.5, 1.5, 3.5]
    expected = interval([2.0, 5.0])
    assert result.iloc[2][["low", "high"]].to_list() == pytest.approx([expected.low, expected.high])


def test_means_are_compared_without_common_seeds() -> None:
    treated, control = by_seed(s1=[1, 2, 3], s2=[2, 4, 9]), by_seed(s3=[0, 1, 1], s4=[1, 1, 2])
    result = difference_over_time(treated, control)
    expected = welch_difference([3.0, 9.0], [1.0, 2.0])
    assert tuple(result.iloc[2]) == pytest.approx((expected.mean, expected.low, expected.high))


def test_only_common_times_are_compared_and_one_seed_has_no_interval() -> None:
    treated, control = by_seed(s1=[1, 2, 3]), by_seed(s1=[1, 1, 1]).iloc[1:]
    result = difference_over_time(treated, control)
    assert result.index.to_list() == TIMES[1:].to_list()
    assert result["mean"].to_list() == [1.0, 2.0]
    assert np.isnan(result[["low", "high"]].to_numpy()).all()


def test_intervals_are_cut_at_the_limits_of_the_values() -> None:
    treated, control = by_seed(s1=[1, 0.9, 0.5], s2=[0.2, 1, 0.5]), by_seed(s1=[0] * 3, s2=[0] * 3)
    whole = mean_over_time(treated)
    assert whole["low"].iloc[0] < 0
    assert whole["high"].iloc[1] > 1
    table = mean_over_time(treated, limits=(0, 1))
    pd.testing.assert_frame_equal(table, whole.clip(0, 1))
    shares = difference_over_time(treated, control, limits=(0, 1))
    pd.testing.assert_frame_equal(shares, whole.clip(-1, 1))
    unpaired = difference_over_time(treated, control.rename(columns={1: 3, 2: 4}), limits=(0, 1))
    assert unpaired[["low", "high"]].abs().to_numpy().max() <= 1
