import numpy as np
import pandas as pd
import pytest

from memopolis.sim.errors import DataFileError, ParameterError, UnknownNameError
from memopolis.sim.world.place import Place


def zones(**columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "zone": ["a", "b", "c"],
            "name": ["Town", "Town", "Farm"],
            "lat": [32.0, 32.05, 32.4],
            "lon": [-80.0, -80.0, -80.0],
            "population": [9000, 1000, 100],
            "land_km2": [3.0, 10.0, 200.0],
            **columns,
        }
    )


@pytest.fixture
def place() -> Place:
    return Place.from_table(zones(), name="test")


def test_travel_is_symmetric_positive_and_slower_in_dense_zones(place: Place) -> None:
    assert place.travel_minutes == pytest.approx(place.travel_minutes.T)
    assert (place.travel_minutes > 0).all()
    assert place.speed_kmh[0] == 25
    assert place.speed_kmh[2] == 60
    assert place.distance_km[0, 1] == pytest.approx(5.56, abs=0.01)
    # 5.56 km with a detour of 1.3 at the mean pace of 25 and some 44 km/h.
    assert 12 < place.travel_minutes[0, 1] < 15


def test_zones_have_names_and_numbers(place: Place) -> None:
    assert place.labels == ("Town a", "Town b", "Farm")
    assert place.index("c") == 2
    with pytest.raises(UnknownNameError, match="zone 'd' is not in test"):
        place.index("d")


def test_a_zone_of_unknown_area_works() -> None:
    place = Place.from_table(zones().drop(columns="land_km2"))
    assert np.isfinite(place.travel_minutes).all()
    assert (place.travel_minutes > 0).all()
    one = Place.from_table(zones().iloc[:1].drop(columns="land_km2"))
    assert one.travel_minutes.shape == (1, 1)


def test_the_nearest_zone_has_the_shortest_travel_time(place: Place) -> None:
    assert place.nearest([False, True, True]).tolist() == [1, 1, 2]
    with pytest.raises(ParameterError, match="no zone"):
        place.nearest([False] * 3)


def test_gravity_prefers_near_and_attractive_zones(place: Place) -> None:
    shares = place.gravity([1.0, 1.0, 1.0], 0.1)
    assert shares.sum(axis=1) == pytest.approx([1, 1, 1])
    assert shares[0, 1] > shares[0, 2]
    assert place.gravity([1.0, 3.0, 0.0], 0.0)[2] == pytest.approx([0.25, 0.75, 0])
    with pytest.raises(ParameterError, match="attractions"):
        place.gravity([0, 0, 0], 0.1)


def test_commutes_fill_jobs_with_the_target_travel_time(place: Place) -> None:
    jobs = np.array([0.5, 0.3, 0.2])
    workers = place.population / place.population.sum()
    pull = place.fit_pull(workers, jobs, minutes=20)
    ways = place.commutes(workers, jobs, pull)
    assert workers @ ways == pytest.approx(jobs, abs=1e-3)
    assert workers @ (ways * place.travel_minutes).sum(axis=1) == pytest.approx(20, abs=0.2)
    assert place.fit_pull(workers, jobs, minutes=1e6) == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"zone": ["a", "b", "a"]}, "row 3, column zone: 'a' occurs twice"),
        ({"population": [0, 0, 0]}, "no zone has residents"),
        ({"lat": [32, None, 32]}, "row 2, column lat: empty"),
    ],
)
def test_invalid_tables_are_refused(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        Place.from_table(zones(**columns))


def test_impossible_speeds_are_refused() -> None:
    with pytest.raises(ParameterError, match="detour"):
        Place.from_table(zones(), detour=0.5)
