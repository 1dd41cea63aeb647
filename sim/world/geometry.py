"""Distances and directions on the sphere, as pure functions of arrays."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

EARTH_RADIUS_KM = 6371.0088  # mean radius of the Earth (found: IUGG)

FloatArray = NDArray[np.float64]


def great_circle_km(
    lat: ArrayLike, lon: ArrayLike, to_lat: ArrayLike, to_lon: ArrayLike
) -> FloatArray:
    """Measure great-circle distances between points in degrees, of the broadcast shape.

    Source: Haversine formula; R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68
    (1984) 159 (recalled).
    """
    a, b, c, d = (np.radians(np.asarray(x, np.float64)) for x in (lat, lon, to_lat, to_lon))
    half = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return np.asarray(2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0))))


def bearing_deg(lat: ArrayLike, lon: ArrayLike, to_lat: ArrayLike, to_lon: ArrayLike) -> FloatArray:
    """Compute bearings of great circles: degrees from north in [0, 360), 0 for equal points."""
    a, b, c, d = (np.radians(np.asarray(x, np.float64)) for x in (lat, lon, to_lat, to_lon))
    east = np.sin(d - b) * np.cos(c)
    north = np.cos(a) * np.sin(c) - np.sin(a) * np.cos(c) * np.cos(d - b)
    return np.asarray(np.degrees(np.arctan2(east, north)) % 360.0)


def moved(
    lat: ArrayLike, lon: ArrayLike, east_km: ArrayLike, north_km: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Move points, in degrees, short of the poles, by kilometres east and north, small ones."""
    lat, lon = np.asarray(lat, np.float64), np.asarray(lon, np.float64)
    up = np.degrees(np.asarray(north_km, np.float64) / EARTH_RADIUS_KM)
    middle = np.radians(lat + up / 2)
    across = np.degrees(np.asarray(east_km, np.float64) / (EARTH_RADIUS_KM * np.cos(middle)))
    return lat + up, lon + across


def along(
    lat: ArrayLike, lon: ArrayLike, to_lat: ArrayLike, to_lon: ArrayLike, share: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Interpolate on great circles between points, in degrees; share 0 is the first, 1 the second.

    Source: Spherical linear interpolation; K. Shoemake, SIGGRAPH 1985, doi:10.1145/325165.325242.
    """
    start, end = _unit(lat, lon), _unit(to_lat, to_lon)
    share = np.asarray(share, np.float64)[..., None]
    angle = np.arccos(np.clip((start * end).sum(-1, keepdims=True), -1.0, 1.0))
    sine = np.where(angle > 1e-9, np.sin(angle), 1.0)
    # For nearly equal points, linear interpolation avoids a division by zero.
    first = np.where(angle > 1e-9, np.sin((1 - share) * angle) / sine, 1 - share)
    second = np.where(angle > 1e-9, np.sin(share * angle) / sine, share)
    x, y, z = np.moveaxis(first * start + second * end, -1, 0)
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))


def _unit(lat: ArrayLike, lon: ArrayLike) -> FloatArray:
    a, b = np.radians(np.asarray(lat, np.float64)), np.radians(np.asarray(lon, np.float64))
    a, b = np.broadcast_arrays(a, b)
    return np.stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)], axis=-1)
