"""Measures of inequality on incomes made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memopolis.sim.errors import ParameterError
from memopolis.sim.statistics.inequality import gini

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


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="weights"):
        gini([1, 2], [1])
    with pytest.raises(ParameterError, match="weights"):
        gini([1, 2], [1, -1])
