"""Build a place: zones with outlines, marginals and distances, and roads between them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.scenarios.places import us_counties
from memopolis.scenarios.places.marginals import ORIGINS, fill_marginals, find_marginals
from memopolis.scenarios.places.place_files import NO_PLACE, PLACES, check_file
from memopolis.scenarios.places.zone_geojson import MOST_MB, read_zones
from memopolis.scenarios.places.zones import ZONE_COLUMNS, fill_zones
from memopolis.sim.errors import DataFileError, ParameterError
from memopolis.sim.world.columns import Column, check_names, check_table
from memopolis.sim.world.csv_files import read_csv
from memopolis.sim.world.place import MOST_ZONES, Place
from memopolis.sim.world.shapes import (
    MARGIN_KM,
    cells,
    find_land_around,
    find_sea_bearing,
    measure_coast_km,
    measure_km2,
)

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
SEA_KM = 100.0
"""Distance to the sea of the nearest zone within which a place has a direction of the sea."""
ORDERED_BANDS = ("A", "B", "C")
"""Surge bands whose zones are marked for orders to "ordered" zones, as around Charleston."""
STATE_WITH_TABLE = "45"  # south Carolina, for whose counties `synthesis` has newer marginals
COLUMNS = {**ZONE_COLUMNS, "name": Column("text", required=False, blank=True, default="")}
"""Columns of zones that a user gives; the code is the name of a zone without one."""
OVERLAID = {name: rule for name, rule in COLUMNS.items() if name != "zone"}


@dataclass(frozen=True)
class Sources:
    """What a place is built from."""

    counties: Sequence[str] = ()  # FIPS codes of counties of the United States
    zips: Sequence[str] = ()  # codes of ZIP areas; only these of the counties, or in any county
    geojson: Path | None = None  # file with the outlines of zones
    csv: Path | None = None  # file with columns of zones; without other sources, with their centres


@dataclass(frozen=True, eq=False)
class NewPlace:
    """A place that was built."""

    place: Place  # the zones; its `table` has all columns of zones.csv
    title: str  # readable name
    shapes: "list[BaseGeometry]"  # outline of each zone, in degrees
    origins: dict[str, str]  # source of each column
    taken_over: tuple[str, ...]  # defaults taken over from elsewhere, one phrase each


def check_name(name: str) -> str:
    """Return the name of a new place. Raises ParameterError if it is no plain word, or taken."""
    if not NAME.fullmatch(name):
        raise ParameterError(
            f"the name of the place is '{name:.60}'; it must consist of 1 to 40 lower-case "
            "letters, digits, - and _; choose the folder with --out"
        )
    if name in (*PLACES, NO_PLACE):
        raise ParameterError(
            f"'{name}' is a word of the setting place; choose another name, such as my-{name}"
        )
    return name


DERIVED_ROADS = "residents per lane out of Charleston, for derived roads"
"""Default that the roads of a new place take over."""


@dataclass(eq=False)
class _Zones:
    """Zones while a place is built; the attributes are those of `NewPlace`."""

    title: str
    table: pd.DataFrame
    shapes: "list[BaseGeometry]"
    origins: dict[str, str]
    taken_over: list[str]


def build_place(name: str, sources: Sources) -> NewPlace:
    """Build a place from counties and ZIP areas, or from files of zones.

    Raises:
        ParameterError: If the name is invalid, or the sources are none or contradict each other.
        UnknownNameError: If a county or ZIP area is unknown.
        DataFileError: If a file is invalid.
    """
    check_name(name)
    if sources.geojson and (sources.counties or sources.zips):
        raise ParameterError("give either --county and --zip or --geojson, not both")
    title = name.replace("-", " ").replace("_", " ").title()
    if sources.counties or sources.zips:
        zones = _build_us(sources)
    elif sources.geojson:
        zones = _build_outlined(title, sources.geojson, sources.csv)
    elif sources.csv:
        zones = _build_around_centres(title, sources.csv)
    else:
        raise ParameterError(
            "a new place needs zones: give --county FIPS, --zip, --geojson FILE or --csv FILE"
        )
    _add_distances(zones)
    _add_bands(zones)
    place = Place.from_table(_round(zones.table), name=name, source=name)
    kept = {str(name): zones.origins.get(str(name), "none") for name in place.table}
    taken_over = (*zones.taken_over, DERIVED_ROADS)
    return NewPlace(place, zones.title, zones.shapes, kept, taken_over)


def _build_us(sources: Sources) -> _Zones:
    """Build zones from counties and ZIP areas."""
    counties, chosen = _choose_zips(sources)
    zips = us_counties.list_zips(counties)
    shapes: dict[str, BaseGeometry] = {}
    for county in counties:
        own = zips[zips["county_code"] == county]
        parts = cells(
            own["lat"].to_numpy(float), own["lon"].to_numpy(float), us_counties.outline(county)
        )
        shapes |= dict(zip(own["zone"], parts, strict=True))
    marginals, taken = find_marginals(zips["county_code"], zips)
    table = pd.concat([zips, marginals], axis=1)
    table["county"] = table["county_code"].map(us_counties.label_county)
    table = table.drop(columns="county_code")
    if chosen is not None:
        table = table[table["zone"].isin(chosen)].reset_index(drop=True)
    _check_number(len(table), "the counties")
    origins = dict.fromkeys(table.columns, "Census Bureau 2010 by ZIP area (uszipcode)")
    origins |= {"wages_usd": "Internal Revenue Service by ZIP area (uszipcode)"}
    origins |= ORIGINS | {"county": "centre of the ZIP area in the outline (us-atlas)"}
    table = check_table(table, COLUMNS, source="the counties", others_kept=True)
    if sources.csv:
        table = _overlay(table, sources.csv, origins)
    title = us_counties.label_counties(counties)
    return _Zones(title, table, [shapes[zone] for zone in table["zone"]], origins, taken)


def _choose_zips(sources: Sources) -> tuple[list[str], list[str] | None]:
    """Return the counties, and the codes of the chosen ZIP areas, None for all."""
    counties = us_counties.check_counties(sources.counties)
    if not sources.zips:
        return counties, None
    zips = us_counties.find_zips(sources.zips)
    if not counties:
        return list(dict.fromkeys(zips["county_code"])), list(zips["zone"])
    outside = zips[~zips["county_code"].isin(counties)]
    if len(outside):
        code, county = outside.iloc[0][["zone", "county_code"]]
        raise ParameterError(
            f"ZIP area {code} is in {county} ({us_counties.label_county(county)}), which --county "
            "does not name"
        )
    return counties, list(zips["zone"])


def _build_outlined(title: str, geojson: Path, csv: Path | None) -> _Zones:
    """Build zones from the user's outlines."""
    raw, shapes = read_zones(geojson)
    # Outlines often come with many properties of their source.
    table = check_table(
        raw, COLUMNS, source=str(geojson), words=("feature", "field"), others_kept=True
    )
    origins = dict.fromkeys(raw.columns, geojson.name)
    if csv:
        table = _overlay(table, csv, origins)
    table, taken = _fill(table, origins)
    return _Zones(title, table, shapes, origins, taken)


