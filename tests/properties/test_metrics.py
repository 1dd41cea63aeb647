import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.analysis.compare.intervals import interval, paired_difference
from memopolis.analysis.metrics.curves import (
    first_back,
    fit_recovery,
    fit_s_curve,
    pseudo_r2,
    r_squared,
    saturating,
    share_left,
)
from memopolis.sim.errors import ParameterError

Float = NDArray[np.float64]
numbers = st.floats(-1e6, 1e6)
series = hnp.arrays(np.float64, st.integers(1, 40), elements=numbers)


@given(st.floats(0.1, 1.0), st.floats(0.05, 1.0), st.floats(60.0, 140.0))
def test_an_s_curve_is_recognised(level: float, slope: float, middle: float) -> None:
    hours = np.arange(200.0)
    share = level / (1 + np.exp(-slope * (hours - middle)))
    assert fit_s_curve(hours, share) > 0.99


def test_an_s_curve_needs_departures() -> None:
    assert fit_s_curve(np.arange(10.0), np.zeros(10)) == 0.0


@given(st.floats(0.2, 1.0), st.floats(3.0, 60.0))
def test_a_saturating_recovery_is_fitted(level: float, tau: float) -> None:
    hours = np.arange(150.0)
    found_level, found_tau, fit = fit_recovery(hours, saturating(hours, level, tau))
    assert found_level == pytest.approx(level, rel=1e-3)
    assert found_tau == pytest.approx(tau, rel=1e-2)
    assert fit > 0.9999


def test_too_few_points_are_refused() -> None:
    with pytest.raises(ParameterError, match="3 points"):
        fit_recovery(np.arange(2.0), np.arange(2.0))


@given(series)
def test_r_squared_is_one_for_itself_and_at_most_one(values: Float) -> None:
    assert r_squared(values, values) == 1
    assert r_squared(values, values + 1) <= 1
    constant = np.full(len(values), values.mean())
    assert r_squared(values, constant) == pytest.approx(0, abs=1e-6) or np.ptp(values) < 1e-6


@given(hnp.arrays(np.float64, st.integers(2, 20), elements=st.floats(0, 2)))
def test_the_first_return_to_baseline_is_found(ratios: Float) -> None:
    days = first_back(ratios, 0, 0.9)
    if days < 0:
        assert (ratios[1:] < 0.9).all()
    else:
        assert ratios[days] >= 0.9
        assert (ratios[1:days] < 0.9).all()


@given(series)
def test_the_remaining_shift_is_a_share(shift: Float) -> None:
    left = share_left(shift)
    assert 0 <= left <= 1
    assert left == pytest.approx(share_left(-3 * shift))


def test_the_pseudo_r2_of_a_known_table_is_exact() -> None:
    # Two groups: 30 of 40 and 10 of 40.
    x = np.repeat([1.0, 0.0], 40)[:, None]
    y = np.concatenate([np.repeat([True, False], [30, 10]), np.repeat([True, False], [10, 30])])
    expected = 1 - (0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / np.log(0.5)
    assert pseudo_r2(x, y) == pytest.approx(expected, abs=1e-7)


@given(st.integers(0, 10_000), st.integers(20, 80), st.integers(1, 4))
def test_pseudo_r2_is_in_0_to_1_and_grows_with_columns(
    seed: int, people: int, columns: int
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(people, columns))
    y = rng.random(people) < 1 / (1 + np.exp(-x[:, 0]))
    explained = pseudo_r2(x, y)
    assert 0 <= explained <= 1
    assert pseudo_r2(np.column_stack([x, rng.normal(size=people)]), y) >= explained - 1e-4


@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-50, 50))
def test_pseudo_r2_does_not_depend_on_units(seed: int, scale: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 2))
    y = rng.random(60) < 1 / (1 + np.exp(-x.sum(axis=1)))
    assert pseudo_r2(x * scale + shift, y) == pytest.approx(pseudo_r2(x, y), abs=1e-5)


@given(st.booleans())
def test_pseudo_r2_is_zero_for_a_constant_outcome(leaves: bool) -> None:  # noqa: FBT001
    assert pseudo_r2(np.arange(10.0)[:, None], np.full(10, leaves)) == 0


def test_separation_and_repeated_columns_are_fitted() -> None:
    x = np.repeat([0.0, 1.0], 20)
    assert 0.99 < pseudo_r2(np.column_stack([x, x, np.ones(40)]), x > 0.5) <= 1


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="people"):
        pseudo_r2(np.zeros((3, 1)), np.zeros(4, bool))


@given(st.lists(numbers, min_size=2, max_size=20), st.floats(-100, 100))
def test_an_interval_shifts_with_its_values(values: list[float], shift: float) -> None:
    result, moved = interval(values), interval(np.array(values) + shift)
    assert result.low <= result.mean <= result.high
    assert moved.mean == pytest.approx(result.mean + shift, abs=1e-6)
    assert moved.high - moved.low == pytest.approx(result.high - result.low, abs=1e-4)


@given(st.lists(numbers, min_size=2, max_size=20))
def test_an_arm_does_not_differ_from_itself(values: list[float]) -> None:
    assert paired_difference(values, values).mean == 0
    assert not paired_difference(values, values).excludes(0)


@given(st.lists(numbers, min_size=2, max_size=20))
def test_more_confidence_widens_the_interval(values: list[float]) -> None:
    narrow, wide = interval(values, confidence=0.8), interval(values, confidence=0.99)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high
