"""Create the zones of shipped places and the survey's tax units from their source packages.

Run by maintainers of the data, in a separate environment:

    pip install taxcalc==6.8.5 uszipcode==0.1.3 pandas
    python tools/data/make_zones.py

Neither package is needed to run Memopolis. Typed columns of zones, with their sources, are in
typed_zones.csv. The README of each folder of data describes its files.
"""

import sqlite3
from importlib.resources import as_file, files
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent
SCENARIOS = FOLDER.parents[1] / "scenarios"
KM2_PER_SQUARE_MILE = 2.589988

# Surge bands by distance to the sea (illustrative; not the official Know Your Zone map).
BAND_LIMITS_KM = ((4.0, "A"), (12.0, "B"), (25.0, "C"))
# Compass direction of the open sea, for gusts; South Carolina's coast faces south-east.
SEA_BEARING = 135


def band(coast_km: float) -> str:
    """Return the surge band by distance to the sea; "none" beyond 25 km."""
    return next((name for limit, name in BAND_LIMITS_KM if coast_km < limit), "none")


def make_zones(typed: pd.DataFrame) -> pd.DataFrame:
    """Read the zones of a place from uszipcode and add typed columns, the most populous first."""
    with (
        as_file(files("uszipcode") / "data" / "zipcode.sqlite3") as path,
        sqlite3.connect(path) as base,
    ):
        table = pd.read_sql("SELECT * FROM zipcode", base, dtype={"Zipcode": str})
    table = table.merge(typed, left_on="Zipcode", right_on="zone")
    zones = pd.DataFrame(
        {
            "zone": table["zone"],
            "name": table["City"].str.title(),
            "county": table["county"],
            "lat": table["Latitude"].round(5),
            "lon": table["Longitude"].round(5),
            "population": table["Population"].astype(int),
            "housing_units": table["HouseOfUnits"].astype(int),
            "wages_usd": table["TotalWages"].astype("Int64"),
            "land_km2": (table["LandArea"] * KM2_PER_SQUARE_MILE).round(2),
            "coast_km": table["coast_km"],
            "band": table["coast_km"].map(band),
            "ordered": table["ordered"],
            "central": table["central"],
            "sea_bearing": SEA_BEARING,
        }
    )
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
    """Write the two places and the survey to their folders."""
    typed = pd.read_csv(FOLDER / "typed_zones.csv", comment="#", dtype={"zone": str})
    tables = {f"places/{place}/zones": make_zones(zones) for place, zones in typed.groupby("place")}
    for name, table in (tables | {"synthesis/data/households": make_tax_units()}).items():
        table.to_csv(SCENARIOS / f"{name}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