def _build_around_centres(title: str, csv: Path) -> _Zones:
    """Build zones from the user's centres; each has the land that is nearest to it."""
    raw = read_csv(check_file(csv, most_mb=MOST_MB))
    table = check_table(raw, COLUMNS, source=str(csv))
    _check_number(len(table), str(csv))
    lat, lon = table["lat"].to_numpy(float), table["lon"].to_numpy(float)
    shapes = cells(lat, lon, find_land_around(lat, lon, MARGIN_KM))
    origins = dict.fromkeys(raw.columns, csv.name)
    table, taken = _fill(table, origins)
    return _Zones(title, table, shapes, origins, taken)


def _fill(table: pd.DataFrame, origins: dict[str, str]) -> tuple[pd.DataFrame, list[str]]:
    """Fill names and marginals of the user's zones."""
    table["name"] = table["name"].where(table["name"] != "", table["zone"])
    for name in ORIGINS:
        origins.setdefault(name, "United States, or mean of other zones")
    return fill_marginals(table)


def _check_number(zones: int, source: str) -> None:
    if zones > MOST_ZONES:
        raise DataFileError(
            f"{source} have {zones:,} zones; at most {MOST_ZONES:,} are allowed; choose some by "
            "--zip"
        )


def _overlay(table: pd.DataFrame, path: Path, origins: dict[str, str]) -> pd.DataFrame:
    """Replace columns of zones by those of a file, by code; blank cells change nothing."""
    own = read_csv(check_file(path, most_mb=MOST_MB))
    rules = {
        name: Column(rule.kind, blank=True, least=rule.least, most=rule.most, options=rule.options)
        for name, rule in OVERLAID.items()
    }
    check_names(own, ("zone", *rules), str(path))
    rules = {name: rule for name, rule in rules.items() if name in own}
    own = check_table(own, {"zone": Column("text"), **rules}, source=str(path))
    unknown = ~own["zone"].isin(table["zone"])
    if unknown.any():
        row = int(np.argmax(unknown))
        raise DataFileError(
            f"{path}, row {row + 1}, column zone: '{own['zone'][row]}' is no zone of the place"
        )
    twice = own["zone"].duplicated()
    if twice.any():
        row = int(np.argmax(twice))
        raise DataFileError(
            f"{path}, row {row + 1}, column zone: '{own['zone'][row]}' occurs twice"
        )
    by_zone = own.set_index("zone").reindex(table["zone"])
    filled = table.copy()
    for name in rules:
        cells_of = by_zone[name].reset_index(drop=True)
        known = cells_of.notna() & (cells_of != "")
        old = filled[name] if name in filled else pd.Series(np.nan, filled.index, object)
        filled[name] = cells_of.where(known, old)
        origins[name] = path.name
    return filled


