"""Places: zones of Charleston, Columbia or a custom file, and their counties."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.sim.errors import UnknownNameError
from memopolis.sim.read_only import read_only
from memopolis.sim.world.columns import Column, read_table
from memopolis.sim.world.place import Place

DATA = Path(__file__).parent / "data"
PLACES = ("charleston", "columbia")

ZONE_COLUMNS: Mapping[str, Column] = {
    "zone": Column("text"),
    "name": Column("text"),
    "lat": Column("number", least=-90, most=90),
    "lon": Column("number", least=-180, most=180),
    "population": Column("number", least=0),
    "county": Column("text", required=False, blank=True, default="South Carolina"),
    "wages_usd": Column("number", required=False, blank=True, least=0),
    "land_km2": Column("number", required=False, blank=True, least=0.01),
    "coast_km": Column("number", required=False, blank=True, least=0),
    "band": Column("text", required=False, blank=True, options=("A", "B", "C", "none")),
    "ordered": Column("flag", required=False, blank=True, default=0),
    "central": Column("flag", required=False, blank=True, default=0),
    "sea_bearing": Column("number", required=False, blank=True, least=0, most=360),
}
"""Columns of a zone file: the first five are required, others are used if present.

county selects marginals (counties.csv; unknown counties get the state's), wages_usd (yearly wages
of a zone's residents) adjusts incomes, coast_km (distance to the sea) determines the surge band if
band is empty, ordered marks zones of orders to "ordered" zones, central marks zones with central
jobs (if none: the three densest), sea_bearing is the compass direction of the open sea for gusts.
"""

BAND_LIMITS_KM = ((4.0, "A"), (12.0, "B"), (25.0, "C"))
"""Surge band by distance to the sea (illustrative; not the official Know Your Zone map)."""
BANDS = ("A", "B", "C", "none")
STATE = "South Carolina"
CENTRES = 3
"""Number of central zones if a file marks none (illustrative)."""

COUNTY_COLUMNS: Mapping[str, Column] = {
    "county": Column("text"),
    "population": Column("number", least=1),
    "households": Column("number", least=1),
    "median_income": Column("number", least=1),
    "employed": Column("number", least=1),
    "mean_commute": Column("number", least=1),
    **{
        name: Column("number", least=0, most=100)
        for name in (
            "under_18", "aged_65", "poverty", "disability", "unemployment", "no_high_school",
            "mobile_homes", "large_buildings", "no_vehicle", "group_quarters", "white", "black",
            "hispanic", "professional", "service", "office", "construction", "production",
            "work_at_home",
        )
    },
}  # fmt: skip
"""Columns of counties.csv: people, households, dollars and minutes; the rest in percent."""


def read_place(place: str | PathLike[str] = "charleston") -> Place:
    """Read a shipped place or a custom one.

    Args:
        place: "charleston" or "columbia", or a CSV file with the columns of `ZONE_COLUMNS`, or a
            folder with such a file, zones.csv; the place is named after the file or folder.

    Returns:
        The place; its `table` has all columns of `ZONE_COLUMNS`, filled.

    Raises:
        UnknownNameError: If the place is neither shipped nor exists.
        DataFileError: If the file is missing or a value is invalid.
    """
    if place in PLACES:
        shipped = shipped_place(str(place))
        # The arrays are read-only, but a data frame cannot be.
        return replace(shipped, table=shipped.table.copy())
    path = Path(place)
    if not path.exists() and not path.suffix:
        raise UnknownNameError(
            f"unknown place '{place}'; choose {' or '.join(PLACES)}, a CSV file of zones, or a "
            "folder with zones.csv"
        )
    return _read_place(path.stem, find_zones_file(place))


def find_zones_file(place: str | PathLike[str]) -> Path:
    """Return the file of zones of a shipped or custom place; it may not exist."""
    if place in PLACES:
        return DATA / f"zones_{place}.csv"
    path = Path(place)
    return path / "zones.csv" if path.is_dir() else path


@cache
def shipped_place(place: str) -> Place:
    """Read a shipped place, once per process; its table must not be changed."""
    return read_only(_read_place(place, find_zones_file(place)))


def is_shipped(place: Place) -> bool:
    """Return whether a place is shipped and unchanged."""
    if place.name not in PLACES:
        return False
    shipped = shipped_place(place.name)
    arrays = ("lat", "lon", "population", "land_km2")
    return (
        all(getattr(place, name) is getattr(shipped, name) for name in arrays)
        and (place.detour, place.slow_kmh, place.fast_kmh)
        == (shipped.detour, shipped.slow_kmh, shipped.fast_kmh)
        and place.table.equals(shipped.table)
    )


def _read_place(place: str, path: Path) -> Place:
    table = fill_zones(read_table(path, ZONE_COLUMNS))
    return Place.from_table(table, name=place, source=str(path))


def fill_zones(table: pd.DataFrame) -> pd.DataFrame:
    """Fill optional columns of a table of zones: surge bands and central zones.

    Args:
        table: Columns of `ZONE_COLUMNS`, typed.

    Returns:
        A copy with band and central set.
    """
    filled = table.copy()
    by_coast = [
        next((band for limit, band in BAND_LIMITS_KM if km < limit), "none")
        for km in filled["coast_km"].fillna(np.inf)
    ]
    filled["band"] = filled["band"].where(filled["band"] != "", pd.Series(by_coast))
    if not filled["central"].any():
        density = filled["population"] / filled["land_km2"]
        crowd = density if density.notna().all() else filled["population"]
        filled["central"] = crowd.rank(ascending=False, method="first") <= CENTRES
    return filled


@cache
def read_counties() -> pd.DataFrame:
    """Read marginals by county, once per process; the table must not be changed.

    Returns:
        Columns of `COUNTY_COLUMNS`, indexed by county; "South Carolina" is for other counties.
    """
    return read_table(DATA / "counties.csv", COUNTY_COLUMNS).set_index("county")
