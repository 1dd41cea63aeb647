"""Measures of inequality on incomes made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memopolis.sim.errors import ParameterError
from memopolis.sim.statistics.inequality import (
    gini,
    quantile_groups,
    quantile_means,
    quantile_shares,
)

INCOMES = hnp.arrays(
    np.float64, st.integers(1, 20), elements=st.integers(0, 1_000).map(float)
).filter(lambda x: x.sum() > 0)


def by_definition(x: np.ndarray, w: np.ndarray) -> float:
    """Half the mean difference of two drawn by weight, over the mean."""
    apart = np.abs(x[:, None] - x[None, :])
    return float(w @ apart @ w / (2 * w.sum() ** 2 * np.average(x, weights=w)))


def test_gini_by_hand() -> None:
    assert gini([3, 3, 3]) == pytest.approx(0)
    assert gini([0, 0, 0, 8]) == pytest.approx(3 / 4)
    # Differences of 1, 2, 3: 2 (1 + 2 + 1) / (2 * 9 * 2).
    assert gini([1, 2, 3]) == pytest.approx(2 / 9)
    # One of weight 2 is two.
    assert gini([1, 3], [2, 1]) == pytest.approx(gini([1, 1, 3]))
    # With debts it may exceed 1: differences of -1, 0, 2: 2 (1 + 3 + 2) / (2 * 9 / 3).
    assert gini([-1, 0, 2]) == pytest.approx(2)


@pytest.mark.parametrize("values", [[], [0, 0], [-3, 1]])
def test_gini_needs_a_mean_above_0(values: list[float]) -> None:
    assert np.isnan(gini(values))


@given(INCOMES, st.data())
def test_gini_is_the_mean_difference(incomes: np.ndarray, data: st.DataObject) -> None:
    weights = data.draw(hnp.arrays(np.float64, len(incomes), elements=st.integers(1, 5).map(float)))
    assert gini(incomes, weights) == pytest.approx(by_definition(incomes, weights), abs=1e-12)
    assert gini(7 * incomes, weights) == pytest.approx(gini(incomes, weights))


def test_quintiles_by_hand() -> None:
    incomes = [50, 10, 30, 20, 40, 60, 100, 70, 80, 90]
    assert quantile_groups(incomes).tolist() == [2, 0, 1, 0, 1, 2, 4, 3, 3, 4]
    assert quantile_means(incomes).tolist() == [15, 35, 55, 75, 95]
    assert quantile_shares(incomes) == pytest.approx(np.array([30, 70, 110, 150, 190]) / 550)
    # What the poorest fifth spends, and so on.
    spent = np.arange(10.0)
    assert quantile_means(spent, by=incomes).tolist() == [2, 3, 2.5, 7.5, 7.5]


def test_weights_count_as_repeated_values() -> None:
    incomes, weights = [10.0, 20.0, 40.0], [2.0, 1.0, 1.0]
    assert quantile_groups(incomes, quantiles=2, weights=weights).tolist() == [0, 1, 1]
    assert quantile_means(incomes, quantiles=2, weights=weights).tolist() == [10, 30]
    assert quantile_shares(incomes, quantiles=2, weights=weights).tolist() == [0.25, 0.75]
    # A unit that outweighs all others leaves a group empty.
    heavy = quantile_means(incomes, quantiles=3, weights=[1, 1, 98])
    assert heavy[1] == pytest.approx(40)
    assert np.isnan(heavy[2])


def test_statistics_of_empty_and_zero_values() -> None:
    assert np.isnan(quantile_means([])).all()
    assert np.isnan(quantile_shares([0, 0, 0, 0, 0])).all()


@given(INCOMES, st.integers(1, 6))
def test_shares_rise_and_sum_to_1(incomes: np.ndarray, quantiles: int) -> None:
    shares = quantile_shares(incomes, quantiles=quantiles)
    assert shares.sum() == pytest.approx(1)
    means = quantile_means(incomes, quantiles=quantiles)
    assert (np.diff(means[~np.isnan(means)]) >= -1e-9).all()


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="weights"):
        gini([1, 2], [1])
    with pytest.raises(ParameterError, match="weights"):
        gini([1, 2], [1, -1])
    with pytest.raises(ParameterError, match="quantiles"):
        quantile_groups([1], quantiles=0)
    with pytest.raises(ParameterError, match="order"):
        quantile_means([1, 2], by=[1])
