"""Scores as functions of arrays, compared with known values and with other packages."""

import math

import numpy as np
import pytest

from memopolis.analysis.challenge.scores import (
    crps,
    jackknife_interval,
    prediction_interval,
    rank_correlation,
)
from memopolis.analysis.compare.intervals import binomial_interval, interval
from memopolis.sim.errors import ParameterError

MEMBERS = np.array([0.5, 0.55, 0.62, 0.7])


def test_crps_equals_that_of_scoringrules() -> None:
    # scoringrules 0.11: crps_ensemble(0.6, MEMBERS, estimator="fair")
    assert crps(MEMBERS, 0.6) == pytest.approx(0.011666666666666659)


def test_crps_of_a_single_member_is_its_error() -> None:
    assert crps([0.5], 0.75) == 0.25


def test_fair_crps_does_not_favour_small_ensembles() -> None:
    draws = np.sin(np.arange(4_000) * 12.9898) * 43_758.5453 % 1
    values = np.sin(np.arange(1_000) * 78.233) * 12_345.678 % 1
    few, many = (
        np.mean([crps(draws[i * size : (i + 1) * size], values[i]) for i in range(4_000 // size)])
        for size in (4, 40)
    )
    assert few == pytest.approx(many, abs=0.03)
    assert many == pytest.approx(1 / 6, abs=0.04)  # of a uniform distribution


def test_prediction_interval_is_that_of_student() -> None:
    low, high = prediction_interval([1.0, 2.0, 3.0], confidence=0.9)
    half = 2.919986 * 1.0 * math.sqrt(4 / 3)
    assert (low, high) == pytest.approx((2 - half, 2 + half), rel=1e-6)
    assert all(map(math.isnan, prediction_interval([1.0])))
    with pytest.raises(ParameterError, match="confidence is 1"):
        prediction_interval([1.0, 2.0], confidence=1)


def test_rank_correlation() -> None:
    assert rank_correlation([1, 5, 9], [0.1, 0.2, 0.9]) == pytest.approx(1)
    assert rank_correlation([9, 5, 1], [0.1, 0.2, 0.9]) == pytest.approx(-1)
    assert math.isnan(rank_correlation([1, 2], [1, 2]))
    assert math.isnan(rank_correlation([0, 0, 0], [1, 2, 3]))


def test_jackknife_of_a_mean_is_the_t_interval() -> None:
    jackknifed = jackknife_interval(lambda at: float(MEMBERS[at].mean()), 4)
    assert jackknifed == pytest.approx(interval(MEMBERS))
    assert math.isnan(jackknife_interval(lambda at: float(MEMBERS[at].mean()), 2).low)


def test_wilsons_interval() -> None:
    # Newcombe 1998, table I: 15 of 148.
    assert binomial_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert all(map(math.isnan, binomial_interval(0, 0)))
