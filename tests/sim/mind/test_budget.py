"""Budgets: charged in order, before anything is sent."""

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.budget import Budget


def test_calls_are_charged_in_order_until_the_budget_is_reached() -> None:
    budget = Budget(tokens=100)
    assert budget.charge([40, 50, 20, 5]) == 2  # the fourth would fit, but the third did not
    assert (budget.tokens_charged, budget.calls_charged, budget.reached) == (90, 2, True)


def test_no_call_is_sent_after_the_limit() -> None:
    budget = Budget(tokens=100)
    budget.charge([101])
    assert budget.charge([1]) == 0


def test_a_budget_of_calls_counts_calls() -> None:
    budget = Budget(calls=3)
    assert budget.charge([10, 10]) == 2
    assert not budget.reached
    assert budget.charge([10, 10]) == 1
    assert budget.reached


def test_all_calls_are_sent_without_limits() -> None:
    assert Budget().charge([10**9] * 5) == 5


def test_a_call_that_fits_exactly_is_sent() -> None:
    budget = Budget(tokens=10)
    assert budget.charge([10]) == 1
    assert not budget.reached


def test_a_restored_budget_continues() -> None:
    budget, other = Budget(tokens=100), Budget(tokens=100)
    budget.charge([70])
    other.restore(budget.state())
    assert other.charge([40]) == 0


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ParameterError, match="-1 calls"):
        Budget(calls=-1)
