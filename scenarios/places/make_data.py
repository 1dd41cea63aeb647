"""Create the zones of shipped places and the survey's tax units from their source packages.

Run by maintainers of the data, in a separate environment:

    pip install taxcalc==6.8.5 uszipcode==0.1.3 pandas
    python scenarios/places/make_data.py

Neither package is needed to run Memopolis. Typed values have their source in a comment;
The README of each folder of data describes its files.
"""

import sqlite3
from importlib.resources import as_file, files
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent
KM2_PER_SQUARE_MILE = 2.589988

# Kilometres from each zone's centre to the sea, computed from the Natural Earth 1:50m
# coastline (public domain), with errors of 2 to 4 km near inlets.
COAST_KM_CHARLESTON = {
    "29434": 28.6, "29404": 14.7, "29426": 30.9, "29482": 3.3, "29438": 5.3, "29487": 4.7,
    "29429": 6.1, "29450": 18.7, "29451": 0.1, "29470": 25.1, "29449": 13.2, "29492": 13.5,
    "29401": 0.6, "29410": 14.8, "29455": 8.1, "29403": 1.9, "29420": 21.4, "29418": 17.2,
    "29405": 7.4, "29456": 25.8, "29466": 7.7, "29406": 15.7, "29461": 37.5, "29414": 14.6,
    "29407": 6.1, "29412": 3.5, "29464": 3.0, "29485": 29.3, "29445": 22.1, "29483": 39.1,
}  # fmt: skip
COAST_KM_COLUMBIA = {
    "29052": 135.2, "29044": 141.0, "29130": 182.5, "29123": 152.0, "29160": 141.3,
    "29172": 157.7, "29054": 173.1, "29033": 163.5, "29061": 150.1, "29078": 160.3,
    "29070": 173.3, "29016": 182.9, "29206": 164.4, "29053": 153.8, "29036": 189.9,
    "29204": 167.1, "29170": 163.9, "29201": 165.3, "29045": 171.3, "29169": 168.6,
    "29205": 163.4, "29212": 180.3, "29063": 184.8, "29209": 156.7, "29203": 177.5,
    "29210": 176.0, "29073": 163.6, "29229": 173.1, "29072": 174.5, "29223": 169.8,
}  # fmt: skip

# County with the largest share of a zone's people. Charleston: Census 2010 ZCTA-county
# relationship file (29420 76%, 29456 45%, 29483 59%, 29485 93% Dorchester); all other
# zones are in Charleston County. Columbia: recalled, not checked; all other zones are in Richland.
COUNTY_CHARLESTON = {
    "Berkeley": ["29410", "29434", "29445", "29450", "29461", "29492"],
    "Dorchester": ["29420", "29456", "29483", "29485"],
}
COUNTY_COLUMBIA = {
    "Lexington": [
        "29033", "29036", "29053", "29054", "29070", "29072", "29073", "29123", "29160",
        "29169", "29170", "29172", "29212",
    ],
    "Kershaw": ["29045", "29078"],
    "Fairfield": ["29130"],
}  # fmt: skip

# Surge bands by distance to the sea (illustrative; not the official Know Your Zone map).
BAND_LIMITS_KM = ((4.0, "A"), (12.0, "B"), (25.0, "C"))
# Dorian's order took all of Charleston County, Berkeley B and G and Dorchester D, "which
# includes Goose Creek, Summerville and Ladson" (Post and Courier, 2 September 2019). By zone:
# all of Charleston County; elsewhere bands A to C and these three.
ORDERED_BEYOND_BANDS = {"29456", "29483", "29485"}
# Zones with central jobs (illustrative): the peninsula with its hospitals and North Charleston;
# State House and university, and the hospitals north and east of them.
CENTRAL = {"29401", "29403", "29405", "29201", "29203", "29204"}
# Compass direction of the open sea, for gusts; South Carolina's coast faces south-east.
SEA_BEARING = 135


