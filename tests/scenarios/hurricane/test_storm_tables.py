"""The storm as it is recorded: where it is, and from where the wind blows."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from memopolis import Order, load_run
from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.hurricane.local_weather import track_table, wind_directions
from memopolis.scenarios.hurricane.track import Track
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.clock import Clock
from memopolis.sim.recording.rows import static_tables


def clock_at(track: Track, hours: float) -> Clock:
    """A clock that begins some hours after the track does, in local time."""
    return Clock(track.start + timedelta(hours=hours - 4), timedelta(hours=1))


def test_the_storm_is_at_its_points_at_their_times() -> None:
    track = Track.read("dorian")
    table = track_table(track, clock_at(track, 0), 13)
    assert table["tick"].tolist() == list(range(13))
    assert table["lat"].iloc[6] == pytest.approx(track.lat[1])
    assert table["lon"].iloc[12] == pytest.approx(track.lon[2])
    assert table["wind_kt"].iloc[0] == track.wind_kt[0]


def test_there_is_no_storm_before_and_after_its_track() -> None:
    track = Track.read("dorian")
    assert track_table(track, clock_at(track, -5), 10)["tick"].tolist() == [5, 6, 7, 8, 9]
    late = clock_at(track, float(track.hours[-1]) + 1)
    assert track_table(track, late, 10).empty
    assert np.isnan(wind_directions(track, read_place(), late, 10)).all()


def test_wind_blows_counterclockwise() -> None:
    track, place = Track.read("dorian"), read_place()
    # The storm is south-east of Charleston then: the wind there comes from the north-east.
    when = (datetime(2019, 9, 4, 16) - track.start) / timedelta(hours=1)
    (source,) = wind_directions(track, place, clock_at(track, when), 1)
    assert ((source > 20) & (source < 100)).all()


def test_a_run_without_a_storm_has_no_track() -> None:
    tables = static_tables(Hurricane(agents=20, days=1, storm="none", rng=1))
    assert set(tables) == {"zones", "outlines", "roads", "weather", "ties"}
    assert tables["weather"]["wind_from"].isna().all()
    assert set(static_tables(Hurricane(agents=20, days=1, rng=1))) == {
        "zones", "outlines", "roads", "weather", "track", "ties",
    }  # fmt: skip


def test_an_order_sent_during_the_run_is_in_the_weather_table(tmp_path: Path) -> None:
    storm = Hurricane(agents=20, days=0.25, rng=1, orders="none")
    storm.at("2019-08-28 02:00", Order(("all",), "voluntary"))
    weather = load_run(storm.run(tmp_path / "run")).weather
    assert weather.groupby("tick")["order"].max().tolist() == [0, 0, 1, 1, 1, 1]
