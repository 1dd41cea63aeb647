from datetime import datetime
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from memopolis.scenarios.hurricane.local_weather import (
    storm_weather,
    wind_over_water,
)
from memopolis.scenarios.hurricane.settings import WindModel
from memopolis.scenarios.hurricane.track import Track, storm_window
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.world.geometry import great_circle_km
from memopolis.sim.world.place import Place

# Charleston's airport, where the storm was measured, and Columbia's State House.
SITES = Place.from_table(
    pd.DataFrame(
        {
            "zone": ["airport", "state house"],
            "name": ["airport", "state house"],
            "lat": [32.8986, 34.0007],
            "lon": [-80.0405, -81.0348],
            "population": [1, 1],
        }
    )
)


def over_water(model: WindModel) -> np.ndarray:
    dorian = Track.read("dorian")
    hours = dorian.hours_at(datetime(2019, 8, 28)) + np.arange(14 * 24.0)
    return wind_over_water(dorian.at(hours), SITES, model)


def test_winds_of_dorian_match_observations() -> None:
    wind = over_water("rankine")
    assert wind[:, 0].max() == pytest.approx(47, abs=1.5)
    assert (wind[:, 0] >= 34).sum() == pytest.approx(20, abs=1)
    assert wind[:, 1].max() == pytest.approx(28, abs=0.5)
    assert over_water("holland_2010")[:, 0].max() == pytest.approx(60, abs=1)


@pytest.mark.parametrize("place", ["charleston", "columbia"])
@pytest.mark.parametrize("storm", ["dorian", "florence", "matthew", "ian"])
@pytest.mark.parametrize("model", get_args(WindModel))
def test_every_storm_has_weather(place: str, storm: str, model: WindModel) -> None:
    where, track = read_place(place), Track.read(storm)
    start, end = storm_window(track, where)
    ticks = (end - start).days * 24
    weather = storm_weather(track, where, start, ticks, model=model)
    assert weather.wind_kt.shape == (ticks, 30)
    assert (weather.gust_kt >= weather.wind_kt).all()
    assert 10 < weather.wind_kt.max() < 80
    assert 0.5 < weather.rain_in.sum(axis=0).mean() < 20


def test_gusts_at_the_airport_match_observations() -> None:
    start = datetime(2019, 8, 28)
    weather = storm_weather(Track.read("dorian"), SITES, start, 336)
    assert weather.gust_kt[:, 0].max() == pytest.approx(59, rel=0.1)


def test_there_is_no_wind_before_a_storm_forms_or_after_it_is_gone() -> None:
    weather = storm_weather(Track.read("ian"), SITES, datetime(2022, 9, 1), 24)
    assert not weather.wind_kt.any()
    assert not weather.rain_in.any()


def test_a_storm_far_away_brings_no_wind() -> None:
    dorian, start = Track.read("dorian"), datetime(2019, 9, 8)
    storm = dorian.at(dorian.hours_at(start) + np.arange(12.0))
    away = great_circle_km(storm.lat[:, None], storm.lon[:, None], SITES.lat, SITES.lon)
    assert away.min() > 1200
    assert wind_over_water(storm, SITES).min() > 15
    assert not storm_weather(dorian, SITES, start, 12).gust_kt.any()


def test_longer_ticks_have_more_rain() -> None:
    start, dorian = datetime(2019, 9, 4), Track.read("dorian")
    hourly = storm_weather(dorian, SITES, start, 72)
    slow = storm_weather(dorian, SITES, start, 12, hours=6.0)
    assert slow.rain_in.sum() == pytest.approx(hourly.rain_in.sum(), rel=0.1)
