from datetime import date, datetime, timedelta

import pytest

from memopolis.scenarios.places.zones import read_place
from memopolis.sim.world.daylight import find_daylight, find_offset, find_time_zone


@pytest.mark.parametrize(
    ("lat", "lon", "zone"),
    [
        (32.8, -79.9, "America/New_York"),
        (29.3, -94.8, "America/Chicago"),
        (39.7, -105.0, "America/Denver"),
        (34.0, -118.2, "America/Los_Angeles"),
        (51.5, 0.0, "Etc/GMT"),
        (60.0, 30.0, "Etc/GMT-2"),
    ],
)
def test_a_time_zone_follows_from_coordinates(lat: float, lon: float, zone: str) -> None:
    assert find_time_zone(lat, lon) == zone


def test_daylight_saving_time_ends_in_autumn() -> None:
    offsets = [find_offset("America/New_York", datetime(2019, month, 15)) for month in (9, 12)]
    assert offsets == [timedelta(hours=-4), timedelta(hours=-5)]


def test_the_sun_rises_in_charleston_as_published() -> None:
    # 6:57 and 19:39 on 5 September 2019 (NOAA solar calculator, recalled to some minutes).
    rises, sets = read_place("charleston").find_daylight(date(2019, 9, 5))
    assert rises == pytest.approx(6.95, abs=0.1)
    assert sets == pytest.approx(19.65, abs=0.1)


def test_the_sun_may_stay_up_or_down() -> None:
    zone = find_time_zone(70, 20)
    assert find_daylight(70, 20, zone, date(2019, 6, 21)) == (0, 24)
    assert find_daylight(70, 20, zone, date(2019, 12, 21)) == (12, 12)
    assert find_daylight(-70, 20, zone, date(2019, 6, 21)) == (12, 12)
