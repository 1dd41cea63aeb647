"""Experience effects: weights by age, averages, blends and valences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memopolis.agents.economy.experience import (
    accumulate_experience,
    average_experience,
    blend_expectation,
    decode_change,
    encode_change,
    find_range,
    weigh_experience,
)

SHAPE = (3, 4)
# Products of subnormal numbers have few digits.
SHARES = arrays(np.float64, SHAPE, elements=st.floats(0, 1, allow_subnormal=False))
VALENCES = arrays(np.float64, SHAPE, elements=st.floats(-1, 1))


def test_recent_experience_weighs_more_and_old_experience_nothing() -> None:
    weight = weigh_experience([0, 6, 12, 24, 30], span=24, curvature=1.5)
    assert weight.tolist() == pytest.approx([1, 0.75**1.5, 0.5**1.5, 0, 0])


def test_without_curvature_all_experience_within_the_span_weighs_the_same() -> None:
    assert weigh_experience([0, 5, 9, 10], span=10, curvature=0).tolist() == [1, 1, 1, 0]


@given(VALENCES, SHARES)
def test_an_average_lies_between_the_experiences_that_count(
    value: np.ndarray, weight: np.ndarray
) -> None:
    mean = average_experience(value, weight, neutral=np.nan)
    low, high = find_range(value, weight > 0)
    some = ~np.isnan(low)
    assert (np.isnan(mean) == ~some).all()
    assert (mean[some] >= low[some] - 1e-9).all()
    assert (mean[some] <= high[some] + 1e-9).all()


def test_without_experience_the_average_is_neutral() -> None:
    nothing = np.zeros((2, 3))
    assert average_experience(nothing, nothing, np.array([1.0, 2.0])).tolist() == [1, 2]
    assert average_experience(np.zeros((2, 0)), np.zeros((2, 0))).tolist() == [0, 0]


@given(VALENCES, SHARES, SHARES)
def test_accumulated_experience_is_bounded_and_separates_good_from_bad(
    valence: np.ndarray, importance: np.ndarray, weight: np.ndarray
) -> None:
    good, bad = accumulate_experience(valence, importance, weight)
    assert ((good >= 0) & (good < 1) & (bad >= 0) & (bad < 1)).all()
    mirrored = accumulate_experience(-valence, importance, weight)
    assert np.array_equal(good, mirrored[1])
    assert np.array_equal(bad, mirrored[0])


@given(st.floats(-0.5, 0.5))
def test_a_change_can_be_read_back_from_its_valence(change: float) -> None:
    assert decode_change(encode_change(change, scale=0.5), scale=0.5) == pytest.approx(change)


def test_changes_beyond_the_scale_are_clipped() -> None:
    assert encode_change([-3, 3], scale=0.5).tolist() == [-1, 1]


def test_an_expectation_is_between_the_present_and_experience() -> None:
    now, past = np.array([4.0]), np.array([2.0])
    assert [blend_expectation(now, past, share=s)[0] for s in (0, 0.5, 1)] == [4, 3, 2]
