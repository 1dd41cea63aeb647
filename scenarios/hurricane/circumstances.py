"""Exogenous inputs of a run: storm, forecasts, orders and closures."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memopolis.scenarios.hurricane.forecast import Forecasts, make_forecasts
from memopolis.scenarios.hurricane.local_weather import storm_weather
from memopolis.scenarios.hurricane.orders import (
    ORDERS,
    Closures,
    Orders,
    dorian_shift,
    read_closures,
    read_orders,
)
from memopolis.scenarios.hurricane.settings import FIRST_DAY_OF_DORIAN, HurricaneSettings
from memopolis.scenarios.hurricane.track import (
    Track,
    nearest_approach,
    reference_point,
    storm_window,
)
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.chance import Chance
from memopolis.sim.clock import Clock
from memopolis.sim.world.place import Place
from memopolis.sim.world.weather import Weather


@dataclass(frozen=True, eq=False)
class Circumstances:
    """Storm, forecasts, orders and closures of a run."""

    place: Place  # zones of the run
    storm: str  # name of the storm, empty if unknown, "none" without one
    weather: Weather  # local weather by tick and zone
    forecasts: Forecasts  # forecasts by tick and zone
    orders: Orders  # orders by tick and zone
    closures: Closures  # closures by tick and zone
    nearest: datetime | None  # local time of nearest approach, None without a storm
    track: Track | None  # track of the storm, None without a storm


def read_track_of(settings: HurricaneSettings, place: Place) -> Track | None:
    """Read the storm that the settings select, in local times of the place, None without one."""
    if settings.storm == "none":
        return None
    return replace(Track.read(settings.storm), time_zone=place.time_zone)


def find_first_day(settings: HurricaneSettings) -> datetime:
    """Return the local time of tick 0: as set, or eight days before nearest approach."""
    if settings.start is not None:
        return settings.start
    place = read_place(settings.place)
    track = read_track_of(settings, place)
    return FIRST_DAY_OF_DORIAN if track is None else storm_window(track, place)[0]


def build_circumstances(
    settings: HurricaneSettings, place: Place, clock: Clock, chance: Chance
) -> Circumstances:
    """Compute storm, forecasts, orders and closures before the run."""
    ticks = clock.ticks_of_days(settings.days)
    track = read_track_of(settings, place)
    orders, closures = _read_orders_and_closures(settings, place, clock, ticks, track)
    if track is None:
        return Circumstances(
            place,
            "none",
            Weather.calm(len(place)),
            Forecasts.none(ticks, len(place)),
            orders,
            closures,
            None,
            None,
        )
    return Circumstances(
        place,
        settings.storm_name or track.name,
        storm_weather(track, place, clock.start, ticks, hours=clock.hours, model=settings.wind),
        make_forecasts(
            track,
            place,
            clock.start,
            ticks,
            chance,
            hours=clock.hours,
            model=settings.wind,
            error=settings.forecast_error,
        ),
        orders,
        closures,
        nearest_approach(track, *reference_point(place)).when,
        track,
    )


def _read_orders_and_closures(
    settings: HurricaneSettings, place: Place, clock: Clock, ticks: int, track: Track | None
) -> tuple[Orders, Closures]:
    nothing = Orders.none(ticks, len(place))
    shut = nothing.effective > 0
    no_closures = Closures(shut, shut, shut, ())
    # Without a storm there are no orders, unless a file defines them.
    if settings.orders not in ORDERS:
        own = read_orders(place, clock.start, ticks, hours=clock.hours, path=settings.orders)
        return own, no_closures
    if settings.orders == "none" or track is None:
        return nothing, no_closures
    shift: timedelta = dorian_shift(track, place)
    closures = read_closures(place, clock.start, ticks, hours=clock.hours, shift=shift)
    if settings.orders == "decided":
        return nothing, closures
    return read_orders(place, clock.start, ticks, hours=clock.hours, shift=shift), closures
