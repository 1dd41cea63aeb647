import numpy as np
import pandas as pd
import pytest

from memopolis.scenarios.hurricane.roads import read_roads
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.errors import DataFileError
from memopolis.sim.world.place import Place
from memopolis.sim.world.roads import Roads
from memopolis.sim.world.roads_derived import derive_exits, derive_streets, find_neighbours


def place(count: int = 3, **columns: object) -> Place:
    zones = list("abcdefghijklmnopqrstuvwxyz"[:count])
    table = {
        "zone": zones,
        "name": zones,
        "lat": [32.0 + 0.1 * n for n in range(count)],
        "lon": [-80.0] * count,
        "population": [1_000] * count,
        "land_km2": [10.0] * count,
        **columns,
    }
    return Place.from_table(pd.DataFrame(table), name="line")


def rows(*links: tuple[str, str, float]) -> pd.DataFrame:
    """Links with a length; a speed of 60 km/h, so that a kilometre is a minute."""
    table = pd.DataFrame(links, columns=["from", "to", "km"])
    return table.assign(kmh=60, lanes=1, vehicles_per_hour=1_000)


LINE = rows(
    ("a", "b", 6), ("b", "a", 6), ("b", "c", 12), ("c", "b", 12), ("a", "c", 30),
    ("c", "outside", 6),
)  # fmt: skip


def test_the_fastest_way_out_and_between_zones_is_taken() -> None:
    roads = Roads.from_table(LINE, place())
    time, first = roads.find_ways_out(roads.hours)
    assert time[:, 0] == pytest.approx([0.4, 0.3, 0.1, 0])
    assert first[:, 0].tolist() == [0, 2, 5, -1]
    # A queue on the link from b to c makes the direct way from a the faster one.
    _, around = roads.find_ways_out(roads.hours + np.array([0, 0, 1, 0, 0, 0]))
    assert around[0, 0] == 4
    order, last = roads.trees
    assert order[0].tolist() == [0, 1, 2]
    assert last[0].tolist() == [-1, 0, 2]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (LINE.assign(km=[6, 6, 12, 12, np.nan, 6]), "row 5, column km"),
        (LINE.replace("a", "z"), "row 1, column from: 'z' is not a zone of the place"),
        (LINE.replace("outside", "inland"), "row 6, column to: 'inland' is not a zone or"),
        (pd.concat([LINE, LINE[:1]]), "row 7: 'a' to 'b' occurs twice"),
        (LINE[:1], "no way from zone 'a' to 'c'"),
        (LINE.drop(columns="kmh"), "column kmh is missing"),
        (LINE.assign(vehicles_per_hour=0), "row 1, column vehicles_per_hour"),
    ],
)
def test_a_wrong_table_is_refused_with_its_row(table: pd.DataFrame, message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        Roads.from_table(table, place(), source="roads.csv")


def test_a_table_without_ways_out_gets_derived_ones() -> None:
    roads = Roads.from_table(LINE[:5].assign(reversible=[0, 1, 0, 0, 0]), place())
    assert len(roads.exits) > 0
    assert roads.reversible[:5].tolist() == [False, True, False, False, False]
    assert np.isfinite(roads.find_ways_out(roads.hours)[0]).all(axis=1)[:3].all()


def test_neighbours_have_no_third_centre_between_them() -> None:
    ends = set(zip(*(x.tolist() for x in find_neighbours(place(5).lat, place(5).lon)), strict=True))
    assert ends == {(0, 1), (1, 2), (2, 3), (3, 4)}
    # A square with a centre: the centre is joined to all corners, no diagonal is kept.
    lat, lon = np.array([0.0, 0, 1, 1, 0.5]), np.array([0.0, 1, 0, 1, 0.5])
    one, other = find_neighbours(lat, lon)
    diagonals = {(0, 3), (1, 2)}
    assert not diagonals & set(zip(one.tolist(), other.tolist(), strict=True))
    assert (np.bincount(np.r_[one, other])[4]) == 4


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_roads_can_be_derived_for_any_number_of_zones(count: int) -> None:
    roads = Roads.derive(place(count))
    assert len(roads.exits) > 0
    assert np.isfinite(roads.find_ways_out(roads.hours)[0]).any(axis=1).all()


def test_derived_ways_out_avoid_the_sea() -> None:
    coast = place(8, coast_km=[float(n) for n in range(8)])
    assert set(derive_exits(coast)["from"]) == {"h"}
    assert set(derive_exits(place(8))["from"]) == {"a", "h"}


def test_dense_zones_are_joined_by_wider_slower_streets() -> None:
    dense = derive_streets(place(3, population=[50_000, 50_000, 100]))
    lanes, kmh = (
        dict(zip(dense["from"] + dense["to"], dense[n], strict=True)) for n in ("lanes", "kmh")
    )
    assert lanes["ab"] > lanes["bc"]
    assert kmh["ab"] < kmh["bc"]


@pytest.mark.parametrize("name", ["charleston", "columbia"])
def test_shipped_roads_join_all_zones(name: str) -> None:
    settings = HurricaneSettings(place=name)
    shipped = read_place(name)
    roads = read_roads(settings, shipped)
    again = Roads.from_table(roads.to_table(shipped), shipped)
    assert np.array_equal(again.capacity, roads.capacity)
    # Each zone has a way out within two hours without traffic.
    assert roads.find_ways_out(roads.hours)[0].min(axis=1).max() < 2
    assert any("I-26" in road for road in roads.exits)
    assert roads.reversible.any() == (name == "charleston")
    assert {road for road, back in zip(roads.names, roads.reversible, strict=True) if back} <= {
        "I-26",
        "I-26 and SC-642 Dorchester Road",
    }
