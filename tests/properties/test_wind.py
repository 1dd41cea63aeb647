import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memopolis.scenarios.hurricane.local_weather import rain_rate
from memopolis.scenarios.hurricane.wind import (
    GUST_INLAND,
    GUST_OFFSHORE,
    GUST_ONSHORE,
    direction_from,
    gust_factor,
    holland_1980,
    holland_2010,
    holland_b,
    holland_exponent,
    inland_decay,
    radius_of_strongest,
    rankine,
)

winds = st.floats(20, 180)
radii = st.floats(10, 120)
gales = st.one_of(st.just(0.0), st.just(float("nan")), st.floats(20, 600))
pressures = st.floats(880, 1012)
lats = st.floats(5, 50)
shapes = st.floats(1, 2.5)


@given(winds, radii, gales)
def test_rankine_falls_outside_and_rises_inside(top: float, radius: float, r34: float) -> None:
    out = rankine(np.linspace(radius, 20 * radius, 80), strongest=top, radius=radius, r34=r34)
    inside = rankine(np.linspace(0, radius, 20), strongest=top, radius=radius, r34=r34)
    assert (np.diff(out) <= 1e-9).all()
    assert (np.diff(inside) >= 0).all()
    assert inside[0] == 0
    assert inside[-1] == pytest.approx(top)
    assert np.isfinite(out).all()


@given(st.floats(40, 180), radii, st.floats(1.5, 5))
def test_rankine_meets_the_radius_of_34_knots(top: float, radius: float, times: float) -> None:
    shape = np.log(top / 34) / np.log(times)
    assume(0.1 <= shape <= 2)
    result = rankine(times * radius, strongest=top, radius=radius, r34=times * radius)
    assert result == pytest.approx(34)


@given(winds, radii)
def test_a_quadrant_without_gales_has_none(top: float, radius: float) -> None:
    beyond = rankine(np.linspace(1.01, 9, 30) * radius, strongest=top, radius=radius, r34=0.0)
    assert (beyond <= 34).all()


@given(winds, radii, pressures, lats)
def test_holland_1980_is_calm_at_the_centre_and_falls_far_out(
    top: float, radius: float, pressure: float, lat: float
) -> None:
    r = np.linspace(0, 20 * radius, 200)
    wind = holland_1980(r, strongest=top, radius=radius, pressure=pressure, lat=lat)
    assert wind[0] == pytest.approx(0, abs=1e-6)
    assert np.isfinite(wind).all()
    assert (wind >= -1e-9).all()
    assert (np.diff(wind[r >= 1.3 * radius]) <= 1e-9).all()


def test_holland_1980_peaks_at_the_maximum_wind_for_a_free_shape() -> None:
    r = np.linspace(1, 300, 3000)
    wind = holland_1980(r, strongest=95, radius=40, pressure=955, lat=0.0)
    assert wind.max() == pytest.approx(95, rel=0.01)
    assert r[wind.argmax()] == pytest.approx(40, abs=1)


def test_there_is_no_wind_without_a_pressure_deficit() -> None:
    assert holland_1980(50, strongest=50, radius=40, pressure=1013, lat=30) == 0


@given(winds, radii, shapes, st.floats(0.01, 20))
def test_holland_2010_with_one_half_is_holland_1980(
    top: float, radius: float, shape: float, times: float
) -> None:
    r = times * radius
    scaled = (radius / r) ** shape
    expected = top * np.sqrt(scaled * np.exp(1 - scaled))
    result = holland_2010(r, strongest=top, radius=radius, shape=shape, exponent=0.5)
    assert result == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.floats(45, 160), st.floats(15, 60), st.floats(1.2, 2.2), st.floats(2, 6))
def test_holland_2010_meets_the_radius_of_34_knots(
    top: float, radius: float, shape: float, times: float
) -> None:
    gale = times * radius
    exponent = holland_exponent(gale, strongest=top, radius=radius, shape=shape, r34=gale)
    assume(0.2 < exponent < 2)
    result = holland_2010(gale, strongest=top, radius=radius, shape=shape, exponent=exponent)
    assert result == pytest.approx(34)


@given(winds, radii, shapes, gales)
def test_holland_exponent_starts_at_one_half(
    top: float, radius: float, shape: float, r34: float
) -> None:
    at = holland_exponent(radius, strongest=top, radius=radius, shape=shape, r34=r34)
    assert at == pytest.approx(0.5)


@given(pressures, st.floats(-5, 5), lats, st.floats(0, 40))
def test_the_shape_stays_in_range(p: float, change: float, lat: float, speed: float) -> None:
    assert 1 <= holland_b(pressure=p, deepening=change, lat=lat, speed=speed) <= 2.5


def test_the_radius_off_south_carolina_matches_observations() -> None:
    assert 32 <= radius_of_strongest(100, 31.0) <= radius_of_strongest(90, 34.0) <= 38


@given(st.floats(0, 180), st.floats(0, 100), st.floats(0, 100))
def test_storms_weaken_over_land(wind: float, earlier: float, more: float) -> None:
    first, later = inland_decay(wind, earlier), inland_decay(wind, earlier + more)
    assert later <= first + 1e-9
    assert first <= 0.9 * wind + 1e-9
    if wind >= 30:
        assert later >= 26.7 - 1e-9


def test_decay_begins_at_landfall() -> None:
    assert inland_decay(100, 0) == pytest.approx(90)


def test_gusts_depend_on_sea_and_wind() -> None:
    # Sea in the south-east: wind from there is onshore, from the north-west offshore.
    assert gust_factor(2, 135, 150) == GUST_ONSHORE
    assert gust_factor(2, 135, 330) == GUST_OFFSHORE
    assert gust_factor(40, 135, 150) == GUST_INLAND
    assert gust_factor(np.nan, np.nan, 150) == GUST_INLAND
    assert gust_factor(2, np.nan, 150) == GUST_OFFSHORE


def test_wind_blows_counterclockwise() -> None:
    # East of the centre it blows from the south, turned in: from south-south-east.
    assert direction_from(90) == 160
    assert direction_from(300) == 10


@given(st.floats(0, 1000), st.floats(0, 200))
def test_rain_is_finite_and_never_negative(distance: float, wind: float) -> None:
    rain = rain_rate(distance, wind)
    assert np.isfinite(rain)
    assert rain >= 0


@given(st.floats(35, 150))
def test_rain_falls_outside_its_peak(wind: float) -> None:
    peak = 64.5 - 13.0 * (1 + (wind - 35) / 33)
    rain = rain_rate(np.linspace(max(peak, 1), 800, 60), wind)
    assert (np.diff(rain) <= 1e-12).all()


def test_rain_at_the_centre_of_a_weak_storm() -> None:
    assert rain_rate(0, 35) == pytest.approx((-1.10 + 3.96) / 24)
