"""Read the zones of a place: a shipped one, a folder or a file."""

from dataclasses import replace
from functools import cache
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.scenarios.places.place_files import PLACES, PlaceFiles, find_place
from memopolis.scenarios.places.zone_geojson import read_zones
from memopolis.sim.errors import DataFileError
from memopolis.sim.read_only import read_only
from memopolis.sim.world.columns import Column, read_rules, read_table
from memopolis.sim.world.place import MOST_ZONES, Place
from memopolis.sim.world.shapes import list_rings

MARGINAL_COLUMNS = read_rules(__file__, "marginals")
"""Marginals of the people of a zone or county: households, dollars of 2018 (median_income), people
at work (employed) and minutes (mean_commute); the rest in percent."""

_PERCENT = Column("number", least=0, most=100)
OTHER_MARGINALS = ("owners", "female")
"""Marginals in percent that a zone may have in addition: of households, and of people."""

ZONE_COLUMNS = read_rules(__file__, "zones") | {
    name: replace(rule, required=False, blank=True)
    for name, rule in (MARGINAL_COLUMNS | dict.fromkeys(OTHER_MARGINALS, _PERCENT)).items()
}
"""Columns of a zone file: the first five are required, others are used if present.

county selects marginals where the zone has none of its own (see `synthesis.counties`), wages_usd
(yearly wages of a zone's residents) adjusts incomes, coast_km (distance to the sea) determines the
surge band if band is empty, ordered marks zones of orders to "ordered" zones, central marks zones
with central jobs (if none: the three densest), sea_bearing is the compass direction of the open sea
for gusts.
"""

BAND_LIMITS_KM = ((4.0, "A"), (12.0, "B"), (25.0, "C"))
"""Surge band by distance to the sea (illustrative; not the official Know Your Zone map)."""
BANDS = ("A", "B", "C", "none")
CENTRES = 3  # number of central zones if a file marks none (illustrative)


def read_place(place: str | PathLike[str] = "charleston") -> Place:
    """Read a shipped place, a folder with zones.csv, or a CSV file with `ZONE_COLUMNS`.

    The result's `table` has all columns of `ZONE_COLUMNS`, filled.

    Raises:
        UnknownNameError: If the place is neither shipped nor exists.
        DataFileError: If a file is missing or a value is invalid.
        RunFolderError: If a link in the folder leads out of it.
    """
    if place in PLACES:
        shipped = shipped_place(str(place))
        # The arrays are read-only, but a data frame cannot be.
        return replace(shipped, table=shipped.table.copy())
    return _read(find_place(place))


@cache
def shipped_place(place: str) -> Place:
    """Read a shipped place, once per process; its table must not be changed."""
    return read_only(_read(find_place(place)))


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


def _read(files: PlaceFiles) -> Place:
    table = read_table(files.zones, ZONE_COLUMNS)
    if len(table) > MOST_ZONES:
        raise DataFileError(
            f"{files.zones}: {len(table):,} zones; at most {MOST_ZONES:,} are allowed"
        )
    for name in ("zone", "name", "county"):
        wrong = np.flatnonzero(~table[name].map(str.isprintable))
        if len(wrong):
            raise DataFileError(
                f"{files.zones}, row {wrong[0] + 1}, column {name}: {table[name][wrong[0]]!r:.60}, "
                "expected printable characters"
            )
    unknown = [name for name in (*MARGINAL_COLUMNS, *OTHER_MARGINALS) if table[name].isna().all()]
    table = table.drop(columns=unknown)
    place = Place.from_table(fill_zones(table), name=files.name, source=str(files.zones))
    return replace(place, outlines=read_outlines(files, place.table))


def fill_zones(table: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of a table of zones with surge bands and central zones filled."""
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


def read_outlines(files: PlaceFiles, zones: pd.DataFrame) -> pd.DataFrame | None:
    """Read zones.geojson of a place: zone (number), ring, point, lon and lat, a row per point.

    Returns None without outlines. Raises DataFileError if features are invalid, or not the zones.
    """
    path = files.find("zones.geojson")
    if path is None:
        return None
    table, shapes = read_zones(path)
    number = _match(path, table["zone"].tolist(), zones["zone"].tolist())
    rings = [
        pd.DataFrame({"zone": np.int16(zone), "ring": np.int32(ring), "lon": lon, "lat": lat})
        for zone, at in enumerate(number)
        for ring, (lon, lat) in enumerate(points.T for points in list_rings(shapes[at]))
    ]
    outlines = pd.concat(rings, ignore_index=True)
    point = outlines.groupby(["zone", "ring"]).cumcount().astype(np.int32)
    outlines.insert(2, "point", point)
    return outlines


def _match(path: Path, features: list[str], zones: list[str]) -> list[int]:
    """Return the number of the feature of each zone."""
    at = {code: number for number, code in enumerate(features)}
    missing = [code for code in zones if code not in at]
    more = [code for code in features if code not in set(zones)]
    if missing or more:
        wrong = f"zone '{missing[0]}' has no feature" if missing else f"'{more[0]}' is no zone"
        raise DataFileError(
            f"{path}: {wrong}; the id of each feature must be the code of a zone in zones.csv"
        )
    return [at[code] for code in zones]
