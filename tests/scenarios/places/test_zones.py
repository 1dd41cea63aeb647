from pathlib import Path

import pytest

from memopolis.scenarios.places.zones import read_place
from memopolis.scenarios.synthesis.counties import read_counties
from memopolis.sim.errors import DataFileError, UnknownNameError

UNORDERED = {"29434", "29461"}


def test_charleston_matches_published_population_and_orders() -> None:
    place = read_place("charleston")
    assert len(place) == 30
    assert place.population.sum() == 612_178
    table = place.table.set_index("zone")
    assert set(table.index[~table["ordered"]]) == UNORDERED
    beyond = table.loc[["29426", "29470", "29456", "29483", "29485"]]
    assert (beyond["band"] == "none").all()
    assert beyond["population"].sum() == pytest.approx(145_600, abs=100)
    assert table["central"].sum() == 3
    assert table.loc["29456", "county"] == "Dorchester"


def test_columbia_has_no_orders_and_is_far_from_the_sea() -> None:
    place = read_place("columbia")
    assert place.population.sum() == 667_020
    assert not place.table["ordered"].any()
    assert (place.table["coast_km"] > 130).all()


def test_custom_zones_need_only_five_columns(tmp_path: Path) -> None:
    file = tmp_path / "savannah.csv"
    file.write_text(
        "zone,name,lat,lon,population,coast_km\n"
        "1,North,32.1,-81.0,900,3\n2,South,32.0,-81.0,800,20\n3,West,32.0,-81.2,70,\n"
        "4,East,32.0,-80.9,60,5\n"
    )
    place = read_place(file)
    assert place.name == "savannah"
    assert place.table["band"].tolist() == ["A", "C", "none", "B"]
    assert place.table["central"].tolist() == [True, True, True, False]
    assert (place.table["county"] == "").all()


def test_invalid_places_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="choose charleston or columbia"):
        read_place("atlantis")
    file = tmp_path / "zones.csv"
    file.write_text("zone,name,lat,lon,population,band\n1,North,32.1,-81.0,900,D\n")
    with pytest.raises(DataFileError, match=r"row 1, column band: 'D', expected one of A, B"):
        read_place(file)


def test_counties_match_published_figures() -> None:
    counties = read_counties()
    assert len(counties) == 47
    assert counties.loc["Charleston", "households"] == 156_482
    assert counties.loc["Richland", "no_vehicle"] == 7.0
    assert counties.loc["Lexington", "mobile_homes"] == 18.7
    assert counties.loc["South Carolina", "population"] == pytest.approx(4_955_925)
