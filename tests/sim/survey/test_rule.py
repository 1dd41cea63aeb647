"""The equations of answers, by numbers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.survey.rule import (
    bearing,
    best_option,
    mean_valence,
    on_scale,
    option_at,
    share_of,
)


def f(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, np.float32)


def test_a_status_is_mapped_linearly_to_the_scale() -> None:
    assert share_of(f(4, 5, 7.5, 10), least=5, most=10).tolist() == [0, 0, 0.5, 1]


def test_the_scale_may_be_descending() -> None:
    assert share_of(f(0.5, 0.4, 0.1, 0), least=0.4, most=0).tolist() == pytest.approx(
        [0, 0, 0.75, 1]
    )


def test_ratings_are_rounded_half_up() -> None:
    result = f(-1, 0.49, 0.5, 1.5, 2.4, 9)
    assert on_scale(result, low=0, high=3, step=1).tolist() == [0, 0, 1, 2, 2, 3]


def test_rating_steps_start_at_the_minimum() -> None:
    assert on_scale(f(1.2, 2.1, 6.9), low=1, high=7, step=2).tolist() == [1, 3, 7]


def test_a_step_of_zero_allows_any_number() -> None:
    assert on_scale(f(1.23, 11), low=0, high=10, step=0).tolist() == pytest.approx([1.23, 10])


def test_a_missing_answer_stays_missing() -> None:
    assert np.isnan(on_scale(f(np.nan), low=0, high=3, step=1)).all()


def test_options_divide_the_range_equally() -> None:
    assert option_at(f(0, 0.33, 0.34, 0.67, 1), 3).tolist() == [0, 0, 1, 2, 2]


def test_irrelevant_memories_are_ignored() -> None:
    assert bearing(f(0.24, 0.25, 1)).tolist() == [0, 0.25, 1]


def test_valence_is_averaged_by_weight() -> None:
    weight, valence = (
        np.array([[3, 1], [0, 0]], np.float32),
        np.array([[-1, 1], [1, 1]], np.float32),
    )
    assert mean_valence(weight, valence).tolist() == [-0.5, 0]


def test_the_option_with_the_most_memories_wins() -> None:
    assert best_option(np.array([[0.2, 0.9, 0.3], [0.5, 0.5, 0]], np.float32)).tolist() == [1, 0]


@given(
    st.floats(-20, 20, width=32), st.floats(-5, 5), st.floats(0.5, 9), st.sampled_from([0, 0.5, 1])
)
def test_a_rating_is_always_on_its_scale(
    value: float, low: float, width: float, step: float
) -> None:
    (rating,) = on_scale(f(value), low=low, high=low + width, step=step).astype(np.float64)
    assert low - 1e-5 <= rating <= low + width + 1e-5
