"""Measures of polarization on distributions made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memopolis.sim.errors import ParameterError
from memopolis.sim.statistics.polarization import (
    BIMODAL,
    Moves,
    bimodality_coefficient,
    clusters,
    esteban_ray,
    extreme_share,
    moves,
    party_gap,
    thermometer_gap,
)

ATTITUDES = hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 10))


# Bimodality coefficient


def test_bimodality_of_five_by_hand() -> None:
    # 0, 0, 0, 1, 4: mean 1, m2 = (3 + 0 + 9) / 5 = 2.4, m3 = (-3 + 27) / 5 = 4.8,
    # m4 = (3 + 81) / 5 = 16.8. g1 = 4.8 / 2.4^1.5, G1 = g1 sqrt(20) / 3;
    # g2 = 16.8 / 5.76 - 3 = -1/12, G2 = 4 / 6 (6 * -1/12 + 6) = 11 / 3.
    skewness = 4.8 / 2.4**1.5 * 20**0.5 / 3
    expected = (skewness**2 + 1) / (11 / 3 + 3 * 16 / 6)
    assert bimodality_coefficient([0, 0, 0, 1, 4]) == pytest.approx(expected)


def test_bimodality_of_known_shapes() -> None:
    camps = np.repeat([2.0, 8.0], 5_000)
    assert bimodality_coefficient(camps) == pytest.approx(1, abs=1e-3)
    even = np.linspace(0, 10, 10_001)
    assert bimodality_coefficient(even) == pytest.approx(5 / 9, abs=1e-3)
    assert bimodality_coefficient(even) == pytest.approx(BIMODAL, abs=1e-3)
    normal = np.random.default_rng(1).normal(5, 1, 200_000)
    assert bimodality_coefficient(normal) == pytest.approx(1 / 3, abs=0.01)


def test_bimodality_needs_a_bounded_scale() -> None:
    # The trap: unbounded opinions of two camps with a few very extreme ones.
    size = np.concatenate([np.full(900, 1.0), np.linspace(2, 30, 100)])
    opinions = np.concatenate([size, -size])
    assert bimodality_coefficient(opinions) < BIMODAL < bimodality_coefficient(np.tanh(opinions))


@given(ATTITUDES)
def test_bimodality_is_invariant_to_scale_and_sign(attitudes: np.ndarray) -> None:
    attitudes = np.round(attitudes, 2)
    result = bimodality_coefficient(attitudes)
    other = bimodality_coefficient(3 - 2 * attitudes)
    assert other == pytest.approx(result, rel=1e-6, nan_ok=True)
    assert np.isnan(result) == (len(attitudes) < 4 or np.ptp(attitudes) == 0)


# Esteban and Ray


def test_polarization_between_groups_by_hand() -> None:
    # Half at each end is the most there is, whatever alpha.
    assert esteban_ray([0, 10]) == pytest.approx(1)
    assert esteban_ray([0, 0, 10, 10], alpha=1.6) == pytest.approx(1)
    assert esteban_ray([4, 4, 4]) == 0
    # alpha 1, shares 3/4 at 0 and 1/4 at 8, K = 4 / 10:
    # 0.4 * 8 * (9/16 * 1/4 + 1/16 * 3/4) = 0.4 * 8 * 12 / 64.
    assert esteban_ray([0, 0, 0, 8], alpha=1) == pytest.approx(0.6)
    # Three thirds at 0, 5, 10, alpha 1: 0.4 / 27 * (2 * 5 + 2 * 5 + 2 * 10).
    assert esteban_ray([0, 5, 10], alpha=1) == pytest.approx(16 / 27)


def test_polarization_measures_groups_and_not_spread() -> None:
    even = np.linspace(0, 10, 1_000)
    camps = np.repeat([2.0, 8.0], 500)
    assert camps.std() < 1.1 * even.std()
    assert esteban_ray(camps) > 1.5 * esteban_ray(even)


@given(ATTITUDES)
def test_polarization_is_symmetric_and_at_most_1(attitudes: np.ndarray) -> None:
    result = esteban_ray(attitudes, bins=7)
    assert 0 <= result <= 1 + 1e-9
    middles = np.minimum(np.floor(attitudes), 9) + 0.5  # no value at an edge of two groups
    assert esteban_ray(10 - middles) == pytest.approx(esteban_ray(middles))


def test_values_off_the_scale_are_refused() -> None:
    with pytest.raises(ParameterError, match="from -1 to 3 leave 0 to 10"):
        esteban_ray([-1, 3])
    with pytest.raises(ParameterError, match="alpha"):
        esteban_ray([1, 3], alpha=2)
    with pytest.raises(ParameterError, match="bin"):
        esteban_ray([1, 3], bins=0)
    with pytest.raises(ParameterError, match="low below high"):
        esteban_ray([1, 3], low=5, high=5)


# Sides


def test_gaps_between_sides_by_hand() -> None:
    sides = [1, 1, 0, -1, -1]
    assert party_gap([8, 6, 0, 3, 2], sides) == pytest.approx(7 - 2.5)
    assert party_gap([8, 6, 0, 3, 2], np.negative(sides)) == pytest.approx(-4.5)
    # Own less other: 60, 20, not asked, 50, 30.
    gap = thermometer_gap([90, 70, 50, 80, 60], [30, 50, 0, 30, 30], sides)
    assert gap == pytest.approx((60 + 20 + 50 + 30) / 4)
    assert np.isnan(party_gap([1, 2], [1, 1]))
    assert np.isnan(thermometer_gap([1], [2], [0]))


# Change


def test_the_extreme_are_counted_from_the_start() -> None:
    # Mean 5, sd 2: beyond are those below 3 and above 7.
    start = [3, 7, 3, 7]
    assert extreme_share([3, 7, 5, 5], start) == 0
    assert extreme_share([2.9, 7.1, 3, 7], start) == 0.5
    assert extreme_share([0, 10, 10], start) == 1
    assert np.isnan(extreme_share([], start))


def test_moves_by_hand() -> None:
    start = np.array([7, 7, 7, 7, 3, 5, 5])
    end = np.array([9, 6, 5, 4, 6, 6, 5])
    # Extreme: the first and the sixth; moderate: the second and third; two cross; one stays.
    assert moves(start, end) == pytest.approx((2 / 7, 2 / 7, 2 / 7))
    assert moves(start, end, least=1) == pytest.approx((1 / 7, 1 / 7, 2 / 7))
    assert np.isnan(moves([], [])).all()


@given(ATTITUDES)
def test_mirrored_opinions_have_equal_moves(start: np.ndarray) -> None:
    end = start[::-1]
    assert moves(10 - np.round(start), 10 - np.round(end)) == moves(np.round(start), np.round(end))
    assert moves(start, start) == Moves(0, 0, 0)


# Groups of opinions


def test_groups_by_hand() -> None:
    opinions = np.concatenate([np.full(50, 0.2), np.linspace(0.7, 0.8, 49), [0.5]])
    assert clusters(opinions, gap=0.05) == 2  # one alone is 1% of all
    assert clusters(opinions, gap=0.05, least=0) == 3
    assert clusters(opinions, gap=0.25, least=0) == 2
    assert clusters(opinions, gap=1) == 1
    assert clusters(opinions, gap=0.05, least=0.5) == 1
    assert clusters([], gap=0.1) == 0
    with pytest.raises(ParameterError, match="gap"):
        clusters([1], gap=-1)
