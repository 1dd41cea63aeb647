"""How firms expect, make, price, hire and pay, against numbers worked out by hand."""

import numpy as np
import pytest

from memopolis.agents.economy.firms import (
    HOURS_RANGE,
    adapt_expected_sales,
    adapt_hours,
    adapt_staff,
    advance_shock,
    change_price,
    choose_price_change,
    choose_wage_change,
    compute_labour,
    plan_output,
    produce,
    select_workers,
    sum_previous,
)


def test_expected_sales_adopt_a_share_of_the_error() -> None:
    assert adapt_expected_sales([100, 100], [140, 60], weight=0.25).tolist() == [110, 90]


def test_output_covers_sales_and_a_share_of_the_stock_gap() -> None:
    # Wanted stock is 50: a gap of 30, none, and 350 too many.
    output = plan_output([100, 100, 100], [20, 50, 400], target=0.5, pace=0.5)
    assert output.tolist() == [115, 100, 0]


def test_monthly_labour_is_hours_times_weeks_times_skill() -> None:
    assert compute_labour([7, 0], [10, 99]).tolist() == [300, 0]


def test_a_shock_decays_with_constant_variance() -> None:
    halved = advance_shock(np.array([0.1]), np.zeros(1), persistence=0.5, deviation=1.0)
    assert halved.tolist() == [0.05]
    level, seen = np.zeros(3), []
    for draw in np.random.default_rng(1).normal(size=(7_000, 3)):
        level = advance_shock(level, draw, persistence=0.9, deviation=0.02)
        seen.append(level)
    assert np.std(seen) == pytest.approx(0.02, rel=0.1)
    assert np.mean(seen) == pytest.approx(0, abs=0.002)


@pytest.mark.parametrize(("price", "sign"), [(0.9, 1), (0.99, 0), (1.0, 0), (1.015, 0), (1.1, -1)])
def test_prices_follow_costs_if_the_gap_exceeds_the_menu_cost(price: float, sign: int) -> None:
    assert choose_price_change([price], [1.0], menu=0.02).tolist() == [sign]


def test_a_changed_price_is_the_target() -> None:
    new = change_price([1.0, 1.0, 1.0], [1.1, 0.9, 1.1], [1, -1, 0], menu=0.02)
    assert new.tolist() == pytest.approx([1.1, 0.9, 1.0])
    # A mind that raises a price although costs are low raises it by the menu cost.
    assert change_price([1.0], [0.9], [1], menu=0.02).tolist() == pytest.approx([np.exp(0.02)])


def test_output_is_planned_output_up_to_capacity() -> None:
    assert produce([10, 100, 0], [80, 80, 80]).tolist() == [10, 80, 0]


def test_staff_adapts_gradually_and_new_firms_want_what_they_need() -> None:
    assert adapt_staff([100, 100, 0], [200, 50, 30], pace=0.2).tolist() == [120, 90, 30]


def test_hours_follow_the_labour_needed_within_limits() -> None:
    hours = adapt_hours([100, 104, 0, 900, 5], [100, 100, 100, 100, 0], elasticity=0.5)
    assert hours.tolist() == pytest.approx([1, 1.04**0.5, *HOURS_RANGE, 1])


def test_wage_offers_have_both_signs() -> None:
    assert choose_wage_change([2, 0, 0], [0, 5, 6], patience=6).tolist() == [1, 0, -1]


def test_firms_lay_off_surplus_workers_only() -> None:
    # Firm 0 has 25 too much: 10 and 10 go, of the third worker only 5 are too much, half.
    employer, work = [0, 0, 0, 0, 1], [10.0, 10, 10, 10, 10]
    result = select_workers(employer, work, [25, 4.9], [3, 1, 0, 2, 4])
    assert result.tolist() == [True, True, False, True, False]


def test_firms_hire_only_for_at_least_half_a_job() -> None:
    firm, work = [1, 1, 1, 0], [10.0, 10, 10, 10]
    assert select_workers(firm, work, [4.9, 14.0], [2, 0, 1, 3]).tolist() == [
        False,
        False,
        True,
        False,
    ]
    assert select_workers(firm, work, [5.0, 15.0], [2, 0, 1, 3]).tolist() == [
        True,
        False,
        True,
        True,
    ]


def test_running_sums_restart_with_each_group() -> None:
    assert sum_previous(np.array([0, 0, 2, 2]), np.array([1.0, 2, 3, 4])).tolist() == [0, 1, 0, 3]
    assert sum_previous(np.zeros(0, np.intp), np.zeros(0)).tolist() == []
