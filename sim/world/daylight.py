"""Local time and daylight of a place."""

from datetime import date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from astral import LocationInfo
from astral.sun import sunrise, sunset

_US_ZONES = (
    (-130.0, -114.5, "America/Los_Angeles"),
    (-114.5, -101.5, "America/Denver"),
    (-101.5, -85.5, "America/Chicago"),
    (-85.5, -66.0, "America/New_York"),
)
"""Time zones of the contiguous United States by longitude in degrees east, from and to: borders of
states are ignored (illustrative)."""
_US_LATITUDES = (24.0, 50.0)


def find_time_zone(lat: float, lon: float) -> str:
    """Return the name of the time zone of a point, in degrees north and east.

    Outside of the contiguous United States it is the nautical zone, without daylight saving time.
    """
    if _US_LATITUDES[0] <= lat <= _US_LATITUDES[1]:
        for west, east, name in _US_ZONES:
            if west <= lon < east:
                return name
    hours = round(lon / 15)
    return f"Etc/GMT{-hours:+d}" if hours else "Etc/GMT"


def find_offset(zone: str, local: datetime) -> timedelta:
    """Return how far a local time without time zone is ahead of UTC."""
    offset = ZoneInfo(zone).utcoffset(local)
    return timedelta(0) if offset is None else offset


@lru_cache(4096)
def find_daylight(lat: float, lon: float, zone: str, day: date) -> tuple[float, float]:
    """Return the local hours at which the sun rises and sets, from 0 to 24.

    Where it stays up, 0 and 24; where it stays down, 12 and 12.
    """
    observer = LocationInfo(latitude=lat, longitude=lon).observer
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))
    try:
        rises, sets = (event(observer, day, tzinfo=ZoneInfo(zone)) for event in (sunrise, sunset))
    except ValueError:
        summer = 4 <= day.month <= 9
        return (0.0, 24.0) if summer == (lat > 0) else (12.0, 12.0)
    first, last = ((when - midnight) / timedelta(hours=1) for when in (rises, sets))
    return max(first, 0.0), min(last, 24.0)
