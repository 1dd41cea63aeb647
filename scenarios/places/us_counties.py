"""Counties of the United States: outlines, ZIP areas and marginals from the shipped tables."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.sim.errors import UnknownNameError

if TYPE_CHECKING:
    from shapely import Polygon
    from shapely.geometry.base import BaseGeometry

DATA = Path(__file__).parent / "data"
_NAMED = 3  # most counties or states that a title names
NATION = "00000"  # code of the row of the United States
ZIP_COLUMNS = [
    "zone", "county_code", "name", "lat", "lon", "population", "housing_units", "wages_usd",
    "land_km2",
]  # fmt: skip


@cache
def read_counties() -> pd.DataFrame:
    """Read the marginals of all counties by FIPS code, in percent, with the row `NATION`.

    NaN where only the nation's is known. The table is cached, and must not be changed.
    """
    return pd.read_parquet(DATA / "us_counties.parquet").set_index("county")


@cache
def _read_zips() -> pd.DataFrame:
    table = pd.read_parquet(DATA / "us_zips.parquet")
    codes = read_counties().index[1:].to_numpy()
    zips = pd.DataFrame(
        {
            "zone": table["zip"].map("{:05d}".format),
            "county_code": codes[table["county"]],
            "name": table["name"],
            "lat": table["lat_e4"] / 1e4,
            "lon": table["lon_e4"] / 1e4,
            "population": table["population"],
            "housing_units": table["housing_units"],
            "wages_usd": 1e3 * table["wages_kusd"].astype("Float64").astype(float),
            "land_km2": np.maximum(table["land_ha"] / 100, 0.01),
        }
    )
    return zips[ZIP_COLUMNS]


def check_counties(codes: Sequence[str]) -> list[str]:
    """Return the codes of counties, without duplicates.

    Raises UnknownNameError if a code is unknown, or a county has no ZIP area with residents.
    """
    counties = read_counties()
    for code in codes:
        if code not in counties.index[1:]:
            raise UnknownNameError(f"unknown county '{code}'{_suggest(code)}")
        if code not in set(_read_zips()["county_code"]):
            raise UnknownNameError(
                f"county {code} ({label_county(code)}) has no ZIP area with residents; give its "
                "zones with --geojson or --csv"
            )
    return list(dict.fromkeys(codes))


def label_county(code: str) -> str:
    """Return name and state of a county."""
    row = read_counties().loc[code]
    return f"{row['name']}, {row['state']}"


def label_counties(codes: Sequence[str]) -> str:
    """Return name and state of a few counties; number and states of many."""
    if len(codes) <= _NAMED:
        return "; ".join(map(label_county, codes))
    states = read_counties().loc[list(codes), "state"].drop_duplicates()
    where = ", ".join(states) if len(states) <= _NAMED else f"{len(states)} states"
    return f"{len(codes)} counties of {where}"


def _suggest(text: str) -> str:
    """Return the end of a message about an unknown county, with counties that may be meant."""
    near = " or ".join(f"{code} ({label_county(code)})" for code in _find_near(text.strip()))
    hint = f". Did you mean {near}?" if near else "."
    return f"{hint} A county is given by its FIPS code of five digits, such as 12071"


def _find_near(text: str) -> list[str]:
    """Return up to three codes of the same state, or of counties with a similar name."""
    from difflib import get_close_matches

    counties = read_counties().iloc[1:]
    if text.isdigit():
        same_state = [code for code in counties.index if code[:2] == text[:2]]
        return sorted(same_state, key=lambda code: abs(int(code) - int(text)))[:3]
    labels = (counties["name"] + ", " + counties["state"]).str.lower()
    named = counties.index[labels.str.startswith(f"{text.lower()}, ")]
    known = dict(zip(labels, counties.index, strict=True))
    return list(named[:3]) or [
        known[one] for one in get_close_matches(text.lower(), known, n=3, cutoff=0.6)
    ]


def list_zips(counties: Sequence[str]) -> pd.DataFrame:
    """Return the ZIP areas with residents of counties, in the order of their codes.

    The columns are `ZIP_COLUMNS`: census population and housing units of 2010, yearly wages in
    dollars (NaN if unknown), land area.
    """
    zips = _read_zips()
    return zips[zips["county_code"].isin(counties)].sort_values("zone", ignore_index=True)


def find_zips(codes: Sequence[str]) -> pd.DataFrame:
    """Return ZIP areas as `list_zips`. Raises UnknownNameError if one is unknown."""
    zips = _read_zips()
    known = set(zips["zone"])
    for code in codes:
        if code not in known:
            raise UnknownNameError(
                f"unknown ZIP area '{code}'; ZIP areas with residents in 2010 are known, each by "
                "five digits"
            )
    return zips[zips["zone"].isin(codes)].sort_values("zone", ignore_index=True)


@cache
def outline(county: str) -> "BaseGeometry":
    """Return the outline of a county, clipped to land, in degrees."""
    import shapely

    at = read_counties().index[1:].get_loc(county)
    with np.load(DATA / "us_outlines.npz") as shipped:
        own = np.flatnonzero(shipped["county"] == at)
        points = np.cumsum(shipped["steps"], axis=0) * shipped["scale"] + shipped["offset"]
        starts = list(pairwise(shipped["starts"]))
        rings = [points[slice(*starts[ring])] for ring in own]
        holes = shipped["hole"][own]
    polygons: list[Polygon] = []
    for ring, hole in zip(rings, holes, strict=True):
        shape = shapely.Polygon(ring).buffer(0)
        if hole:
            polygons[-1] = polygons[-1].difference(shape)
        else:
            polygons.append(shape)
    return shapely.union_all(polygons)
