from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis.scenarios.hurricane.track import (
    STORMS,
    Track,
    nearest_approach,
    storm_window,
)
from memopolis.scenarios.hurricane.wind import inland_decay
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.errors import DataFileError

POINTS = {
    "columbia": (34.0007, -81.0348),
    "charleston": (32.7765, -79.9311),
    "myrtle": (33.6891, -78.8867),
    "fort myers": (26.6406, -81.8723),
}


@pytest.mark.parametrize(
    ("storm", "point", "km", "when", "wind"),
    [
        ("dorian", "columbia", 245, "2019-09-05 18:00", None),
        ("dorian", "charleston", 92, "2019-09-05 16:00", None),
        ("dorian", "myrtle", 84, "2019-09-05 22:00", None),
        ("florence", "columbia", 44, "2018-09-16 08:00", 38),
        ("florence", "charleston", 91, None, None),
        ("matthew", "charleston", 20, "2016-10-08 13:00", 78),
        ("matthew", "columbia", 181, None, None),
        ("ian", "charleston", 75, "2022-09-30 16:00", 72),
        ("ian", "fort myers", 25, None, 127),
    ],
)
def test_closest_approaches_match_observations(
    storm: str, point: str, km: float, when: str | None, wind: float | None
) -> None:
    results = nearest_approach(Track.read(storm), *POINTS[point])
    assert results.km == pytest.approx(km, abs=1)
    if when is not None:
        assert results.when_utc == datetime.fromisoformat(when)
    if wind is not None:
        assert results.wind_kt == pytest.approx(wind, abs=1)


@pytest.mark.parametrize("storm", STORMS)
def test_every_storm_is_read_and_interpolated(storm: str) -> None:
    track = Track.read(storm)
    assert len(track) >= 40
    at_points = track.at(track.hours)
    assert at_points.lat == pytest.approx(track.lat)
    assert at_points.wind_kt == pytest.approx(track.wind_kt)
    speed, bearing = track.at(np.arange(np.floor(track.hours[-1]) + 1.0)).motion()
    assert (speed < 80).all()
    assert ((bearing >= 0) & (bearing < 360)).all()


def test_the_period_of_dorian_is_the_default() -> None:
    for place in ("charleston", "columbia"):
        begin, end = storm_window(Track.read("dorian"), read_place(place))
        assert (begin, end) == (datetime(2019, 8, 28), datetime(2019, 9, 11))


HEADER = "time_utc,record_id,lat,lon,wind_kt\n"


def written(folder: Path, rows: str) -> Path:
    file = folder / "track.csv"
    file.write_text(HEADER + rows)
    return file


def test_a_custom_track_may_omit_the_wind_after_landfall(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "2030-09-01T00:00Z,,30,-79,90\n2030-09-01T06:00Z,L,31,-80,100\n"
        "2030-09-01T12:00Z,,32,-81,\n2030-09-01T18:00Z,,33,-82,\n",
    )
    track = Track.read(file)
    assert track.name == ""
    assert track.wind_kt[2:] == pytest.approx(inland_decay(100, np.array([6, 12])))
    assert np.isnan(track.r34_km).all()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("2030-09-01T00:00Z,,30,-79,90\n", "at least two points"),
        (
            "2030-09-01T06:00Z,,30,-79,90\n2030-09-01T00:00Z,,31,-80,95\n",
            "row 2, column time_utc: .* ascending",
        ),
        ("2030-09-01T00:00Z,,30,-79,90\nsoon,,31,-80,95\n", "row 2, column time_utc: 'soon'"),
        (
            "2030-09-01T00:00Z,,30,-79,90\n2030-09-01T06:00Z,,31,-80,\n",
            "row 2, column wind_kt: empty",
        ),
        ("2030-09-01T00:00Z,,95,-79,90\n", "row 1, column lat: '95'"),
    ],
)
def test_invalid_tracks_are_named(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        Track.read(written(tmp_path, rows))


def test_an_unknown_storm_is_named() -> None:
    allowed = "neither one of dorian, .* CSV file with columns time_utc, lat, lon, wind_kt; .*none"
    with pytest.raises(DataFileError, match=f"storm 'katrina' is {allowed}"):
        Track.read("katrina")


def test_a_radius_known_at_one_point_only_is_kept() -> None:
    table = pd.DataFrame(
        {
            "time_utc": pd.to_datetime(["2030-09-01 00:00", "2030-09-01 06:00"]),
            "record_id": "", "lat": [30.0, 31.0], "lon": [-79.0, -80.0], "wind_kt": [80.0, 90.0],
            "pressure_mb": [970.0, np.nan], "rmw_nm": [np.nan, 20.0],
            **{f"r34_{q}_nm": [100.0, 120.0] for q in ("ne", "se", "sw", "nw")},
        }
    )  # fmt: skip
    middle = Track.from_table(table, name="t").at(np.array([3.0]))
    assert middle.pressure_mb == 970
    assert middle.rmw_km == pytest.approx(37.04)
    assert middle.r34_km == pytest.approx(110 * 1.852)


def test_a_track_of_the_year_1_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    rows = "0001-01-01T06:00Z,25,-79,90\n0001-01-06T06:00Z,35,-79,90\n"
    path.write_text("time_utc,lat,lon,wind_kt\n" + rows, encoding="utf-8")
    with pytest.raises(DataFileError, match="1700 to 2150"):
        Track.read(path)