def _add_distances(zones: _Zones) -> None:
    """Add areas, distances to the sea and its direction, where they are not known."""
    table, origins = zones.table, zones.origins
    lat, lon = table["lat"].to_numpy(float), table["lon"].to_numpy(float)
    if table["land_km2"].isna().any():
        areas = pd.Series(measure_km2(zones.shapes)).clip(lower=0.01)
        table["land_km2"] = table["land_km2"].fillna(areas)
        origins["land_km2"] = "area of the outline (computed)"
    if table["coast_km"].isna().any():
        table["coast_km"] = table["coast_km"].fillna(pd.Series(measure_coast_km(lat, lon)))
        origins["coast_km"] = "distance of the centre to the coast in sim/world/data (computed)"
    if table["sea_bearing"].isna().any() and table["coast_km"].min() < SEA_KM:
        nearest = int(table["coast_km"].argmin())
        bearing = find_sea_bearing(lat[nearest], lon[nearest])
        if bearing is not None:
            table["sea_bearing"] = table["sea_bearing"].fillna(bearing)
            origins["sea_bearing"] = "direction of most of the sea within 60 km (computed)"


def _add_bands(zones: _Zones) -> None:
    """Add surge bands, zones of orders and central zones, where they are not known."""
    has_bands = bool((zones.table["band"] != "").any())
    table = zones.table = fill_zones(zones.table)
    if not has_bands:
        zones.origins["band"] = "distance to the sea below 4, 12 and 25 km (illustrative)"
        if (table["band"] != "none").any():
            zones.taken_over.append("surge bands by distance to the sea, not by an official map")
    if not table["ordered"].any():
        table["ordered"] = table["band"].isin(ORDERED_BANDS)
        zones.origins["ordered"] = f"bands {', '.join(ORDERED_BANDS)} (illustrative)"
    zones.origins.setdefault("central", "the three densest zones (illustrative)")


def _round(table: pd.DataFrame) -> pd.DataFrame:
    """Round amounts as they are written, and drop columns that scenarios do not read."""
    rounded = table[list(COLUMNS)].copy()
    for name, rule in COLUMNS.items():
        if rule.kind == "number" and name in rounded:
            digits = 5 if name in {"lat", "lon"} else 2
            rounded[name] = rounded[name].astype(float).round(digits)
    return rounded
