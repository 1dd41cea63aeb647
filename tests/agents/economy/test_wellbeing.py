"""Strain, needs and satisfaction, by numbers worked out by hand."""

import numpy as np
import pytest

from memopolis.agents.economy.wellbeing import (
    adapt_level,
    compute_company,
    compute_rest,
    compute_salience,
    compute_strain,
    life_satisfaction,
)


def f(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, np.float64)


def test_strain_is_the_unmet_share_of_needs() -> None:
    assert compute_strain(f(750, 1000, 2000, 0), f(1000, 1000, 1000, 1000)).tolist() == [
        0.25,
        0,
        0,
        1,
    ]


def test_salience_rises_with_the_change_up_to_a_maximum() -> None:
    weight = compute_salience(f(0, 0.2, -0.2, 100), scale=0.2, most=0.6)
    np.testing.assert_allclose(weight, [0, 0.379272, 0.379272, 0.6], rtol=1e-5)


def test_reference_levels_adapt_and_new_agents_start_at_the_current_level() -> None:
    level = adapt_level(f(0, np.nan), f(1, 5), half_life=1)
    assert level.tolist() == [0.5, 5]


def rated(log_income: float, used_to: float, *, unemployed: bool = False, mood: float = 0) -> float:
    value = life_satisfaction(
        f(6), f(log_income), f(used_to), f(mood), np.array([unemployed]),
        level=0.3, change=1.0, feelings=0.2, jobless=0.7,
    )  # fmt: skip
    return float(value[0])


def test_satisfaction_is_the_sum_of_its_terms() -> None:
    # 6 + 0.3 * 1 + 1 * 0.5 + 0.2 * 2 - 0.7
    assert rated(1.5, 1.0, unemployed=True, mood=2) == pytest.approx(6.5)
    assert rated(100, 0) == 10


def test_most_of_an_income_gain_fades_with_adaptation() -> None:
    before, just, after = rated(1, 1), rated(1.5, 1), rated(1.5, 1.5)
    assert just - before == pytest.approx(0.5, abs=1e-5)
    assert after - before == pytest.approx(0.15, abs=1e-5)


def test_work_and_strain_reduce_rest() -> None:
    # 0.85 - 0.25 * 30 / 60; less 0.6 * 0.5; never below 0
    level = compute_rest(
        f(30, 30, 60), f(0, 0.5, 1), f(0, 0, -0.3), start=0.85, by_hours=0.25, by_strain=0.6
    )
    np.testing.assert_allclose(level, [0.725, 0.425, 0], atol=1e-6)


def test_other_members_and_work_provide_company() -> None:
    # 0.5; + 0.3 * 1/2; + 0.3 * 3/4 + 0.1
    level = compute_company(
        f(0, 1, 3), np.array([False, False, True]), f(0, 0, 0),
        start=0.5, by_others=0.3, by_work=0.1,
    )  # fmt: skip
    np.testing.assert_allclose(level, [0.5, 0.65, 0.825], rtol=1e-6)
