"""Compute wind, gusts and rain of every zone from a storm's track, and the storm by tick."""

from datetime import datetime

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from memopolis.scenarios.hurricane.settings import WindModel
from memopolis.scenarios.hurricane.track import Track
from memopolis.scenarios.hurricane.wind import (
    LAND_FACTOR,
    PRESSURE_OUTSIDE_MB,
    direction_from,
    gust_factor,
    holland_1980,
    holland_2010,
    holland_b,
    holland_exponent,
    radius_of_strongest,
    rankine,
    reach,
)
from memopolis.sim.arrays import Bools, Float32, Float64
from memopolis.sim.clock import Clock
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.geometry import bearing_deg, great_circle_km
from memopolis.sim.world.place import Place
from memopolis.sim.world.weather import Weather


def wind_over_water(track: Track, place: Place, model: WindModel = "rankine") -> Float64:
    """Compute the wind in each zone as over open water, kt, shape (points of the track, zones).

    Raises ParameterError if Holland's models lack pressures.
    """
    away = great_circle_km(track.lat[:, None], track.lon[:, None], place.lat, place.lon)
    return wind_at(away, track, radius_towards(track, place), model)


def wind_at(away: Float64, track: Track, r34: Float64, model: WindModel = "rankine") -> Float64:
    """Compute the wind over open water at distances in km from the centre, kt.

    `away` and the radius of 34 kt `r34` in km have shape (points of the track, zones). Raises
    ParameterError if Holland's models lack pressures.
    """
    radius = strongest_radius(track)[:, None]
    strongest = track.wind_kt[:, None]
    if model == "rankine":
        return rankine(away, strongest=strongest, radius=radius, r34=r34)
    if np.isnan(track.pressure_mb).all():
        raise ParameterError(
            f"wind model '{model}' needs pressure_mb in the track; add it or choose rankine"
        )
    lat = track.lat[:, None]
    pressure = np.where(np.isnan(track.pressure_mb), PRESSURE_OUTSIDE_MB, track.pressure_mb)
    if model == "holland_1980":
        return holland_1980(
            away, strongest=strongest, radius=radius, pressure=pressure[:, None], lat=lat
        )
    deepening = -np.gradient(pressure, track.hours) if len(track) > 1 else np.zeros(1)
    shape = holland_b(
        pressure=pressure, deepening=deepening, lat=track.lat, speed=track.motion()[0]
    )[:, None]
    exponent = holland_exponent(away, strongest=strongest, radius=radius, shape=shape, r34=r34)
    return holland_2010(away, strongest=strongest, radius=radius, shape=shape, exponent=exponent)


def radius_towards(track: Track, place: Place) -> Float64:
    """Return the radius of 34 kt in the quadrant of each zone, km, shape (points, zones)."""
    bearing = bearing_deg(track.lat[:, None], track.lon[:, None], place.lat, place.lon)
    quadrant = (bearing // 90.0).astype(np.intp) % 4
    return np.asarray(track.r34_km[np.arange(len(track))[:, None], quadrant])


def strongest_radius(track: Track) -> Float64:
    """Return the radius of maximum wind at each point, km; estimated if unknown."""
    return np.where(track.rmw_km > 0, track.rmw_km, radius_of_strongest(track.wind_kt, track.lat))


def storm_at_ticks(
    track: Track, start: datetime, ticks: int, *, hours: float = 1.0
) -> tuple[Track, Bools]:
    """Interpolate the storm to the beginning of every tick, and mark the ticks with a storm."""
    when = track.hours_at(start) + hours * np.arange(ticks, dtype=np.float64)
    return track.at(when), (when >= track.hours[0]) & (when <= track.hours[-1])


def storm_weather(
    track: Track,
    place: Place,
    start: datetime,
    ticks: int,
    *,
    hours: float = 1.0,
    model: WindModel = "rankine",
) -> Weather:
    """Compute the weather in every zone: wind and gusts at each tick, and rain during it.

    coast_km and sea_bearing of `place.table` determine gusts if known.
    """
    storm, present = storm_at_ticks(track, start, ticks, hours=hours)
    away = great_circle_km(storm.lat[:, None], storm.lon[:, None], place.lat, place.lon)
    over_water = wind_over_water(storm, place, model) * reach(away)
    wind = LAND_FACTOR * over_water * present[:, None]
    bearing = bearing_deg(storm.lat[:, None], storm.lon[:, None], place.lat, place.lon)
    factor = gust_factor(*describe_shore(place), direction_from(bearing))
    rain = rain_rate(away, storm.wind_kt[:, None]) * hours * present[:, None]
    return Weather.of(wind, wind * factor, rain)


def describe_shore(place: Place) -> tuple[Float64, Float64]:
    """Return distance to the sea in km and its compass direction by zone; NaN if unknown."""
    unknown = np.full(len(place), np.nan)
    coast, sea = (
        place.table[name].to_numpy(np.float64) if name in place.table else unknown
        for name in ("coast_km", "sea_bearing")
    )
    return coast, sea


def track_table(track: Track, clock: Clock, ticks: int) -> pd.DataFrame:
    """Return tick, lat, lon, wind_kt and pressure_mb of the centre at each tick with a storm."""
    storm, present = storm_at_ticks(track, clock.start, ticks, hours=clock.hours)
    return pd.DataFrame(
        {
            "tick": np.flatnonzero(present).astype(np.int32),
            "lat": storm.lat[present],
            "lon": storm.lon[present],
            "wind_kt": storm.wind_kt[present].astype(np.float32),
            "pressure_mb": storm.pressure_mb[present].astype(np.float32),
        }
    )


def wind_directions(track: Track, place: Place, clock: Clock, ticks: int) -> Float32:
    """Return the direction of the wind, degrees, by tick and zone; NaN without a storm."""
    storm, present = storm_at_ticks(track, clock.start, ticks, hours=clock.hours)
    bearing = bearing_deg(storm.lat[:, None], storm.lon[:, None], place.lat, place.lon)
    return np.where(present[:, None], direction_from(bearing), np.nan).astype(np.float32)


def rain_rate(distance: ArrayLike, wind: ArrayLike) -> Float64:
    """Compute mean rainfall in inches per hour, by km from the centre and maximum wind in kt.

    R = T0 + (Tm - T0) r / rm inside rm, Tm exp(-(r - rm) / re) outside, at least 0, with U = 1 +
    (Vm - 35) / 33, T0 = -1.10 + 3.96 U, Tm = -1.60 + 4.80 U in/day, rm = 64.5 - 13.0 U and re = 150
    - 16.0 U km.

    Source: R-CLIPER; R. E. Tuleya, M. DeMaria, R. J. Kuligowski 2007, Weather and Forecasting 22,
    56-70, doi:10.1175/WAF972.1, table 2, row NHC (found in climada_petals).
    """
    r, top = np.broadcast_arrays(np.asarray(distance, np.float64), np.asarray(wind, np.float64))
    strength = 1.0 + (top - 35.0) / 33.0
    centre = -1.10 + 3.96 * strength
    most = -1.60 + 4.80 * strength
    peak = 64.5 - 13.0 * strength
    # Only a wind of 219 kt or more would move the peak to the centre.
    peak = np.maximum(peak, 1.0)
    fade = np.maximum(150.0 - 16.0 * strength, 1.0)
    inside = centre + (most - centre) * r / peak
    outside = most * np.exp(-np.maximum(r - peak, 0.0) / fade)
    return np.maximum(np.where(r < peak, inside, outside), 0.0) / 24.0
