"""Reviews of benefits: direction and bounds."""

import numpy as np
import pytest

from memopolis.agents.economy.policy import adjust_support, weigh_review
from memopolis.sim.errors import ParameterError


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


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="threshold is -1"):
        weigh_review(0, 0, threshold=-1)
    with pytest.raises(ParameterError, match="bound is 2"):
        adjust_support(1, 1, step=0.1, bound=2)
