"""Places built from counties, outlines and centres."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import shapely

from memopolis.scenarios.places.marginals import SIZE_RANGE, find_household_sizes
from memopolis.scenarios.places.new_place import NewPlace, Sources, build_place, check_name
from memopolis.scenarios.places.place_folder import write_place
from memopolis.scenarios.places.us_counties import outline, read_counties
from memopolis.scenarios.places.zone_geojson import read_zones
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.errors import DataFileError, MemopolisError, ParameterError, RunFolderError
from memopolis.sim.world.csv_files import read_csv
from memopolis.sim.world.roads import Roads

NEW_PROVIDENCE = Path(__file__).parent / "files" / "new_providence.geojson"


@pytest.fixture(scope="module")
def lee() -> NewPlace:
    return build_place("lee", Sources(counties=["12071"]))


@pytest.fixture(scope="module")
def islands() -> NewPlace:
    return build_place("new-providence", Sources(geojson=NEW_PROVIDENCE))


def test_zones_of_a_county_divide_its_land(lee: NewPlace) -> None:
    assert shapely.union_all(lee.shapes).symmetric_difference(outline("12071")).area < 1e-4
    table = lee.place.table.set_index("zone")
    assert table.loc["33931", "band"] == "A"  # Fort Myers Beach
    assert table.loc["33972", "band"] == "none"  # Lehigh Acres
    assert 200 < table["sea_bearing"].iloc[0] < 280  # the Gulf is in the south-west
    assert table["ordered"].equals(table["band"] != "none")
    assert table["central"].sum() == 3


def test_marginals_of_zones_add_up_to_those_of_the_county(lee: NewPlace) -> None:
    table, county = lee.place.table, read_counties().loc["12071"]
    people = table["population"]
    housed = people * (1 - table["group_quarters"] / 100)
    mean = housed.sum() / table["households"].sum()
    assert mean == pytest.approx(county["persons_household"], rel=0.005)
    assert np.average(table["poverty"], weights=people) == pytest.approx(
        county["poverty"], rel=0.02
    )
    assert np.average(table["aged_65"], weights=people) == pytest.approx(county["aged_65"])
    above = np.average(table["median_income"] > county["median_income"], weights=people)
    assert 0.3 < above < 0.7
    assert table["median_income"].max() < 3 * county["median_income"]
    assert 0.40 < table["employed"].sum() / people.sum() < 0.46  # many are retired


def test_defaults_and_sources_are_listed(lee: NewPlace) -> None:
    assert any("disability" in phrase for phrase in lee.taken_over)
    assert any("surge bands" in phrase for phrase in lee.taken_over)
    assert set(lee.origins) == set(lee.place.table)
    assert "none" not in lee.origins.values()
    assert "illustrative" in lee.origins["band"]


def test_several_counties_and_chosen_zip_areas() -> None:
    both = build_place("both", Sources(counties=["12071", "12021"]))
    assert both.title == "Lee, Florida; Collier, Florida"
    assert set(both.place.table["county"]) == {"Lee, Florida", "Collier, Florida"}
    some = build_place("some", Sources(zips=["33931", "33957"]))
    assert some.place.zones == ("33931", "33957")
    of_both = dict(zip(both.place.zones, both.shapes, strict=True))
    for zone, shape in zip(some.place.zones, some.shapes, strict=True):
        assert of_both[zone].equals(shape)
    with pytest.raises(ParameterError, match=r"33931 is in 12071 \(Lee, Florida\), which --county"):
        build_place("some", Sources(counties=["12021"], zips=["33931"]))


def test_an_inland_county_has_no_sea() -> None:
    table = build_place("denver", Sources(counties=["08031"])).place.table
    assert (table["coast_km"] > 1_000).all()
    assert (table["band"] == "none").all()
    assert table["sea_bearing"].isna().all()
    assert not table["ordered"].any()


def test_a_place_of_another_country(islands: NewPlace) -> None:
    table = islands.place.table.set_index("zone")
    assert table["population"].sum() == 246_329
    assert table.loc["nassau", "central"]
    assert table.loc["nassau", "coast_km"] == 0.5  # of the file
    assert table["under_18"].eq(26.3).all()
    assert 150 < table["land_km2"].sum() < 260  # 207 km2, recalled
    _, shapes = read_zones(NEW_PROVIDENCE)
    assert all(own.equals(read) for own, read in zip(islands.shapes, shapes, strict=True))
    (phrase,) = [one for one in islands.taken_over if "United States" in one]
    assert "disability" in phrase
    assert "under_18" not in phrase


def test_centres_without_outlines_have_the_land_around_them(tmp_path: Path) -> None:
    file = tmp_path / "tampa.csv"
    file.write_text(
        "zone,name,lat,lon,population,poverty\n"
        "1,Tampa,27.95,-82.46,900,10\n2,Clearwater,27.97,-82.77,300,\n3,Gulf,27.9,-84.5,10,20\n"
    )
    new = build_place("tampa", Sources(csv=file))
    assert not shapely.contains_xy(shapely.union_all(new.shapes), -82.95, 27.95)  # the Gulf
    assert shapely.contains_xy(new.shapes[0], -82.46, 27.95)
    assert new.shapes[2].area < 1e-4  # in the sea
    poverty = new.place.table["poverty"]
    assert poverty[1] == pytest.approx((900 * 10 + 10 * 20) / 910, abs=0.01)
    assert any("other zones" in phrase for phrase in new.taken_over)


def test_a_file_replaces_columns_of_zones(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("zone,mobile_homes,band\n33931,12.5,C\n33957,,\n")
    table = build_place("lee", Sources(counties=["12071"], csv=file)).place.table
    table = table.set_index("zone")
    assert table.loc["33931", "mobile_homes"] == 12.5
    assert table.loc["33931", "band"] == "C"
    assert table["mobile_homes"].drop("33931").eq(6.3).all()  # of the nation
    file.write_text("zone,mobile_homes\n33931,120\n")
    with pytest.raises(DataFileError, match="row 1, column mobile_homes: '120'"):
        build_place("lee", Sources(counties=["12071"], csv=file))
    file.write_text("zone,mobile_homes\n99999,12\n")
    with pytest.raises(DataFileError, match="row 1, column zone: '99999' is no zone"):
        build_place("lee", Sources(counties=["12071"], csv=file))
    file.write_text("zone,mobile_homes\n33931,12\n33931,13\n")
    with pytest.raises(DataFileError, match="row 2, column zone: '33931' occurs twice"):
        build_place("lee", Sources(counties=["12071"], csv=file))


@pytest.mark.parametrize(
    "name", ["../lee", "a/b", "/x", ".", "", "Lee", "lee county", "x" * 41, "-x", "a\n", "con."]
)
def test_a_name_with_a_path_or_other_characters_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="the name of the place is"):
        check_name(name)


@pytest.mark.parametrize("name", ["charleston", "columbia", "none"])
def test_words_of_the_setting_are_no_names(name: str) -> None:
    with pytest.raises(ParameterError, match=f"such as my-{name}"):
        check_name(name)


@pytest.mark.parametrize(
    ("sources", "part"),
    [
        (Sources(), "needs zones"),
        (Sources(counties=["12071"], geojson=NEW_PROVIDENCE), "not both"),
        (Sources(zips=["33931"], geojson=NEW_PROVIDENCE), "not both"),
    ],
)
def test_contradicting_sources_are_refused(sources: Sources, part: str) -> None:
    with pytest.raises(MemopolisError, match=part):
        build_place("mine", sources)


def test_a_written_place_is_read_with_the_same_values(islands: NewPlace, tmp_path: Path) -> None:
    folder = write_place(islands, tmp_path / "islands")
    again = read_place(folder)
    assert again.name == "new-providence"
    pd.testing.assert_frame_equal(
        again.table[list(islands.place.table)], islands.place.table, check_dtype=False
    )
    roads = Roads.from_table(read_csv(folder / "roads.csv"), again)
    assert np.array_equal(roads.capacity, Roads.derive(islands.place).capacity)
    table, shapes = read_zones(folder / "zones.geojson")
    assert tuple(table["zone"]) == islands.place.zones
    assert all(
        own.hausdorff_distance(read) < 2e-5
        for own, read in zip(islands.shapes, shapes, strict=True)
    )


def test_the_roads_of_a_place_join_its_zones_and_lead_out(lee: NewPlace, tmp_path: Path) -> None:
    folder = write_place(lee, tmp_path / "lee")
    roads = Roads.from_table(read_csv(folder / "roads.csv"), lee.place)
    assert roads.zones == 35
    assert len(roads.exits) >= 2
    derived = Roads.derive(lee.place)
    assert roads.exits == derived.exits
    np.testing.assert_allclose(roads.km, derived.km, atol=0.001)
    assert (roads.capacity / roads.lanes <= 2_200).all()  # Highway Capacity Manual
    assert any("roads" in phrase for phrase in lee.taken_over)


def test_a_used_folder_is_not_changed_and_an_error_leaves_none(
    islands: NewPlace, tmp_path: Path
) -> None:
    used = tmp_path / "used"
    used.mkdir()
    (used / "notes.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="exists and is not empty"):
        write_place(islands, used)
    assert [path.name for path in used.iterdir()] == ["notes.txt"]

    def fail(_: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_place(islands, tmp_path / "new", fail)
    assert [path.name for path in tmp_path.iterdir()] == ["used"]


def test_household_sizes_follow_housing_units_within_limits() -> None:
    people, units = np.array([1000.0, 1000.0, 1000.0, 500.0]), np.array([300.0, 400.0, 5000.0, 0.0])
    sizes = find_household_sizes(people, units, 2.5)
    assert people.sum() / (people / sizes).sum() == pytest.approx(2.5, rel=1e-6)
    assert sizes[2] == pytest.approx(SIZE_RANGE[0] * 2.5)
    assert sizes[0] >= sizes[1] > sizes[2]
    assert sizes[3] == 2.5
    assert (find_household_sizes(people, np.zeros(4), 2.5) == 2.5).all()
