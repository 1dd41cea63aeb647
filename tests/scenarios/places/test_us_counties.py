"""Counties of the United States from the shipped tables."""

import re

import pytest
import shapely

from memopolis.scenarios.places.us_counties import (
    NATION,
    check_counties,
    find_zips,
    label_counties,
    label_county,
    list_zips,
    outline,
    read_counties,
)
from memopolis.sim.errors import UnknownNameError


def test_the_table_has_every_county_with_its_marginals() -> None:
    counties = read_counties().drop(NATION)
    assert len(counties) == 3_231
    assert counties.index.is_unique
    states = counties[counties.index < "60"]
    assert states["median_income"].isna().sum() == 1  # the District of Columbia
    assert states["under_18"].isna().sum() < 10
    assert states["persons_household"].dropna().between(1.6, 4.2).all()
    assert states["poverty"].dropna().between(1, 70).all()
    assert read_counties().loc[NATION].notna().all()


def test_zip_areas_of_all_counties_hold_the_population_of_2010() -> None:
    total = list_zips(list(read_counties().index[1:]))
    assert total["zone"].is_unique
    assert total["population"].sum() == pytest.approx(312_462_997)
    lee = list_zips(["12071"])
    assert len(lee) == 35
    assert lee["population"].sum() == pytest.approx(618_754, rel=0.05)  # Census 2010


def test_the_outline_of_a_county_is_land() -> None:
    lee = outline("12071")
    assert lee.is_valid
    assert shapely.contains_xy(lee, -81.87, 26.62)  # Fort Myers
    assert not shapely.contains_xy(lee, -82.30, 26.50)  # the Gulf
    assert len(lee.geoms) >= 3  # islands
    fairfax = outline("51059")
    assert not shapely.contains_xy(fairfax, -77.305, 38.846)  # an independent city within it
    assert shapely.contains_xy(outline("51600"), -77.305, 38.846)


@pytest.mark.parametrize(
    ("text", "suggested"),
    [
        ("12070", "12071 (Lee, Florida)"),
        ("lee, florida", "12071 (Lee, Florida)"),
        ("Charlestn, south carolina", "45019 (Charleston, South Carolina)"),
        ("00000", "five digits"),
        ("", "five digits"),
    ],
)
def test_an_unknown_county_is_refused_with_a_suggestion(text: str, suggested: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        check_counties([text])
    assert suggested in str(refused.value)


def test_a_county_without_residents_and_an_unknown_zip_area_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="has no ZIP area with residents"):
        check_counties(["60010"])
    with pytest.raises(UnknownNameError, match="unknown ZIP area '00000'"):
        find_zips(["00000"])
    assert label_county("72001") == "Adjuntas, Puerto Rico"
    assert check_counties(["12071", "12071"]) == ["12071"]


def test_a_title_names_few_counties_and_counts_many() -> None:
    codes = [code for code in read_counties().index if code.startswith("45")]
    assert label_counties(codes[:2]) == ("Abbeville, South Carolina; Aiken, South Carolina")
    assert label_counties(codes) == "46 counties of South Carolina"
    everywhere = list(read_counties().index[1:])
    assert re.fullmatch(r"[\d,]+ counties of \d+ states", label_counties(everywhere))
