"""The place a society lives in: zones with people, coordinates and travel times."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import DataFileError, ParameterError, UnknownNameError
from memopolis.sim.world.columns import check_table, read_rules
from memopolis.sim.world.daylight import find_daylight, find_time_zone
from memopolis.sim.world.geometry import great_circle_km

FloatArray = NDArray[np.float64]

COLUMNS = read_rules(__file__, "zones")
"""Columns of a table of zones; a table may have more."""

MOST_ZONES = 2_000  # maximum number of zones of a file: distances between all pairs are kept
DETOUR = 1.3  # road distance over straight distance (illustrative)
SLOW_KMH, FAST_KMH = 25.0, 60.0  # speed in the densest and in the emptiest zones (illustrative)
DENSE_PER_KM2, EMPTY_PER_KM2 = 2000.0, 50.0
"""Population densities with the slowest and the fastest traffic, in people per square kilometre
(illustrative); in between, speed decreases with the logarithm of density."""
WITHIN_ZONE = 128 / (45 * np.pi)
"""Mean distance between two points of a disc over its radius (computed; 0.905)."""


@dataclass(frozen=True, eq=False)
class Place:
    """Zones by number, and the distances and travel times between them.

    Attributes:
        name: Name of the place.
        zones: Codes of the zones; a zone's number is its position here.
        names: Readable names; several zones may share one.
        lat: Degrees north of the centres, shape (zones,).
        lon: Degrees east.
        population: Actual residents.
        land_km2: Land area; NaN where not known.
        table: Checked table of the zones, with all columns.
        detour: Road distance over straight distance.
        slow_kmh: Speed in the densest zones.
        fast_kmh: Speed in the least dense zones.
        outlines: Columns zone (number), ring, point, lon and lat, one row per point of a ring of
            a zone's outline; None if unknown.
    """

    name: str
    zones: tuple[str, ...]
    names: tuple[str, ...]
    lat: FloatArray
    lon: FloatArray
    population: FloatArray
    land_km2: FloatArray
    table: pd.DataFrame
    detour: float = DETOUR
    slow_kmh: float = SLOW_KMH
    fast_kmh: float = FAST_KMH
    outlines: pd.DataFrame | None = None

    @classmethod
    def from_table(
        cls,
        table: pd.DataFrame,
        *,
        name: str = "place",
        source: str = "table of zones",
        detour: float = DETOUR,
        slow_kmh: float = SLOW_KMH,
        fast_kmh: float = FAST_KMH,
    ) -> Self:
        """Build a place from a table with one row per zone, in the order of the rows.

        The table has the columns zone (unique code), name, lat, lon, population and, if known,
        land_km2; others are kept in `table`. `source` names it in error messages. A detour is >= 1,
        and 0 < slow_kmh <= fast_kmh.
        """
        if detour < 1 or not 0 < slow_kmh <= fast_kmh:
            raise ParameterError(
                f"detour {detour:g}, slow_kmh {slow_kmh:g}, fast_kmh {fast_kmh:g}: a detour of "
                "at least 1 and 0 < slow_kmh <= fast_kmh are needed"
            )
        checked = check_table(table, COLUMNS, source=source, others_kept=True)
        twice = checked["zone"].duplicated()
        if twice.any():
            row = int(np.argmax(twice))
            raise DataFileError(
                f"{source}, row {row + 1}, column zone: '{checked['zone'][row]}' occurs twice; "
                "each zone has one row"
            )
        if checked["population"].sum() <= 0:
            raise DataFileError(f"{source}, column population: no zone has residents")
        return cls(
            name=name,
            zones=tuple(checked["zone"]),
            names=tuple(checked["name"]),
            lat=checked["lat"].to_numpy(np.float64),
            lon=checked["lon"].to_numpy(np.float64),
            population=checked["population"].to_numpy(np.float64),
            land_km2=checked["land_km2"].to_numpy(np.float64),
            table=checked,
            detour=detour,
            slow_kmh=slow_kmh,
            fast_kmh=fast_kmh,
        )

    def __len__(self) -> int:
        return len(self.zones)

    def index(self, zone: str) -> int:
        """Return the number of a zone by its code; UnknownNameError if there is none."""
        try:
            return self.zones.index(zone)
        except ValueError:
            raise UnknownNameError(
                f"zone '{zone}' is not in {self.name}; its zones are {', '.join(self.zones)}"
            ) from None

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Unique labels of the zones: the name, with the code where names repeat."""
        return tuple(
            name if self.names.count(name) == 1 else f"{name} {zone}"
            for name, zone in zip(self.names, self.zones, strict=True)
        )

    def spoken_name(self, zone: int) -> str:
        """Return the name of a zone as people say it, without a code; names may repeat."""
        return self.names[zone]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each zone by code and by label; codes take precedence."""
        by_label = {label: zone for zone, label in enumerate(self.labels)}
        return by_label | {code: zone for zone, code in enumerate(self.zones)}

    @cached_property
    def centre(self) -> tuple[float, float]:
        """Mean latitude and longitude of the residents, in degrees."""
        lat, lon = (np.average(axis, weights=self.population) for axis in (self.lat, self.lon))
        return float(lat), float(lon)

    @cached_property
    def time_zone(self) -> str:
        """Name of the time zone of the centre."""
        return find_time_zone(*self.centre)

    def find_daylight(self, day: date) -> tuple[float, float]:
        """Return the local hours at which the sun rises and sets on a day, from 0 to 24."""
        return find_daylight(*self.centre, self.time_zone, day)

    @cached_property
    def distance_km(self) -> FloatArray:
        """Straight distances between centres, shape (zones, zones); 0 on the diagonal."""
        return great_circle_km(self.lat[:, None], self.lon[:, None], self.lat, self.lon)

    @cached_property
    def speed_kmh(self) -> FloatArray:
        """Speed of travel in each zone, shape (zones,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            density = self.population / self.land_km2
        # A zone of unknown area gets a medium density.
        middle = np.sqrt(DENSE_PER_KM2 * EMPTY_PER_KM2)
        density = np.where(np.isfinite(density), density, middle)
        crowding = np.log(np.maximum(density, 1e-9) / EMPTY_PER_KM2)
        crowding = np.clip(crowding / np.log(DENSE_PER_KM2 / EMPTY_PER_KM2), 0.0, 1.0)
        return np.asarray(self.fast_kmh - crowding * (self.fast_kmh - self.slow_kmh))

    @cached_property
    def trip_km(self) -> FloatArray:
        """Straight length of a trip, shape (zones, zones); mean length within a zone."""
        radius = np.sqrt(self.land_km2 / np.pi)
        apart = np.where(np.eye(len(self), dtype=bool), np.inf, self.distance_km)
        nearest = apart.min(axis=1) if len(self) > 1 else np.full(1, 2.0)
        nearest = np.where(np.isfinite(nearest), nearest, 2.0)
        within = np.where(np.isfinite(radius), radius * WITHIN_ZONE, nearest / 2)
        return np.asarray(self.distance_km + np.diag(within))

    @cached_property
    def travel_minutes(self) -> FloatArray:
        """Minutes from zone to zone by road, shape (zones, zones), symmetric."""
        pace = 60.0 / self.speed_kmh
        return np.asarray(self.trip_km * self.detour * (pace[:, None] + pace) / 2)

    def nearest(self, among: ArrayLike) -> NDArray[np.intp]:
        """Find the nearest flagged zone for every zone, by travel time; it may be itself."""
        allowed = np.asarray(among, bool)
        if not allowed.any():
            raise ParameterError("nearest: no zone to choose from; mark at least one")
        return np.where(allowed, self.travel_minutes, np.inf).argmin(axis=1)

    def gravity(self, attraction: ArrayLike, pull: float) -> FloatArray:
        """Compute the shares of trips between zones, (from, to), rows summing to 1.

        Shares follow the attraction of each zone, >= 0, not all 0, shape (zones,), and `pull`, the
        weight of a minute of travel, 1/min; 0 to ignore distance.

        Source: Singly constrained gravity model; A. G. Wilson 1967, Transportation Research 1,
        253-269, doi:10.1016/0041-1647(67)90035-4.
        """
        drawn = np.asarray(attraction, np.float64)
        if (drawn < 0).any() or drawn.sum() <= 0:
            raise ParameterError("gravity: attractions must be at least 0 and not all 0")
        with np.errstate(divide="ignore"):
            weight = np.log(drawn) - pull * self.travel_minutes
        weight = np.exp(weight - weight.max(axis=1, keepdims=True))
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def commutes(
        self, workers: ArrayLike, jobs: ArrayLike, pull: float, *, rounds: int = 50
    ) -> FloatArray:
        """Compute the shares of workers by zone of work such that every zone's jobs are filled.

        The result has shape (home, work), rows summing to 1. `workers` by zone of home and `jobs`
        by zone, in any unit, are >= 0; `pull` is as in `gravity`. 50 rounds of balancing bring the
        jobs within a thousandth.

        Source: Doubly constrained gravity model, Wilson 1967 as in `gravity`; balanced as by K. P.
        Furness 1965, Traffic Engineering and Control 7, 458-460 (recalled).
        """
        share = np.asarray(workers, np.float64)
        share = share / share.sum()
        wanted = np.asarray(jobs, np.float64)
        wanted = wanted / wanted.sum()
        drawn = wanted.copy()
        for _ in range(rounds):
            filled = share @ self.gravity(drawn, pull)
            drawn = drawn * np.where(wanted > 0, wanted / np.maximum(filled, 1e-12), 0.0)
        return self.gravity(drawn, pull)

    def fit_pull(
        self, workers: ArrayLike, jobs: ArrayLike, *, minutes: float, most: float = 2.0
    ) -> float:
        """Find the pull, 0 to `most`, at which the mean commute takes a number of minutes."""
        share = np.asarray(workers, np.float64)
        share = share / share.sum()

        def mean(pull: float) -> float:
            ways = self.commutes(workers, jobs, pull)
            return float(share @ (ways * self.travel_minutes).sum(axis=1))

        low, high = 0.0, most
        if mean(low) <= minutes:
            return low
        while high - low > 1e-4:
            middle = (low + high) / 2
            low, high = (middle, high) if mean(middle) > minutes else (low, middle)
        return (low + high) / 2
