"""The equations, on a model whose posterior is known: a normal mean with a normal prior."""

import numpy as np
import pytest

from memopolis.analysis.calibration import smc
from memopolis.analysis.calibration.posterior import (
    Particles,
    coverage_table,
    find_covered,
    infer,
    resample,
)

SD = 0.5
OBSERVED = np.array([1.0])
MEAN, VARIANCE = 1.0 / (1 + SD**2), SD**2 / (1 + SD**2)
"""Posterior of a standard normal mean after one observation with standard deviation SD."""


def simulated(scores: smc.Array, rng: np.random.Generator) -> smc.Array:
    return scores[:, :1] + SD * rng.standard_normal((len(scores), 1))


def moments(particles: Particles) -> tuple[float, float]:
    mean = float(particles.weights @ particles.scores[:, 0])
    return mean, float(particles.weights @ (particles.scores[:, 0] - mean) ** 2)


def test_rejection_with_regression_finds_the_posterior() -> None:
    rng = np.random.default_rng(1)
    scores = rng.standard_normal((4_000, 2))
    summaries = simulated(scores, rng)
    scale = smc.summary_scale(summaries)
    inferred = infer(scores, summaries, np.ones(4_000), OBSERVED, kept=800, scale=scale)
    assert moments(inferred) == pytest.approx((MEAN, VARIANCE), abs=0.05)
    # The second parameter has no effect: its posterior is its prior.
    mean = inferred.weights @ inferred.scores[:, 1]
    assert mean == pytest.approx(0, abs=0.1)
    assert inferred.weights @ (inferred.scores[:, 1] - mean) ** 2 == pytest.approx(1, abs=0.15)


def test_a_second_generation_is_closer_and_has_the_same_posterior() -> None:
    rng = np.random.default_rng(2)
    first = rng.standard_normal((1_500, 1))
    summaries = simulated(first, rng)
    scale = smc.summary_scale(summaries)
    apart = smc.distances(summaries, OBSERVED, scale)
    rows = smc.nearest(apart, 300)
    mixture = smc.Mixture(1_500)
    covariance = smc.kernel_covariance(first[rows], np.ones(300))
    second = smc.propose(first[rows], np.ones(300), covariance, rng, 1_500)
    mixture.add(1_500, first[rows], np.ones(300), covariance)
    scores = np.vstack([first, second])
    both = np.vstack([summaries, simulated(second, rng)])
    weights = mixture.weights(scores)
    assert weights.max() <= 2
    assert weights.mean() == pytest.approx(1, abs=0.05)  # importance weights of a normal density
    assert smc.distances(both, OBSERVED, scale)[1_500:].mean() < apart.mean()
    inferred = infer(scores, both, weights, OBSERVED, kept=600, scale=scale)
    assert moments(inferred) == pytest.approx((MEAN, VARIANCE), abs=0.05)


def test_intervals_cover_the_truth_as_often_as_they_claim() -> None:
    rng = np.random.default_rng(3)
    scores = rng.standard_normal((600, 2))
    covered = find_covered(scores, simulated(scores, rng), kept=200, datasets=400)
    table = coverage_table(covered, ["mean", "idle"])
    assert table["passes"].all()
    assert (table["datasets"] == 400).all()


def test_intervals_of_few_particles_are_not_too_narrow() -> None:
    rng = np.random.default_rng(6)
    values, truth = rng.standard_normal((4_000, 40)), rng.standard_normal(4_000)
    ends = np.array([smc.quantiles(own, np.ones(40), [0.025, 0.975]) for own in values])
    assert ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean() == pytest.approx(0.95, abs=0.01)


def test_intervals_that_are_too_narrow_fail() -> None:
    rng = np.random.default_rng(4)
    narrow = rng.random((300, 1, 2)) < np.array([0.6, 0.8])
    table = coverage_table(narrow, ["mean"])
    assert not table["passes"].any()


def test_missing_summaries_are_never_accepted_and_are_no_data() -> None:
    rng = np.random.default_rng(5)
    scores = rng.standard_normal((100, 1))
    summaries = simulated(scores, rng)
    summaries[:10] = np.nan
    apart = smc.distances(summaries, OBSERVED, np.ones(1))
    assert np.isinf(apart[:10]).all()
    assert smc.nearest(apart, 100).min() >= 10
    assert len(find_covered(scores, summaries, kept=50, datasets=100)) == 90


def test_a_summary_that_never_varies_has_a_scale() -> None:
    assert smc.summary_scale(np.ones((10, 1))).tolist() == [1.0]
    mostly = np.array([[0.0]] * 9 + [[1.0]])
    assert smc.summary_scale(mostly) == pytest.approx([0.3])


def test_weighted_quantiles_follow_weights() -> None:
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.8, 0.1])
    assert smc.quantiles(values, weights, [0.4])[0] == 1.0
    equal = smc.quantiles(values, np.ones(3), [0.25, 0.5, 0.75])
    assert equal == pytest.approx([1.0, 2.0, 3.0])


def test_resampling_is_proportional_to_weights() -> None:
    particles = Particles(np.arange(3), np.zeros((3, 1)), np.array([0.5, 0.3, 0.2]))
    assert np.bincount(resample(particles, 100, 0.5)).tolist() == [50, 30, 20]
