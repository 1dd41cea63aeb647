"""Labour supply, by numbers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.agents.economy.labour_supply import (
    MAX_HOURS,
    application_probability,
    combine_margins,
    desired_hours,
    participation,
    relative_income,
    relative_wage,
    respond,
    weigh_tenure,
)
from memopolis.scenarios.ubi.firm_settings import LabourMarketSettings

type Floats = NDArray[np.float64]


def f(*values: float) -> Floats:
    return np.array(values, np.float64)


ELASTICITIES = {"substitution": 0.2, "income_effect": -0.1, "wish_effect": 0.01}


def hours_of(
    usual: Floats, wage: Floats, income: Floats, wish: Floats, **changed: float
) -> NDArray[np.float32]:
    return desired_hours(usual, respond(wage, income, wish, **{**ELASTICITIES, **changed}))


def test_search_finds_less_the_longer_it_lasts_and_the_fewer_vacancies_there_are() -> None:
    months = np.array([0, 3, 8])
    rules = {"first": 0.6, "matching": 0.5, "decline": 0.5}
    np.testing.assert_allclose(application_probability(months, 1.0, **rules), [0.6, 0.3, 0.2])
    np.testing.assert_allclose(application_probability(months, 0.25, **rules), [0.3, 0.15, 0.1])
    assert application_probability(months, 0.0, **rules).tolist() == [0, 0, 0]
    assert application_probability(months, 100.0, **rules).max() == 1


def test_search_lasts_as_long_as_in_the_united_states() -> None:
    # Of the unemployed, 36 % had searched for less than 5 weeks in February 2020, and 20 % for 27
    # weeks or more (BLS). The first month is that of the notice; in runs, about
    # this hazard follows from `contact`.
    settings = LabourMarketSettings()
    months = np.arange(1, 600)
    hazard = application_probability(
        months, 1.0, first=0.72, matching=settings.matching, decline=settings.search_decline
    )
    still = np.concatenate([[1], np.cumprod(1 - hazard)])
    assert still[0] / still.sum() == pytest.approx(0.34, abs=0.01)
    assert still[6:].sum() / still.sum() == pytest.approx(0.20, abs=0.01)


def test_people_leave_jobs_less_often_the_longer_they_stay() -> None:
    assert weigh_tenure(np.array([0, 36, 180])).tolist() == [1, 0.5, 0.25]


def test_hours_are_unchanged_without_incentives() -> None:
    hours = hours_of(f(40, 0), f(1, 1), f(1, 1), f(0, 0))
    np.testing.assert_allclose(hours, [40, 0])


def test_hours_follow_constant_elasticities() -> None:
    # A fall by 4.4 %, one by 4.0 %, and e to the power of 0.02.
    hours = hours_of(f(40, 40, 40), f(0.8, 1, 1), f(1, 1.5, 1), f(0, 0, 2))
    np.testing.assert_allclose(hours, [38.2541, 38.4106, 40.8081], rtol=1e-5)


def test_hours_have_a_maximum() -> None:
    assert hours_of(f(59), f(2), f(1), f(4)).tolist() == [MAX_HOURS]


@given(st.floats(1, 10), st.floats(1, 10))
def test_more_unearned_income_never_means_more_work(one: float, other: float) -> None:
    less, more = sorted((one, other))
    hours = hours_of(f(40, 40), f(1, 1), f(less, more), f(0, 0))
    share = participation(respond(f(1, 1), f(less, more), f(0, 0), **ELASTICITIES))
    assert hours[1] <= hours[0]
    assert share[1] <= share[0]


def test_participation_falls_with_income_and_is_at_most_one() -> None:
    share = participation(respond(f(1, 1, 2), f(1, 2, 1), f(0, 0, 0), **ELASTICITIES))
    np.testing.assert_allclose(share, [1, 2**-0.1, 1], rtol=1e-6)


def test_persons_with_inclination_above_the_share_stop_working() -> None:
    hours = combine_margins(f(40, 40, 40, 3), f(0.9, 0.9, 0.9, 1), f(0.5, 0.9, 0.95, 0), least=4)
    assert hours.tolist() == [40, 0, 0, 0]


def test_relative_wage_compares_with_the_initial_wage() -> None:
    # 22 against 20 gross, and 0.6 against 0.75 kept: 1.1 * 0.8
    ratio = relative_wage(
        f(22, 0, 20, 100), f(20, 20, 0, 20), f(0.6, 0.6, 0.75, 0.75), f(*[0.75] * 4)
    )
    np.testing.assert_allclose(ratio, [0.88, 0.8, 1, 2])


def test_relative_income_has_a_lower_bound_on_income() -> None:
    ratio = relative_income(f(1000, 1000, -3000, 0), f(4000, 0, 4000, 0), f(*[500] * 4))
    np.testing.assert_allclose(ratio, [1.25, 3, 0.5, 1])
