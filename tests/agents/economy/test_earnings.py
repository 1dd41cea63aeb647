"""Earnings over a life and within a year, by numbers worked out by hand."""

from datetime import date

import numpy as np
import pytest

from memopolis.agents.economy.earnings import (
    FIRST_AGE,
    LAST_AGE,
    career,
    choose_pay_period,
    month_factor,
    payday_factor,
    review_wage,
)


def test_careers_rise_fast_at_first_and_end_to_rise_at_fifty() -> None:
    ages = np.arange(FIRST_AGE, LAST_AGE + 1)
    assert career(ages).mean() == pytest.approx(0, abs=1e-12)
    assert career(40) - career(20) == pytest.approx(0.48)
    assert career(ages).argmax() == 50 - FIRST_AGE
    assert career(15) == career(FIRST_AGE)


def test_wages_follow_the_career_without_shocks() -> None:
    now = review_wage(20.0, 31, 0.0, variance=0.0, mean=3.0, spread=0.7)
    assert now == pytest.approx(20 * np.exp(0.0006 * (20**2 - 19**2)))


def test_shocks_keep_inequality_constant_and_last_for_years() -> None:
    draws = np.random.default_rng(1).normal(size=(21, 20_000))
    wages = np.exp(3.0 + 0.7 * draws[0])
    first = np.log(wages)
    for draw in draws[1:]:
        wages = review_wage(wages, 70, draw, variance=0.02, mean=3.0, spread=0.7)
    log_wages = np.log(wages)
    assert log_wages.std() - first.std() == pytest.approx(0, abs=0.02)
    # sqrt(1 - 0.02 / 0.49) ** 20 = 0.66
    assert np.corrcoef(first, log_wages)[0, 1] == pytest.approx(0.66, abs=0.02)


def test_a_years_pay_has_the_variance_of_its_months() -> None:
    months = month_factor(np.random.default_rng(1).normal(size=(40_000, 12)), variance=0.01)
    assert months.mean() == pytest.approx(1, abs=0.01)
    assert np.log(months).var() == pytest.approx(0.12, rel=0.02)
    assert np.log(months.mean(axis=1)).var() == pytest.approx(0.0105, rel=0.1)


def test_paydays_are_those_of_the_calendar() -> None:
    # Fridays of March 2019: 1, 8, 15, 22 and 29; of February: 1, 8, 15 and 22.
    friday = (date(2019, 3, 1).toordinal() % 7) / 7
    firsts = [date(2019, month, 1) for month in (2, 3, 4)]
    weekly, monthly = np.array(
        [
            payday_factor(np.array([7, 0]), friday + 1e-9, *firsts[month : month + 2])
            for month in (0, 1)
        ]
    ).T
    np.testing.assert_allclose(weekly * 365.25 / 12, [28, 35])
    assert monthly.tolist() == [1, 1]


def test_a_year_has_all_paydays() -> None:
    phase = np.linspace(0, 0.999, 50)
    firsts = [date(2019 + month // 12, month % 12 + 1, 1) for month in range(121)]
    total = sum(
        payday_factor(np.full(50, 14), phase, *firsts[month : month + 2]) for month in range(120)
    )
    np.testing.assert_allclose(np.asarray(total), 120, atol=0.5)


def test_pay_periods_have_their_shares() -> None:
    period = choose_pay_period((np.arange(1_000) + 0.5) / 1_000)
    shares = [np.mean(period == days) for days in (7, 14, 0)]
    np.testing.assert_allclose(shares, [0.33, 0.43, 0.24], atol=0.002)
