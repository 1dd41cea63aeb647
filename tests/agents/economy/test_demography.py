"""Rates of births and deaths."""

import numpy as np
import pytest

from memopolis.agents.economy.demography import (
    birth_rate,
    compute_pension,
    death_rate,
    monthly_probability,
    retirement_probability,
)


def life_expectancy(*, female: bool) -> float:
    age = np.arange(0, 111)
    alive = np.cumprod(np.exp(-death_rate(age + 0.5, np.full(111, female))))
    return float(alive.sum() + 0.5)


def test_life_expectancy_is_that_of_2019_and_longer_for_women() -> None:
    # 76.3 and 81.4 years at birth (recalled: National Vital Statistics, 2019).
    assert life_expectancy(female=False) == pytest.approx(76.3, abs=1.2)
    assert life_expectancy(female=True) == pytest.approx(81.4, abs=1.2)


def test_death_rates_at_the_ages_of_the_table_and_between() -> None:
    assert death_rate([70, 70], [True, False]) == pytest.approx([0.0142, 0.0216])
    assert death_rate([55], [True]) == pytest.approx([np.sqrt(0.00304 * 0.0067)])
    assert death_rate([110], [True]).max() <= 0.8


def test_only_women_from_18_to_44_have_children() -> None:
    ages = np.array([17, 18, 25, 44, 45, 30])
    female = np.array([True, True, True, True, True, False])
    assert birth_rate(ages, female) == pytest.approx([0, 0.025, 0.0937, 0.012, 0, 0])
    # Children of a woman in all: 1.7 in 2019 (recalled), here without those before 18.
    assert birth_rate(np.arange(111), np.ones(111, np.bool_)).sum() == pytest.approx(1.67, abs=0.05)


def test_no_agent_retires_before_62() -> None:
    assert retirement_probability([61, 62, 64, 90]).tolist() == [0.0, 0.12, 0.06, 0.2]


def test_pensions_follow_wages_within_limits() -> None:
    assert compute_pension([0, 400_000, 2_000_000]).tolist() == [60_000, 160_000, 286_100]


def test_monthly_probabilities_compound_to_the_yearly_rate() -> None:
    assert 1 - (1 - monthly_probability(0.3)) ** 12 == pytest.approx(1 - np.exp(-0.3))
