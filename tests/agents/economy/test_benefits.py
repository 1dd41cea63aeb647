"""Transfers and the surtax, worked out by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.economy.benefits import (
    adapt_insured,
    implied_max_benefit,
    max_snap,
    means_tested_benefit,
    surtax_rate,
    unemployment_benefit,
)


def test_benefits_are_based_on_the_mean_pay_of_months_with_pay() -> None:
    insured = adapt_insured([0, 300_000, 300_000], [240_000, 360_000, 0])
    assert insured.tolist() == [240_000, 310_000, 300_000]


def test_food_stamps_rise_with_the_size_of_the_household() -> None:
    assert max_snap(np.array([1, 4, 8, 10])).tolist() == [19_200, 64_200, 115_500, 144_300]


def test_assistance_falls_with_income_above_the_disregard_to_zero() -> None:
    income = np.array([0, 25_000, 35_000, 200_000])
    result = means_tested_benefit(np.full(4, 50_000), income, disregard=25_000, phase_out=0.35)
    assert result.tolist() == [50_000, 50_000, 46_500, 0]


@given(st.integers(1, 10**6), st.integers(0, 10**7))
def test_the_implied_maximum_reproduces_the_observed_benefit(received: int, income: int) -> None:
    most = implied_max_benefit(received, income, disregard=25_000, phase_out=0.35)
    assert means_tested_benefit(most, income, disregard=25_000, phase_out=0.35) == received


def test_unemployment_benefits_have_a_maximum_and_a_time_limit() -> None:
    result = unemployment_benefit(
        np.array([200_000, 1_000_000, 200_000, 0]),
        np.array([0, 5, 6, 1]),
        replacement=0.45,
        most=200_000,
        months=6,
    )
    assert result.tolist() == [90_000, 200_000, 0, 0]


def test_the_surtax_covers_the_cost_up_to_the_maximum_rate() -> None:
    assert surtax_rate(36, 100, most=0.6) == 0.36
    assert surtax_rate(90, 100, most=0.6) == 0.6
    assert surtax_rate(-5, 100, most=0.6) == 0.0
    assert surtax_rate(5, 0, most=0.6) == 0.0
