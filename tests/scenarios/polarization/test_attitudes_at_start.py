import numpy as np
import pytest
from scipy.special import ndtr

from memopolis.agents.opinion.baumann import compute_activity
from memopolis.scenarios.polarization.attitudes_at_start import (
    beta_quantile,
    correlate,
    rank_steps,
    shift_owners,
    spread_steps,
)
from memopolis.scenarios.polarization.kinds import shift_to_mean
from memopolis.scenarios.polarization.start import draw_evenly
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError

GRID = (np.arange(10_000) + 0.5) / 10_000


def test_a_uniform_distribution_is_a_beta_distribution() -> None:
    # Mean 1/2 and sd 1/sqrt(12) of the scale: the rank itself.
    flat = beta_quantile(GRID, np.full(10_000, 5.0), np.full(10_000, 10 / np.sqrt(12)))
    assert flat == pytest.approx(10 * GRID, abs=1e-6)


def test_the_published_moments_give_the_published_shares() -> None:
    for mean, sd, above in ((7.4, 2.0, 0.86), (5.6, 2.4, 0.598), (3.8, 2.15, 0.294)):
        held = beta_quantile(GRID, np.full(10_000, mean), np.full(10_000, sd))
        assert held.mean() == pytest.approx(mean, abs=1e-3)
        assert held.std() == pytest.approx(sd, abs=1e-3)
        assert (held > 5).mean() == pytest.approx(above, abs=1e-3)


def test_moments_that_no_distribution_has_are_refused() -> None:
    with pytest.raises(ParameterError, match="no Beta distribution fits"):
        beta_quantile(np.array([0.5]), np.array([5.0]), np.array([5.0]))


def test_correlations_equal_the_setting() -> None:
    z, other = np.random.default_rng(1).normal(size=(2, 200_000))
    assert np.corrcoef(correlate(z, other, -0.3), other)[0, 1] == pytest.approx(-0.3, abs=0.01)
    assert correlate(z, other, 0.3).std() == pytest.approx(1, abs=0.01)


def test_owners_stand_lower_and_all_as_before() -> None:
    rng = np.random.default_rng(2)
    z, owner = rng.normal(size=200_000), rng.random(200_000) < 0.45
    rank = shift_owners(z, owner, np.full(200_000, 0.45), 0.5)
    for part in (0.1, 0.5, 0.9):
        assert (rank < part).mean() == pytest.approx(part, abs=0.005)
    assert (rank[owner] > 0.5).mean() < 0.42
    assert (rank[~owner] > 0.5).mean() > 0.57
    # By hand: an owner at z = 0.5 - 0.5 = 0 stands among others at 0 and owners at 0.5.
    one = shift_owners(np.array([0.5]), np.array([True]), np.array([0.4]), 0.5)
    assert one[0] == pytest.approx(0.4 * ndtr(0.5) + 0.6 * 0.5)


def test_steps_become_normal_ranks() -> None:
    # Of three steps of 1/4, 1/2 and 1/4 the middle of the second is the median.
    shares = np.tile([0.25, 0.5, 0.25], (3, 1))
    ranks = rank_steps(np.array([0, 1, 2]), shares, np.full(3, 0.5))
    assert ndtr(ranks) == pytest.approx([0.125, 0.5, 0.875])
    assert spread_steps(np.array([0, 6]), 7, np.array([0.0, 0.5])) == pytest.approx([0, 65 / 7])


def test_activities_lie_between_their_ends() -> None:
    drawn = compute_activity(np.array([0.0, 1 - 1e-12]), least=0.01, exponent=2.1)
    assert drawn == pytest.approx([0.01, 1.0])
    # The median: a^-1.1 half way between 0.01^-1.1 and 1.
    half = ((0.01**-1.1 + 1) / 2) ** (-1 / 1.1)
    assert compute_activity(np.array([0.5]), least=0.01, exponent=2.1)[0] == pytest.approx(half)


def test_rates_are_moved_by_one_factor_of_odds() -> None:
    moved = shift_to_mean([0.2, 0.5], np.array([0.5, 0.5]), 0.5)
    assert moved.mean() == pytest.approx(0.5)
    odds = moved / (1 - moved)
    assert odds[1] / odds[0] == pytest.approx(4)
    assert shift_to_mean([0.2], np.array([0.0]), 0.5) == pytest.approx([0.2])


def test_even_draws_are_uniform_and_more_even_than_chance() -> None:
    points = draw_evenly(Chance(1), "test", np.arange(1000), dimensions=2)
    assert points.shape == (1000, 2)
    assert 0 <= points.min() <= points.max() < 1
    for column in points.T:
        counts = np.histogram(column, 20, (0, 1))[0]
        assert np.abs(counts - 50).max() <= 3  # chance: a standard deviation of 7
    cells = np.bincount((points * 5).astype(int) @ [5, 1], minlength=25)
    assert np.abs(cells - 40).max() <= 5
    shifted = draw_evenly(Chance(2), "test", np.arange(1000), dimensions=2)
    assert np.ptp((shifted - points) % 1, axis=0) == pytest.approx(0, abs=1e-9)
