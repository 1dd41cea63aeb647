"""Track of a storm: reading, interpolation and nearest approach."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from memopolis.scenarios.hurricane.wind import inland_decay
from memopolis.sim.arrays import Bools, Float64
from memopolis.sim.clock import FIRST_YEAR, LAST_YEAR
from memopolis.sim.errors import DataFileError
from memopolis.sim.read_only import read_only
from memopolis.sim.world.columns import read_rules, read_table
from memopolis.sim.world.daylight import find_offset, find_time_zone
from memopolis.sim.world.geometry import along, bearing_deg, great_circle_km
from memopolis.sim.world.place import Place

DATA = Path(__file__).parent / "data"
STORMS = ("dorian", "florence", "matthew", "irma", "ian")
KM_PER_NAUTICAL_MILE = 1.852
DAYS_BEFORE, DAYS_AFTER = 8, 5  # days of a run before and after nearest approach (choice)
QUADRANTS = ("ne", "se", "sw", "nw")

TRACK_COLUMNS = read_rules(__file__, "track")
"""Columns of a track file, one row per point, in order of time.

time_utc (ISO), lat (degrees north), lon (degrees east, negative in the west) and wind_kt (1-minute
wind, knots) are required; after a row with record_id L (landfall), wind_kt may be empty and decays
over land. pressure_mb, r34_*_nm (radius of 34 kt by quadrant, nautical miles, 0 for none) and
rmw_nm (radius of maximum wind) are used if present. The first name is that of the storm.
"""


@dataclass(frozen=True, eq=False)
class Track:
    """Points of a storm, in order of time."""

    name: str  # name of the storm, empty if unknown
    hours: Float64  # hours since `start`, ascending, shape (points,)
    start: datetime  # time of the first point, UTC
    lat: Float64  # latitude of the centre, degrees north
    lon: Float64  # longitude of the centre, degrees east
    wind_kt: Float64  # maximum 1-minute wind, knots
    pressure_mb: Float64  # central pressure; NaN if unknown
    # Radius of 34 kt by quadrant NE, SE, SW, NW, shape (points, 4); NaN if unknown, 0 for none
    r34_km: Float64
    rmw_km: Float64  # radius of maximum wind; NaN if unknown
    time_zone: str = "America/New_York"  # time zone in which local times are meant

    @classmethod
    def read(cls, storm: str | PathLike[str]) -> Self:
        """Read a shipped storm of `STORMS`, or a CSV file with `TRACK_COLUMNS`.

        Raises DataFileError if the file is missing, a value is invalid, or times do not ascend.
        """
        if storm in STORMS:
            return cls._shipped(str(storm))
        path = Path(storm)
        if not path.exists():
            needed = [name for name, rule in TRACK_COLUMNS.items() if rule.required]
            raise DataFileError(
                f"storm '{storm}' is neither one of {', '.join(STORMS)} nor an existing CSV file "
                f"with columns {', '.join(needed)}; set storm=none to simulate no storm"
            )
        return cls._read(path)

    @classmethod
    @cache
    def _shipped(cls, storm: str) -> Self:
        """Read a shipped storm, once per process."""
        track = cls._read(DATA / "storms" / f"{storm}.csv")
        return read_only(replace(track, name=storm))

    @classmethod
    def _read(cls, path: Path) -> Self:
        table = read_table(path, TRACK_COLUMNS)
        names = [name for name in table["name"] if name]
        return cls.from_table(table, name=names[0] if names else "", source=str(path))

    @classmethod
    def from_table(cls, table: pd.DataFrame, *, name: str, source: str = "track") -> Self:
        """Build a track from a checked table with the columns of `TRACK_COLUMNS`.

        Raises DataFileError if times do not ascend, there are fewer than two points, or a wind is
        missing other than after a landfall.
        """
        times = table["time_utc"]
        gaps = np.diff(times.to_numpy()) / np.timedelta64(1, "h")
        if len(table) < 2 or (gaps <= 0).any():
            row = int(np.argmax(gaps <= 0)) + 2 if len(table) > 1 else 1
            raise DataFileError(
                f"{source}, row {row}, column time_utc: a track needs at least two points in "
                "ascending order of time"
            )
        if not FIRST_YEAR <= times.iloc[0].year <= times.iloc[-1].year <= LAST_YEAR:
            raise DataFileError(
                f"{source}, column time_utc: times must be in the years {FIRST_YEAR} to "
                f"{LAST_YEAR}, got {times.iloc[0]} to {times.iloc[-1]}"
            )
        hours = np.concatenate([[0.0], np.cumsum(gaps)])
        lacks = table["wind_kt"].isna().to_numpy()
        landfall = (table["record_id"] == "L").to_numpy()
        return cls(
            name=name,
            hours=hours,
            start=times.iloc[0].to_pydatetime(),
            lat=table["lat"].to_numpy(np.float64),
            lon=table["lon"].to_numpy(np.float64),
            wind_kt=_decayed(table["wind_kt"].to_numpy(np.float64), lacks, landfall, hours, source),
            pressure_mb=table["pressure_mb"].to_numpy(np.float64),
            r34_km=KM_PER_NAUTICAL_MILE
            * table[[f"r34_{quadrant}_nm" for quadrant in QUADRANTS]].to_numpy(np.float64),
            rmw_km=KM_PER_NAUTICAL_MILE * table["rmw_nm"].to_numpy(np.float64),
        )

    def __len__(self) -> int:
        return len(self.hours)

    def at(self, hours: Float64) -> Self:
        """Interpolate to hours since `start`, within the track: positions along great circles.

        All else is linear. A radius known at one of two points only is taken from that point.
        """
        when = np.clip(hours, self.hours[0], self.hours[-1])
        right = np.clip(np.searchsorted(self.hours, when, side="right"), 1, len(self) - 1)
        left = right - 1
        share = (when - self.hours[left]) / (self.hours[right] - self.hours[left])
        lat, lon = along(self.lat[left], self.lon[left], self.lat[right], self.lon[right], share)

        def between(values: Float64) -> Float64:
            part = share if values.ndim == 1 else share[:, None]
            a, b = values[left], values[right]
            a, b = np.where(np.isnan(a), b, a), np.where(np.isnan(b), a, b)
            return np.asarray(a + part * (b - a))

        return replace(
            self,
            hours=np.asarray(hours, np.float64),
            lat=lat,
            lon=lon,
            wind_kt=between(self.wind_kt),
            pressure_mb=between(self.pressure_mb),
            r34_km=between(self.r34_km),
            rmw_km=between(self.rmw_km),
        )

    def hours_at(self, local: datetime) -> float:
        """Return the hours from `start` to a local time."""
        utc = local - find_offset(self.time_zone, local)
        return (utc - self.start) / timedelta(hours=1)

    def motion(self) -> tuple[Float64, Float64]:
        """Return speed in knots and compass direction in degrees of the storm's motion."""
        before = np.maximum(np.arange(len(self)) - 1, 0)
        after = np.minimum(np.arange(len(self)) + 1, len(self) - 1)
        ends = (self.lat[before], self.lon[before], self.lat[after], self.lon[after])
        spent = np.maximum(self.hours[after] - self.hours[before], 1e-9)
        return great_circle_km(*ends) / KM_PER_NAUTICAL_MILE / spent, bearing_deg(*ends)


