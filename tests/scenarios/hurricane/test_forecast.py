from datetime import datetime, timedelta

import numpy as np
import pytest

from memopolis.scenarios.hurricane.forecast import (
    BETWEEN_ISSUES,
    LEADS,
    NEVER,
    TRACK_SIGMA_NM,
    Forecasts,
    draw_forecast_errors,
    forecast_track,
    make_forecasts,
    strike_probability,
)
from memopolis.scenarios.hurricane.track import KM_PER_NAUTICAL_MILE, Track
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.geometry import great_circle_km

START, TICKS = datetime(2019, 8, 28), 336
DORIAN = Track.read("dorian")
CHARLESTON = read_place("charleston")
DOWNTOWN = CHARLESTON.index("29401")


def forecast_with(seed: int, error: float = 1.0) -> Forecasts:
    return make_forecasts(DORIAN, CHARLESTON, START, TICKS, Chance(seed), error=error)


def tick(when: str) -> int:
    return (datetime.fromisoformat(when) - START) // timedelta(hours=1)


def test_errors_are_standard_and_correlated() -> None:
    errors = np.stack([draw_forecast_errors(40, Chance(seed), storm="s") for seed in range(200)])
    assert errors.mean() == pytest.approx(0, abs=0.05)
    assert errors.std(axis=(0, 1)) == pytest.approx(np.ones((len(LEADS), 3)), abs=0.08)
    between = np.corrcoef(errors[:, 10, 4, 0], errors[:, 11, 4, 0])[0, 1]
    assert between == pytest.approx(BETWEEN_ISSUES, abs=0.1)
    assert abs(np.corrcoef(errors[:, 10, 4, 0], errors[:, 10, 4, 1])[0, 1]) < 0.2


def test_track_errors_match_those_of_the_nhc() -> None:
    at = DORIAN.hours_at(datetime(2019, 9, 1))
    truth = DORIAN.at(at + np.arange(121.0))
    missed = []
    for seed in range(200):
        errors = draw_forecast_errors(1, Chance(seed), storm="s")[0]
        forecast = forecast_track(DORIAN, at, errors)
        missed.append(great_circle_km(forecast.lat, forecast.lon, truth.lat, truth.lon))
    mean = np.mean(missed, axis=0) / KM_PER_NAUTICAL_MILE
    # Mean errors of NHC's Atlantic forecasts at 24, 48, 72, 120 hours, nautical miles.
    assert mean[[24, 48, 72, 120]] == pytest.approx([33, 57, 84, 173], rel=0.12)
    assert mean[0] == 0


def test_a_forecast_without_error_is_exact() -> None:
    forecast = forecast_with(1, error=0)
    assert forecast.nearest_km[tick("2019-09-03 08:00"), DOWNTOWN] == pytest.approx(92, abs=3)
    assert forecast.hours_to_nearest[tick("2019-09-04 12:00"), DOWNTOWN] == pytest.approx(24, abs=1)
    assert forecast.strike[tick("2019-09-04 12:00"), DOWNTOWN] == pytest.approx(1)


def test_forecasts_close_in_on_the_truth() -> None:
    runs = [forecast_with(seed) for seed in range(12)]
    errors = [
        np.mean([abs(run.nearest_km[tick(when), DOWNTOWN] - 92) for run in runs])
        for when in ("2019-09-01 12:00", "2019-09-03 12:00", "2019-09-05 06:00")
    ]
    assert errors[0] > errors[1] > errors[2]
    assert all(run.strike[tick("2019-09-05 08:00"), DOWNTOWN] > 0.9 for run in runs)
    assert all(run.strike[tick("2019-09-08 08:00"), DOWNTOWN] < 0.01 for run in runs)


def test_time_passes_within_a_forecast() -> None:
    forecast = forecast_with(2)
    first = tick("2019-09-03 06:00")
    assert (np.diff(forecast.issued) >= 0)[forecast.issued[1:] >= 0].all()
    assert forecast.issued[first] == forecast.issued[first + 5] == forecast.issued[first + 6] - 1
    hours = forecast.hours_to_nearest[first : first + 6, DOWNTOWN]
    assert np.diff(hours) == pytest.approx(-np.ones(5))


def test_values_are_in_range() -> None:
    forecast = forecast_with(3)
    assert ((forecast.strike >= 0) & (forecast.strike <= 1)).all()
    assert ((forecast.hours_to_gale >= 0) & (forecast.hours_to_gale <= NEVER)).all()
    assert (forecast.peak_kt >= 0).all()
    assert forecast.peak_kt.dtype == np.float32
    gone = forecast.issued < 0
    assert gone.any()
    assert (forecast.hours_to_nearest[gone] == NEVER).all()


def test_forecasts_are_deterministic_for_any_window() -> None:
    one, same, other = forecast_with(5), forecast_with(5), forecast_with(6)
    assert (one.strike == same.strike).all()
    assert (one.strike != other.strike).any()
    short = make_forecasts(DORIAN, CHARLESTON, START, 200, Chance(5))
    assert (short.strike == one.strike[:200]).all()


def test_the_strike_probability_falls_with_distance_and_rises_with_reach() -> None:
    near = strike_probability(np.array([0.0, 100.0, 300.0]), np.full(3, 150.0), np.full(3, 100.0))
    assert (np.diff(near) < 0).all()
    assert strike_probability(np.array([90.0]), np.array([100.0]), np.array([0.0])) == 1
    assert strike_probability(np.array([0.0]), np.array([0.0]), np.array([50.0])) == 0


def test_invalid_numbers_are_refused() -> None:
    with pytest.raises(ParameterError, match="error is -1"):
        forecast_with(1, error=-1)
    assert len(TRACK_SIGMA_NM) == len(LEADS)
