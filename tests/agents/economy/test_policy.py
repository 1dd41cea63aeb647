"""Reviews of benefits, the interest rate, and interest in whole cents."""

import numpy as np
import pytest

from memopolis.agents.economy.policy import (
    adjust_support,
    monthly_interest,
    policy_rate,
    weigh_review,
)


def test_benefits_follow_the_need_minus_the_strain_on_the_budget() -> None:
    need, strain = np.array([0.5, 0.5, -0.5, 0.05]), np.array([0.0, 0.5, 0.0, 0.0])
    assert weigh_review(need, strain, threshold=0.1).tolist() == [1, 0, -1, 0]


def test_the_factor_moves_by_steps_within_its_bounds() -> None:
    support = np.array([1.0])
    seen = []
    for sign in (1, 1, 1, -1, 0):
        support = adjust_support(support, sign, step=0.05, bound=0.1)
        seen.append(float(support[0]))
    assert seen == pytest.approx([1.05, 1.1, 1.1, 1.05, 1.05])


def test_a_bound_of_zero_switches_reviews_off() -> None:
    assert adjust_support([1.0], [1], step=0.05, bound=0).tolist() == [1]


@pytest.mark.parametrize(
    ("inflation", "unemployment", "rate"),
    [(0.02, 0.04, 0.03), (0.03, 0.04, 0.035), (0.02, 0.10, 0.0), (0.06, 0.03, 0.055)],
)
def test_the_policy_rate_uses_fractions(inflation: float, unemployment: float, rate: float) -> None:
    # In percent, 3 % inflation would give a rate of 152 %.
    assert policy_rate(inflation, unemployment) == pytest.approx(rate)


def test_monthly_interest_is_a_twelfth_in_whole_cents() -> None:
    assert monthly_interest([120_000, 100, 0], 0.03).tolist() == [300, 0, 0]
