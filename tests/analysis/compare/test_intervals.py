import math

import numpy as np
import pytest
from scipy.stats import norm

from memopolis.analysis.compare.intervals import (
    bootstrap_interval,
    effect_size,
    interval,
    paired_difference,
    superiority,
)
from memopolis.sim.errors import ParameterError


def test_the_interval_of_a_textbook_sample() -> None:
    # t(9, 0.975) = 2.262157
    result = interval(np.arange(10.0))
    half = 2.262157 * np.arange(10.0).std(ddof=1) / np.sqrt(10)
    assert result.mean == 4.5
    assert (result.low, result.high) == pytest.approx((4.5 - half, 4.5 + half), rel=1e-6)


def test_a_single_seed_has_no_interval() -> None:
    result = interval([3.0])
    assert result.mean == 3.0
    assert np.isnan(result.low)
    assert not result.excludes(0)


def test_missing_values_are_left_out() -> None:
    assert interval([1.0, float("nan"), 3.0]).seeds == 2
    assert interval([float("nan")]).seeds == 0


def test_variation_shared_by_arms_cancels() -> None:
    noise = np.random.default_rng(1).normal(0, 100, 8)
    result = paired_difference((noise + 1).tolist(), noise.tolist())
    assert result.mean == pytest.approx(1)
    assert result.excludes(0)
    assert not result.excludes(1 + 1e-12) or result.high - result.low < 1e-9


def test_unequal_arms_are_refused() -> None:
    with pytest.raises(ParameterError, match="2 and 1"):
        paired_difference([1.0, 2.0], [1.0])
    with pytest.raises(ParameterError, match="confidence"):
        interval([1.0], confidence=1.0)


# Student 1908: additional hours of sleep of ten patients by two drugs; the first published pairs.
DEXTRO = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
LAEVO = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)


def test_the_effect_size_of_published_pairs_is_reproduced() -> None:
    # Mean 1.58, sd 1.22996, t = 4.0621 on 9 degrees of freedom, so d_z = t / sqrt(10) = 1.28456.
    # Hedges 1981: J(9) = G(4.5) / (sqrt(4.5) G(4)) = 11.6317 / (2.12132 x 6) = 0.91388.
    assert effect_size(LAEVO, DEXTRO) == pytest.approx(1.28456 * 0.91388, rel=1e-4)
    assert effect_size(DEXTRO, LAEVO) == -effect_size(LAEVO, DEXTRO)
    # Nine of ten slept longer with the second drug, and one the same.
    assert superiority(LAEVO, DEXTRO) == 0.95
    assert superiority(DEXTRO, LAEVO) == pytest.approx(0.05)


@pytest.mark.parametrize(("seeds", "factor"), [(3, 0.56419), (5, 0.79788), (11, 0.92275)])
def test_effect_sizes_are_corrected_for_few_seeds(seeds: int, factor: float) -> None:
    # J(m) = G(m / 2) / (sqrt(m / 2) G((m - 1) / 2)), by hand: 1 / sqrt(pi) for m = 2,
    # 1 / (sqrt(2) 0.886227) for 4, 24 / (sqrt(5) 11.6317) for 10.
    values = np.arange(seeds, dtype=float)
    plain = values.mean() / values.std(ddof=1)
    assert effect_size(values, np.zeros(seeds)) / plain == pytest.approx(factor, abs=1e-5)


def test_effect_sizes_of_degenerate_samples() -> None:
    assert effect_size([1.0, 2.0, 3.0], [0.5, 1.5, 2.5]) == math.inf
    assert effect_size([0.0, 1.0, 2.0], [0.1, 1.1, 2.1]) == -math.inf
    assert effect_size([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) == 0
    assert math.isnan(effect_size([1.0, 2.0], [0.0, 3.0]))
    assert superiority([1.0, 2.0], [1.0, 2.0]) == 0.5
    assert math.isnan(superiority([float("nan")], [1.0]))
    with pytest.raises(ParameterError, match="2 and 1"):
        effect_size([1.0, 2.0], [1.0])


def test_a_bootstrap_interval_equals_a_hand_calculation() -> None:
    # BCa from its definition (Efron 1987): the percentiles are shifted by the bias z0 and the
    # acceleration a of the jackknife; here with draws of our own.
    apart = np.subtract(LAEVO, DEXTRO)
    drawn = np.random.default_rng(7).choice(apart, (200_000, 10)).mean(axis=1)
    z0 = norm.ppf((drawn < apart.mean()).mean() + (drawn == apart.mean()).mean() / 2)
    without = np.array([np.delete(apart, i).mean() for i in range(10)])
    pulled = without.mean() - without
    a = (pulled**3).sum() / (6 * (pulled**2).sum() ** 1.5)
    ends = [norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in norm.ppf([0.025, 0.975])]
    result = bootstrap_interval(apart)
    assert result.mean == pytest.approx(1.58)
    assert (result.low, result.high) == pytest.approx(np.quantile(drawn, ends), abs=0.04)


def test_a_bootstrap_is_deterministic() -> None:
    first, again = (bootstrap_interval(LAEVO, resamples=500) for _ in range(2))
    assert first == again
    assert bootstrap_interval(LAEVO, resamples=500, seed=2) != first
    narrow = bootstrap_interval(LAEVO, confidence=0.5)
    assert first.low < narrow.low < narrow.high < first.high


def test_a_bootstrap_of_an_empty_sample_is_missing() -> None:
    assert bootstrap_interval([2.0, 2.0, 2.0]).low == 2.0
    assert math.isnan(bootstrap_interval([2.0]).low)
    assert bootstrap_interval([1.0, float("nan"), 3.0]).seeds == 2
    with pytest.raises(ParameterError, match="confidence"):
        bootstrap_interval([1.0, 2.0], confidence=95)
    with pytest.raises(ParameterError, match="resamples"):
        bootstrap_interval([1.0, 2.0], resamples=0)
