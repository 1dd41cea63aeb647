import numpy as np
import pytest

from memopolis.analysis.compare import interval, paired_difference
from memopolis.sim.errors import ParameterError


def test_the_interval_of_a_textbook_sample() -> None:
    # t(9, 0.975) = 2.262157
    found = interval(np.arange(10.0))
    half = 2.262157 * np.arange(10.0).std(ddof=1) / np.sqrt(10)
    assert found.mean == 4.5
    assert (found.low, found.high) == pytest.approx((4.5 - half, 4.5 + half), rel=1e-6)


def test_one_seed_has_no_interval() -> None:
    found = interval([3.0])
    assert found.mean == 3.0
    assert np.isnan(found.low)
    assert not found.excludes(0)


def test_seeds_without_a_number_are_left_out() -> None:
    assert interval([1.0, float("nan"), 3.0]).seeds == 2
    assert interval([float("nan")]).seeds == 0


def test_what_arms_share_cancels() -> None:
    luck = np.random.default_rng(1).normal(0, 100, 8)
    found = paired_difference((luck + 1).tolist(), luck.tolist())
    assert found.mean == pytest.approx(1)
    assert found.excludes(0)
    assert not found.excludes(1 + 1e-12) or found.high - found.low < 1e-9


def test_unequal_arms_are_refused() -> None:
    with pytest.raises(ParameterError, match="2 and 1"):
        paired_difference([1.0, 2.0], [1.0])
    with pytest.raises(ParameterError, match="confidence"):
        interval([1.0], confidence=1.0)