def band(coast_km: float) -> str:
    """Return the surge band by distance to the sea; "none" beyond 25 km."""
    return next((name for limit, name in BAND_LIMITS_KM if coast_km < limit), "none")


def make_zones(
    coast_km: dict[str, float], counties: dict[str, list[str]], rest: str
) -> pd.DataFrame:
    """Read a site's zones from uszipcode and add the typed columns, the most populous first.

    Keys of `coast_km`, the distance to the sea, are the zones; those in no county are in `rest`.
    """
    with (
        as_file(files("uszipcode") / "data" / "zipcode.sqlite3") as path,
        sqlite3.connect(path) as base,
    ):
        table = pd.read_sql("SELECT * FROM zipcode", base, dtype={"Zipcode": str})
    table = table[table["Zipcode"].isin(list(coast_km))]
    county_of = {zone: county for county, zones in counties.items() for zone in zones}
    zones = pd.DataFrame(
        {
            "zone": table["Zipcode"],
            "name": table["City"].str.title(),
            "county": table["Zipcode"].map(lambda zone: county_of.get(zone, rest)),
            "lat": table["Latitude"].round(5),
            "lon": table["Longitude"].round(5),
            "population": table["Population"].astype(int),
            "housing_units": table["HouseOfUnits"].astype(int),
            "wages_usd": table["TotalWages"].astype("Int64"),
            "land_km2": (table["LandArea"] * KM2_PER_SQUARE_MILE).round(2),
            "coast_km": table["Zipcode"].map(coast_km),
        }
    )
    zones["band"] = zones["coast_km"].map(band)
    zones["ordered"] = [
        int(coastal and (county == rest or place_band != "none" or zone in ORDERED_BEYOND_BANDS))
        for zone, county, place_band, coastal in zip(
            zones["zone"], zones["county"], zones["band"], zones["coast_km"] < 100.0, strict=True
        )
    ]
    zones["central"] = zones["zone"].isin(CENTRAL).astype(int)
    zones["sea_bearing"] = SEA_BEARING
    return zones.sort_values(["population", "zone"], ascending=[False, True])


def make_tax_units(state: int = 45) -> pd.DataFrame:
    """Read the required columns of a state's tax units from Tax-Calculator's CPS file.

    Rows are sorted by household; dollars are of 2012 to 2014. State 45 is South Carolina.
    """
    with as_file(files("taxcalc") / "cps.csv.gz") as path:
        cps = pd.read_csv(path)
    cps = cps[cps["fips"] == state].sort_values(["FLPDYR", "h_seq", "a_lineno", "RECID"])
    household = cps.groupby(["FLPDYR", "h_seq"]).ngroup()
    other = ["e00300", "e00600", "e01500", "e02300", "e02400", "ssi_ben", "tanf_ben", "vet_ben"]
    return pd.DataFrame(
        {
            "household": household,
            "weight": (cps["s006"] / 100).round().astype(int),
            "age_head": cps["age_head"],
            "age_spouse": cps["age_spouse"],
            "persons": cps["XTOT"],
            "under_6": cps["nu06"],
            "under_18": cps["nu18"],
            "aged_18_20": cps["n1820"],
            "wage_head": cps["e00200p"] + cps["e00900p"].clip(lower=0),
            "wage_spouse": cps["e00200s"] + cps["e00900s"].clip(lower=0),
            "other_income": cps[other].sum(axis=1),
        }
    )


def main() -> None:
    """Write the two places here and the survey to `synthesis`."""
    charleston = make_zones(COAST_KM_CHARLESTON, COUNTY_CHARLESTON, "Charleston")
    columbia = make_zones(COAST_KM_COLUMBIA, COUNTY_COLUMBIA, "Richland")
    for name, table in (
        ("charleston/zones", charleston),
        ("columbia/zones", columbia),
        ("../synthesis/data/households", make_tax_units()),
    ):
        table.to_csv(FOLDER / f"{name}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
