"""Consumption, by numbers worked out by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.economy.consumption import (
    adapt_usual_income,
    buffer_spending,
    econagent_share,
    expect_income,
    poverty_line,
    shortfall,
    spending_share,
    split_budget,
    substitute_over_time,
)


def f(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, np.float64)


def cents(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


def test_the_poverty_line_grows_with_people_and_prices() -> None:
    # 12,490 and 4,420 USD a year: three people 21,330 / 12 = 1,777.50 USD a month
    np.testing.assert_allclose(poverty_line(cents(1, 3)), [104083.333, 177750], rtol=1e-6)
    np.testing.assert_allclose(poverty_line(cents(1), 1.1), [114491.667], rtol=1e-6)


def test_usual_income_adapts_by_half_after_the_half_life() -> None:
    usual = f(1000)
    for _ in range(36):
        usual = np.asarray(adapt_usual_income(usual, f(2000), half_life=36, growth=1.0))
    assert usual[0] == pytest.approx(1500)


def test_usual_income_keeps_its_value_when_prices_rise() -> None:
    assert adapt_usual_income(f(1000), f(1100), half_life=12, growth=1.1)[0] == pytest.approx(1100)


def spend(income: float, money: float, *, buffer: float = 2.0, expected: float = 2000.0) -> float:
    arrays = (f(income), f(expected), f(money))
    return float(buffer_spending(*arrays, buffer=f(buffer), mpc=0.4, liquid=1.0)[0])


def test_spending_is_a_concave_function_of_liquid_wealth() -> None:
    # Wealth of (5000 + 3000 - 2000) / 2000 = 3 months: 2000 (1 + 0.4 (log 4 - log 3))
    assert spend(3000, 5000) == pytest.approx(2000 * (1 + 0.4 * np.log(4 / 3)))
    # Without money, a loss of 500 reduces spending by the whole propensity: 0.4 * 500
    assert spend(2000, 0) - spend(1500, 0) == pytest.approx(200)
    assert spend(0, 0, buffer=30) == 0


def test_a_household_with_its_target_buffer_spends_its_expected_income() -> None:
    assert spend(2000, 4000) == pytest.approx(2000)
    assert spend(2000, 1000, buffer=0.5) == pytest.approx(2000)


@given(st.floats(0, 20), st.floats(0.1, 5))
def test_who_has_less_money_spends_more_of_a_payment(months: float, more: float) -> None:
    poor, rich = (
        spend(2000 + 100, 2000 * wealth) - spend(2000, 2000 * wealth)
        for wealth in (months, months + more)
    )
    assert 0 < rich < poor <= 40 + 1e-6


def test_spending_falls_by_less_than_income_if_there_is_money() -> None:
    assert 0 < 2000 - spend(1000, 4000) < 500


def test_recalled_rises_of_pay_raise_expected_income() -> None:
    expected = expect_income(f(1000, 1000, 1000), f(1, 0, -1), outlook=0.1)
    np.testing.assert_allclose(expected, 1000 * np.exp([0.1, 0, -0.1]))


def test_the_spending_share_covers_needs_first_and_is_at_most_one() -> None:
    share = spending_share(f(500, 50, 900, 100), f(100, 100, 100, 100), f(1000, 200, 300, 0))
    np.testing.assert_allclose(share, [0.5, 0.5, 1, 0])


def test_a_demand_shock_changes_desired_spending_but_not_needs() -> None:
    share = spending_share(f(500, 100), f(100, 100), f(1000, 1000), 0.5)
    np.testing.assert_allclose(share, [0.25, 0.1])


def test_the_shortfall_is_in_whole_cents() -> None:
    assert shortfall(f(100.4, 50), f(30, 60)).tolist() == [71, 0]


BASIC = {"food": 0.2, "housing": 0.5, "other": 0.3}
MORE = {"food": 0.1, "housing": 0.2, "other": 0.7}
LUXURY = {"food": 0.0, "housing": 0.5, "other": 0.5}


def split(*budget: int) -> dict[str, Any]:
    limits = (np.full(len(budget), 1000.0), np.full(len(budget), 2000.0))
    return split_budget(cents(*budget), limits, (BASIC, MORE, LUXURY))


def test_a_budget_is_split_by_the_shares_of_its_range() -> None:
    spent = split(500, 1500, 3001)
    # food: 100; 200 + 50; 200 + 100 + 0.  housing: 250; 500 + 100; 500 + 200 + 500.5
    assert spent["food"].tolist() == [100, 250, 300]
    assert spent["housing"].tolist() == [250, 600, 1200]
    assert spent["other"].tolist() == [150, 650, 1501]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=5))
def test_split_budgets_add_up_to_the_cent(budget: list[int]) -> None:
    spent = split(*budget)
    assert sum(spent.values()).tolist() == budget
    assert all((one >= 0).all() for one in spent.values())


def test_low_budgets_have_a_higher_share_of_basics() -> None:
    budgets = np.arange(1000, 9000, 500)
    spent = split(*budgets.tolist())
    share = (spent["food"] + spent["other"] * 0) / budgets
    assert (np.diff(share) <= 1e-9).all()
    assert share[0] > 2 * share[-1]


def test_only_those_with_wealth_postpone_spending() -> None:
    rules = {"elasticity": 0.4, "persistence": 1 - 1 / 24, "liquid": 1.0}  # for two years
    spent = substitute_over_time(f(100, 100, 100, 100), f(-1, 0, 1, 1e9), f(0.01), **rules)
    np.testing.assert_allclose(spent, [100, 100, 100 * np.exp(-0.004), 100 * np.exp(-0.008)])
    dearer = substitute_over_time(f(100), f(1), f(-0.01), **rules)
    np.testing.assert_allclose(dearer, [100 * np.exp(0.004)])


def test_the_published_spending_rule_accepts_zero_means() -> None:
    # (25 / 1025)^0.1 = 0.68976 -> 0.68 or 0.70 on the grid of 0.02: 34.49 steps -> 34
    share = econagent_share(25, f(1000, 0, 10, -50), f(25, 0, 0, 0))
    np.testing.assert_allclose(share, [0.68, 1, 1, 1], rtol=1e-6)
