"""The equations, on a model whose posterior is known: a normal mean with a normal prior."""

import numpy as np
import pytest

from memopolis.analysis.calibration.design import Array
from memopolis.analysis.calibration.report import coverage_table, quantiles
from memopolis.analysis.calibration.sampler import (
    Particles,
    distances,
    find_covered,
    importance_weights,
    infer,
    kernel_density,
    nearest,
    summary_scale,
)

SD = 0.5
OBSERVED = np.array([1.0])
MEAN, VARIANCE = 1.0 / (1 + SD**2), SD**2 / (1 + SD**2)
"""Posterior of a standard normal mean after one observation with standard deviation SD."""


def simulated(scores: Array, rng: np.random.Generator) -> Array:
    return scores[:, :1] + SD * rng.standard_normal((len(scores), 1))


def moments(particles: Particles) -> tuple[float, float]:
    mean = float(particles.weights @ particles.scores[:, 0])
    return mean, float(particles.weights @ (particles.scores[:, 0] - mean) ** 2)


def test_rejection_with_regression_finds_the_posterior() -> None:
    rng = np.random.default_rng(1)
    scores = rng.standard_normal((4_000, 2))
    summaries = simulated(scores, rng)
    deviations = (summaries - OBSERVED) / summary_scale(summaries)
    inferred = infer(scores, deviations, np.ones(4_000), kept=800)
    assert moments(inferred) == pytest.approx((MEAN, VARIANCE), abs=0.05)
    # The second parameter has no effect: its posterior is its prior.
    mean = inferred.weights @ inferred.scores[:, 1]
    assert mean == pytest.approx(0, abs=0.1)
    assert inferred.weights @ (inferred.scores[:, 1] - mean) ** 2 == pytest.approx(1, abs=0.15)


def test_a_second_generation_is_closer_and_has_the_same_posterior() -> None:
    rng = np.random.default_rng(2)
    first = rng.standard_normal((1_500, 1))
    summaries = simulated(first, rng)
    scale = summary_scale(summaries)
    apart = distances((summaries - OBSERVED) / scale)
    proposal = kernel_density(first[nearest(apart, 300)], np.ones(300))
    second = proposal.resample(1_500, seed=rng).T
    scores = np.vstack([first, second])
    deviations = (np.vstack([summaries, simulated(second, rng)]) - OBSERVED) / scale
    weights = importance_weights(scores, [proposal])
    assert weights.max() <= 2
    assert weights.mean() == pytest.approx(1, abs=0.05)  # importance weights of a normal density
    assert distances(deviations)[1_500:].mean() < apart.mean()
    inferred = infer(scores, deviations, weights, kept=600)
    assert moments(inferred) == pytest.approx((MEAN, VARIANCE), abs=0.05)


def test_a_proposal_perturbs_particles_with_twice_their_covariance() -> None:
    rng = np.random.default_rng(7)
    scores = rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], size=2_000)
    weights = np.where(scores[:, 0] > 0, 1.0, 0.0)
    drawn = kernel_density(scores, weights).resample(20_000, seed=rng).T
    accepted = scores[scores[:, 0] > 0]
    assert drawn.mean(axis=0) == pytest.approx(accepted.mean(axis=0), abs=0.05)
    assert np.cov(drawn.T) == pytest.approx(3 * np.cov(accepted.T), rel=0.1)


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
    ends = np.array([quantiles(own, np.ones(40), [0.025, 0.975]) for own in values])
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
    apart = distances(summaries - OBSERVED)
    assert np.isinf(apart[:10]).all()
    assert nearest(apart, 100).min() >= 10
    assert len(find_covered(scores, summaries, kept=50, datasets=100)) == 90


def test_a_summary_that_never_varies_has_a_scale() -> None:
    assert summary_scale(np.ones((10, 1))).tolist() == [1.0]
    mostly = np.array([[0.0]] * 9 + [[1.0]])
    assert summary_scale(mostly) == pytest.approx([0.3])


def test_weighted_quantiles_follow_weights() -> None:
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.8, 0.1])
    assert quantiles(values, weights, [0.4])[0] == 1.0
    equal = quantiles(values, np.ones(3), [0.25, 0.5, 0.75])
    assert equal == pytest.approx([1.0, 2.0, 3.0])


def test_draws_are_proportional_to_weights() -> None:
    particles = Particles(np.array([[0.0], [1.0], [2.0]]), np.array([0.5, 0.3, 0.2]))
    drawn = particles.draw(100, 0.5)
    assert np.unique(drawn, return_counts=True)[1].tolist() == [50, 30, 20]