@dataclass(frozen=True)
class Approach:
    """Nearest approach of a storm to a point."""

    km: float  # distance of the centre
    when_utc: datetime  # time, UTC, to the hour
    when: datetime  # local time
    wind_kt: float  # maximum wind of the storm at that time


def nearest_approach(track: Track, lat: float, lon: float) -> Approach:
    """Find the first hour at which a storm's centre is nearest to a point, in degrees."""
    # Full hours of the clock, whatever minute the track begins at.
    offset = -(track.start.minute / 60 + track.start.second / 3600) % 1.0
    hourly = track.at(np.arange(offset, track.hours[-1] + 1e-9, 1.0))
    away = great_circle_km(hourly.lat, hourly.lon, lat, lon)
    at = int(np.argmin(away))
    when = track.start + timedelta(hours=float(hourly.hours[at]))
    local = when + find_offset(find_time_zone(lat, lon), when)
    return Approach(float(away[at]), when, local, float(hourly.wind_kt[at]))


def reference_point(place: Place) -> tuple[float, float]:
    """Return the point from which distances to storms are measured: the centre of central zones."""
    central = place.table["central"].to_numpy(bool)
    used = central if central.any() else np.ones(len(place), bool)
    return float(place.lat[used].mean()), float(place.lon[used].mean())


def storm_window(track: Track, place: Place) -> tuple[datetime, datetime]:
    """Return the period of a run: whole days around the nearest approach of the storm."""
    day = nearest_approach(track, *reference_point(place)).when
    midnight = day.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(days=DAYS_BEFORE), midnight + timedelta(days=DAYS_AFTER + 1)


def _decayed(wind: Float64, lacks: Bools, landfall: Bools, hours: Float64, source: str) -> Float64:
    """Fill winds missing after a landfall by their decay over land."""
    filled = wind.copy()
    for row in np.flatnonzero(lacks):
        known = np.flatnonzero(~lacks[:row])
        last = int(known[-1]) if len(known) else -1
        if last < 0 or not landfall[last]:
            raise DataFileError(
                f"{source}, row {row + 1}, column wind_kt: empty; only rows after a landfall "
                "(record_id L) may omit it"
            )
        filled[row] = inland_decay(wind[last], hours[row] - hours[last])
    return filled
