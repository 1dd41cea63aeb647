"""Forecasts with errors, issued every six hours.

A forecast is the true track, displaced by an error that grows with lead time; intensity has errors
as well. Errors are correlated between neighbouring leads of a forecast and between subsequent
forecasts, so that forecasts drift rather than jump.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

import numpy as np

from memopolis.scenarios.hurricane.local_weather import (
    describe_shore,
    radius_towards,
    strongest_radius,
    wind_at,
)
from memopolis.scenarios.hurricane.settings import WindModel
from memopolis.scenarios.hurricane.track import KM_PER_NAUTICAL_MILE, Track
from memopolis.scenarios.hurricane.wind import GALE_KT, LAND_FACTOR, SHAPE_UNKNOWN, reach
from memopolis.sim.arrays import Float32, Float64, Int32
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.geometry import great_circle_km, moved
from memopolis.sim.world.place import Place

LEADS = (0, 12, 24, 36, 48, 60, 72, 96, 120)
"""Hours ahead at which a forecast gives positions (found: NHC)."""
TRACK_SIGMA_NM = (0.0, 18.0, 26.0, 36.0, 45.0, 55.0, 67.0, 98.0, 138.0)
"""Standard deviation of the position on each axis, nautical miles (computed from the radii that
contain two thirds of NHC's Atlantic errors of 2018 to 2022)."""
WIND_SIGMA_KT = (0.0, 5.0, 7.0, 8.5, 10.0, 11.0, 12.0, 13.5, 15.0)
"""Standard deviation of maximum wind, kt (recalled: 5 to 15)."""
ALONG_LEADS = 0.9  # correlation of errors at neighbouring leads of one forecast (illustrative)
BETWEEN_ISSUES = 0.85
"""Correlation of errors between subsequent forecasts at equal lead (illustrative)."""
ISSUE_HOURS = 6  # hours between forecasts (found: NHC)
NEVER = 999.0  # hours until an event that is not forecast
MAJOR_KT = 96.0  # wind over water from which a hurricane is major (found: NHC)
SURGE_KT = {"A": (34.0, 64.0), "B": (53.0, 83.0), "C": (83.0, 113.0)}
"""Wind over water at home from which each surge band may be flooded, and at which it surely is, kt
(illustrative: bounds near those of categories 1, 2 and 4, at which the bands are evacuated)."""
SHORE_KM = 10.0  # distance to the sea over which the wind falls to that over land (illustrative)
UNLIKELY = 0.65
"""Exponent of the weight of probabilities: 1 for the probability itself (Prelec 1998, recalled)."""
POSSIBLE_TRACKS = 7  # displacements of a forecast track over which an impact is averaged (choice)


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Forecasts in force at each tick for each zone, each of shape (ticks, zones)."""

    peak_kt: Float32  # maximum wind over land in the next five days, kt
    # Hours until 34 kt over land; 0 if now, `NEVER` if not forecast
    hours_to_gale: Float32
    # Hours until nearest approach within the five days forecast; `NEVER` once the storm moves away
    hours_to_nearest: Float32
    nearest_km: Float32  # distance of the centre at nearest approach; infinite without a storm
    strike: Float32  # probability of winds of 34 kt over open water
    # Impact of wind and surge on a home, from 0 to 2, that people expect of the possible tracks
    impact: Float32
    # Number of the forecast in force, shape (ticks,); -1 before the first
    issued: Int32

    @classmethod
    def none(cls, ticks: int, zones: int) -> Self:
        """Build empty forecasts, for a run without a storm."""

        def field(value: float) -> Float32:
            return np.full((ticks, zones), value, np.float32)

        return cls(
            peak_kt=field(0.0),
            hours_to_gale=field(NEVER),
            hours_to_nearest=field(NEVER),
            nearest_km=field(np.inf),
            strike=field(0.0),
            impact=field(0.0),
            issued=np.full(ticks, -1, np.int32),
        )


def draw_forecast_errors(issues: int, chance: Chance, *, storm: str) -> Float64:
    """Draw standard normal errors, east, north and intensity: shape (issues, leads, 3)."""
    numbers = np.arange(issues)
    draws = np.stack(
        [
            np.stack(
                [
                    chance.normal(f"forecast {storm} {axis}", numbers, n=lead)
                    for lead in range(len(LEADS))
                ],
                axis=1,
            )
            for axis in ("east", "north", "wind")
        ],
        axis=2,
    )
    for lead in range(1, len(LEADS)):
        draws[:, lead] = _correlate(draws[:, lead - 1], draws[:, lead], ALONG_LEADS)
    for issue in range(1, issues):
        draws[issue] = _correlate(draws[issue - 1], draws[issue], BETWEEN_ISSUES)
    return draws


def make_forecasts(
    track: Track,
    place: Place,
    start: datetime,
    ticks: int,
    chance: Chance,
    *,
    hours: float = 1.0,
    model: WindModel = "rankine",
    error: float = 1.0,
) -> Forecasts:
    """Compute forecasts of a storm for every tick and zone, the last one issued at its beginning.

    The first forecast is issued at the local time `start`, or when the storm forms. `error` is
    relative to NHC's; 0 gives perfect forecasts.
    """
    if error < 0:
        raise ParameterError(f"error is {error}; it must be at least 0")
    begin = track.hours_at(start)
    now = begin + hours * np.arange(ticks)
    issues = int(np.ceil(hours * ticks / ISSUE_HOURS))
    errors = draw_forecast_errors(issues, chance, storm=track.name) * error
    result = Forecasts.none(ticks, len(place))
    for issue in range(issues):
        at = begin + ISSUE_HOURS * issue
        if not track.hours[0] <= at <= track.hours[-1]:
            continue
        forecast = _ZoneForecast.of(forecast_track(track, at, errors[issue]), place, error, model)
        for tick in np.flatnonzero((now >= at) & (now < at + ISSUE_HOURS)):
            forecast.fill(result, int(tick), float(now[tick]))
            result.issued[tick] = issue
    return result


def forecast_track(track: Track, at: float, errors: Float64) -> Track:
    """Build the hourly track of the forecast issued some hours after the start of the true track.

    It reaches 120 hours ahead, or to the end of the storm; `errors` are in standard deviations,
    shape (leads, 3).
    """
    last = min(float(LEADS[-1]), float(track.hours[-1]) - at)
    lead = np.append(np.arange(np.floor(last) + 1.0), [last] if last % 1 else [])
    truth = track.at(at + lead)
    east, north, stronger = (
        np.interp(lead, LEADS, errors[:, axis] * np.asarray(sigma))
        for axis, sigma in enumerate((TRACK_SIGMA_NM, TRACK_SIGMA_NM, WIND_SIGMA_KT))
    )
    lat, lon = moved(
        truth.lat, truth.lon, east * KM_PER_NAUTICAL_MILE, north * KM_PER_NAUTICAL_MILE
    )
    return Track(
        name=track.name, hours=truth.hours, start=track.start, lat=lat, lon=lon,
        wind_kt=np.maximum(truth.wind_kt + stronger, 0.0), pressure_mb=truth.pressure_mb,
        r34_km=truth.r34_km, rmw_km=truth.rmw_km,
    )  # fmt: skip


def strike_probability(nearest: Float64, reach: Float64, sigma: Float64) -> Float64:
    """Compute the probability that the centre passes within reach, given its forecast distance.

    The cross-track error is normal: Phi((R - d) / s) - Phi((-R - d) / s), all in km.

    Source: This project: the simplest form that uses a forecast and its known error.
    """
    from scipy.special import ndtr

    spread = np.maximum(sigma, 1e-6)
    return np.asarray(ndtr((reach - nearest) / spread) - ndtr((-reach - nearest) / spread))


def wind_impact(wind: Float64) -> Float64:
    """Rate a wind over water in kt from 0, no gale, to 1, that of a major hurricane.

    Source: Linear between the bounds of official warnings; this project.
    """
    return np.asarray(np.clip((wind - GALE_KT) / (MAJOR_KT - GALE_KT), 0.0, 1.0))


def surge_impact(wind: Float64, least: Float64, most: Float64) -> Float64:
    """Rate the flood of a home by the wind over water in kt, from 0 to 1, at `most` of its band.

    Outside of all bands `least` and `most` are infinite, and the impact is 0.

    Source: Linear between the bounds of the band (`SURGE_KT`); this project.
    """
    inside = np.isfinite(least)
    width = np.where(inside, most, 1.0) - np.where(inside, least, 0.0)
    return np.clip(np.where(inside, (wind - np.where(inside, least, 0.0)) / width, 0.0), 0.0, 1.0)


def shore_factor(coast_km: Float64) -> Float64:
    """Compute the wind at homes relative to that over water, by distance to the sea, (zones,).

    It falls from 1 at the shore to `LAND_FACTOR`; 1 where the distance is unknown.

    Source: Exponential, since the ground slows the wind; this project.
    """
    inland = np.exp(-np.nan_to_num(coast_km) / SHORE_KM)
    return np.asarray(LAND_FACTOR + (1 - LAND_FACTOR) * inland)


def rank_dependent_mean(harm: Float64, probability: Float64) -> Float64:
    """Compute the impact that people feel to expect, from possible ones, (tracks, zones): (zones,).

    The weight of an impact is w(probability of it or worse) - w(probability of worse), with w(p) =
    exp(-(-ln p)^`UNLIKELY`): unlikely harm counts for more than its probability, and likely harm
    for less.

    Source: Rank-dependent utility, Quiggin 1982, doi:10.1016/0167-2681(82)90008-7, with the
    weights of Prelec 1998, doi:10.2307/2998573 (form found, applied to forecasts by this project).
    """
    order = np.argsort(-harm, axis=0, kind="stable")
    worst = np.take_along_axis(harm, order, axis=0)
    reached = np.minimum(np.cumsum(probability[order], axis=0), 1.0)
    felt = np.exp(-((-np.log(reached)) ** UNLIKELY))
    return np.asarray((np.diff(felt, axis=0, prepend=0.0) * worst).sum(axis=0))


def surge_bounds(place: Place) -> tuple[Float64, Float64]:
    """Return the bounds of `SURGE_KT` of each zone; infinite outside of all bands, (zones,)."""
    bounds = [SURGE_KT.get(str(band), (np.inf, np.inf)) for band in place.table["band"]]
    least, most = np.array(bounds, np.float64).T
    return least, most


def _correlate(before: Float64, new: Float64, correlation: float) -> Float64:
    return np.asarray(correlation * before + np.sqrt(1 - correlation**2) * new)


@dataclass(frozen=True, eq=False)
class _ZoneForecast:
    """One forecast, evaluated for each zone: points of the track by zones."""

    hours: Float64
    sigma_km: Float64
    away_km: Float64
    wind_kt: Float64
    reach_km: Float64
    # Maximum wind from each hour on, by possible track, shape (hours, tracks, zones)
    peaks_kt: Float64
    weights: Float64  # probability of each possible track
    surge_kt: tuple[Float64, Float64]
    shelter: Float64  # wind at home relative to that over water, shape (zones,)

    @classmethod
    def of(cls, track: Track, place: Place, error: float, model: WindModel) -> Self:
        sigma = np.interp(track.hours - track.hours[0], LEADS, TRACK_SIGMA_NM)
        sigma_km = error * KM_PER_NAUTICAL_MILE * sigma
        away = great_circle_km(track.lat[:, None], track.lon[:, None], place.lat, place.lon)
        r34 = radius_towards(track, place)
        shifts, weights = np.polynomial.hermite_e.hermegauss(POSSIBLE_TRACKS)
        possible = [np.abs(away - shift * sigma_km[:, None]) for shift in shifts]
        winds = np.stack([wind_at(km, track, r34, model) * reach(km) for km in possible], axis=1)
        return cls(
            hours=track.hours,
            sigma_km=sigma_km,
            away_km=away,
            wind_kt=wind_at(away, track, r34, model),
            reach_km=_gale_reach(track, place),
            peaks_kt=np.maximum.accumulate(winds[::-1])[::-1],
            weights=weights / weights.sum(),
            surge_kt=surge_bounds(place),
            shelter=shore_factor(describe_shore(place)[0]),
        )

    def fill(self, result: Forecasts, tick: int, time: float) -> None:
        """Write the remaining forecast at a time to a tick of the result."""
        ahead = int(np.searchsorted(self.hours, time - 1e-9))
        if ahead == len(self.hours):
            return
        zones = np.arange(self.away_km.shape[1])
        wind, hours = self.wind_kt[ahead:], self.hours[ahead:] - time
        gale = wind >= GALE_KT / LAND_FACTOR
        near = self.away_km[ahead:].argmin(axis=0)
        nearest = self.away_km[ahead + near, zones]
        leaving = near == 0
        strike = strike_probability(
            nearest, self.reach_km[ahead + near, zones], self.sigma_km[ahead + near]
        )
        result.peak_kt[tick] = LAND_FACTOR * wind.max(axis=0)
        result.hours_to_gale[tick] = np.where(gale.any(axis=0), hours[gale.argmax(axis=0)], NEVER)
        result.hours_to_nearest[tick] = np.where(leaving, NEVER, hours[near])
        result.nearest_km[tick] = nearest
        result.strike[tick] = np.where(wind[0] >= GALE_KT, 1.0, strike)
        peaks = self.peaks_kt[ahead]
        harm = wind_impact(self.shelter * peaks) + surge_impact(peaks, *self.surge_kt)
        result.impact[tick] = rank_dependent_mean(harm, self.weights)


def _gale_reach(track: Track, place: Place) -> Float64:
    """Return the radius of 34 kt towards each zone, km, (points, zones); estimated if unknown."""
    guess = strongest_radius(track) * np.maximum(track.wind_kt / GALE_KT, 1.0) ** (
        1 / SHAPE_UNKNOWN
    )
    observed = radius_towards(track, place)
    reach = np.where(np.isfinite(observed), observed, guess[:, None])
    return np.where(track.wind_kt[:, None] >= GALE_KT, reach, 0.0)
