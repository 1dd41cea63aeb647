"""Wind of a tropical cyclone by distance from its centre, and over land.

Pure functions of arrays that broadcast. Distances in km, winds in knots (1-minute mean at 10 m over
open water unless noted otherwise), pressures in mb.
"""

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Float64

KNOT = 0.514444  # metres per second in a knot (found)
GALE_KT = 34.0  # minimum wind of a tropical storm (found: NHC)
AIR_DENSITY = 1.15  # kg/m3 (found: CLIMADA, citing Holland 1980)
PRESSURE_OUTSIDE_MB = 1013.0  # pressure far from the storm (found: CLIMADA)
SURFACE_OVER_GRADIENT = 0.9  # surface wind over water relative to gradient wind (found)
EARTH_ROTATION = 7.292e-5  # 1/s (found)
B_RANGE = (1.0, 2.5)  # minimum and maximum shape of Holland's profile (found: Holland 1980)
SHAPE_UNKNOWN = 0.5
"""Outer decay exponent if the radius of 34 kt is unknown (recalled: 0.4 to 0.6 is usual)."""
SHAPE_RANGE = (0.1, 2.0)
"""Minimum and maximum outer decay exponent accepted from a radius of 34 kt (illustrative)."""
LAND_FACTOR = 0.8  # wind over land relative to wind over water (found: stormwindmodel)
GUST_INLAND, GUST_OFFSHORE, GUST_ONSHORE = 1.49, 1.36, 1.23
"""Ratio of 3 s gust to 1 min wind: inland, and at the coast with offshore and onshore wind (found:
Harper 2010 in stormwindmodel)."""
COAST_KM = 10.0  # distance to the sea within which coastal gust factors apply (illustrative)
INFLOW_DEG = 20.0  # inflow angle of surface wind (recalled)
REACH_KM = (900.0, 1200.0)
"""Distances at which wind begins to fade, and ends (illustrative; recalled: half of all storms
reach 880 km)."""
SEA_SECTOR_DEG = 90.0  # maximum angle between wind and sea direction for onshore wind (choice)


def rankine(
    distance: ArrayLike, *, strongest: ArrayLike, radius: ArrayLike, r34: ArrayLike
) -> Float64:
    """Compute the wind of a modified Rankine vortex fitted to the radius of 34 kt, in kt.

    V = Vm r / Rm inside Rm; V = Vm (Rm / r)^x outside, x = ln(Vm / 34) / ln(r34 / Rm).

    `strongest` is Vm, `radius` Rm > 0. If r34 is NaN, unknown, x is `SHAPE_UNKNOWN`; if it is 0,
    none, also, and the wind is at most 34 kt outside Rm.

    Source: Depperman 1947 (recalled) in the form tied to observed radii; x computed, this project.
    """
    r, top, rm, gale = _broadcast(distance, strongest, radius, r34)
    known = (gale > rm) & (top > GALE_KT)
    ratio = np.where(known, gale / rm, np.e)
    shape = np.where(
        known, np.log(np.maximum(top, GALE_KT) / GALE_KT) / np.log(ratio), SHAPE_UNKNOWN
    )
    shape = np.clip(shape, *SHAPE_RANGE)
    inside = r <= rm
    outward = np.where(inside, 1.0, rm / np.where(inside, rm, r)) ** shape
    wind = top * np.where(inside, r / rm, outward)
    return np.where((gale == 0) & ~inside, np.minimum(wind, GALE_KT), wind)


def reach(distance: ArrayLike) -> Float64:
    """Return the part of the wind that is left far from the centre, from 0 to 1.

    The profiles are fitted within a few hundred km, and never end by themselves.
    """
    near, far = REACH_KM
    return np.clip((far - np.asarray(distance, np.float64)) / (far - near), 0.0, 1.0)


def coriolis(lat: ArrayLike) -> Float64:
    """Return the absolute Coriolis parameter at a latitude in degrees, 1/s."""
    return np.asarray(2 * EARTH_ROTATION * np.abs(np.sin(np.radians(np.asarray(lat, np.float64)))))


def holland_1980(
    distance: ArrayLike,
    *,
    strongest: ArrayLike,
    radius: ArrayLike,
    pressure: ArrayLike,
    lat: ArrayLike,
) -> Float64:
    """Compute the surface wind of Holland's profile, in kt.

    V(r) = sqrt((B / rho) (Rm / r)^B dp exp(-(Rm / r)^B) + (r f / 2)^2) - r f / 2 above the boundary
    layer, with B = Vm^2 e rho / dp limited to `B_RANGE`; 0.9 of it at the surface. Without a
    deficit to `PRESSURE_OUTSIDE_MB` the wind is 0.

    Source: G. J. Holland 1980, Monthly Weather Review 108, 1212-1218,
    doi:10.1175/1520-0493(1980)108<1212:AAMOTW>2.0.CO;2, eqs. 5 and 7; constants as in CLIMADA.
    """
    r, top, rm, centre, north = _broadcast(distance, strongest, radius, pressure, lat)
    deficit = np.maximum(PRESSURE_OUTSIDE_MB - centre, 0.0) * 100.0
    gradient = top * KNOT / SURFACE_OVER_GRADIENT
    safe = np.where(deficit > 0, deficit, 1.0)
    shape = np.clip(gradient**2 * np.e * AIR_DENSITY / safe, *B_RANGE)
    # At the centre the exponential dominates: no wind.
    scaled = (rm / np.maximum(r, 1e-3 * rm)) ** shape
    turning = r * 1000.0 * coriolis(north) / 2
    force = shape / AIR_DENSITY * scaled * deficit * np.exp(-scaled)
    wind = np.sqrt(force + turning**2) - turning
    return np.asarray(SURFACE_OVER_GRADIENT * wind / KNOT)


def holland_b(
    *, pressure: ArrayLike, deepening: ArrayLike, lat: ArrayLike, speed: ArrayLike
) -> Float64:
    """Compute the shape of the surface profile from pressure, motion and latitude.

    bs = -4.4e-5 dp^2 + 0.01 dp + 0.03 dp/dt - 0.014 |lat| + 0.15 vt^x + 1, x = 0.6 (1 - dp / 215),
    limited to `B_RANGE`.

    `deepening` is dp/dt in mb/h, `speed` vt, that of the storm's motion in kt.

    Source: G. J. Holland 2008, Monthly Weather Review 136, 3432-3445, doi:10.1175/2008MWR2395.1,
    eq. 11.
    """
    centre, change, north, moving = _broadcast(pressure, deepening, lat, speed)
    deficit = np.maximum(PRESSURE_OUTSIDE_MB - centre, 0.0)
    power = 0.6 * (1 - deficit / 215.0)
    shape = (
        -4.4e-5 * deficit**2 + 0.01 * deficit + 0.03 * change
        - 0.014 * np.abs(north) + 0.15 * (moving * KNOT) ** power + 1.0
    )  # fmt: skip
    return np.clip(shape, *B_RANGE)


def holland_2010(
    distance: ArrayLike,
    *,
    strongest: ArrayLike,
    radius: ArrayLike,
    shape: ArrayLike,
    exponent: ArrayLike = 0.5,
) -> Float64:
    """Compute the surface wind of Holland's revised profile, in kt.

    V = Vm [(Rm / r)^b exp(1 - (Rm / r)^b)]^xn, xn = 1/2 inside Rm, and `exponent` outside; 1/2
    throughout gives the profile of 1980 without the Earth's rotation.

    Source: G. J. Holland, J. I. Belanger, A. Fritz 2010, Monthly Weather Review 138, 4393-4401,
    doi:10.1175/2010MWR3317.1, eq. 6.
    """
    r, top, rm, b, outer = _broadcast(distance, strongest, radius, shape, exponent)
    scaled = (rm / np.maximum(r, 1e-3 * rm)) ** b
    power = np.where(r <= rm, 0.5, outer)
    return np.asarray(top * np.exp(power * (np.log(scaled) + 1 - scaled)))


def holland_exponent(
    distance: ArrayLike,
    *,
    strongest: ArrayLike,
    radius: ArrayLike,
    shape: ArrayLike,
    r34: ArrayLike,
) -> Float64:
    """Compute the exponent of `holland_2010` that matches the radius of 34 kt.

    1/2 at Rm, changing linearly to the value that gives 34 kt at r34, and beyond, limited to 0.2 to
    2 (illustrative); 1/2 if the radius is unknown, 0 or NaN.
    """
    r, top, rm, b, gale = _broadcast(distance, strongest, radius, shape, r34)
    known = (gale > rm) & (top > GALE_KT)
    scaled = (rm / np.where(known, gale, 2 * rm)) ** b
    needed = np.log(GALE_KT / np.maximum(top, GALE_KT + 1e-9)) / (np.log(scaled) + 1 - scaled)
    way = np.clip((r - rm) / np.where(known, gale - rm, rm), 0.0, None)
    return np.where(known, np.clip(0.5 + (needed - 0.5) * way, 0.2, 2.0), 0.5)


def radius_of_strongest(wind: ArrayLike, lat: ArrayLike) -> Float64:
    """Estimate the radius of maximum wind in km, if unknown, by the wind and degrees north.

    46.4 exp(-0.0155 Vg + 0.0169 |lat|) km, Vg in m/s above the boundary layer.

    Source: H. E. Willoughby, R. W. R. Darling, M. E. Rahn 2006, Monthly Weather Review 134,
    1102-1120, doi:10.1175/MWR3106.1, eq. 7a.
    """
    gradient = np.asarray(wind, np.float64) * KNOT / SURFACE_OVER_GRADIENT
    return np.asarray(46.4 * np.exp(-0.0155 * gradient + 0.0169 * np.abs(np.asarray(lat))))


def inland_decay(wind: ArrayLike, hours: ArrayLike) -> Float64:
    """Compute the decay of wind in the hours after landfall, south of 37 N, in kt.

    V(t) = 26.7 + (0.9 V0 - 26.7) exp(-0.095 t); winds below that limit stay unchanged.

    Source: J. Kaplan and M. DeMaria 1995, Journal of Applied Meteorology 34, 2499-2512,
    doi:10.1175/1520-0450(1995)034<2499:ASEMFP>2.0.CO;2.
    """
    start, spent = _broadcast(wind, hours)
    ashore = 0.9 * start
    decayed = 26.7 + (ashore - 26.7) * np.exp(-0.095 * spent)
    return np.where(ashore > 26.7, decayed, ashore)


def gust_factor(coast_km: ArrayLike, sea_bearing: ArrayLike, wind_from: ArrayLike) -> Float64:
    """Compute the ratio of gust to wind by km from the sea and compass directions.

    An unknown distance, NaN, counts as inland; an unknown direction of the sea as offshore wind.
    """
    km, sea, source = _broadcast(coast_km, sea_bearing, wind_from)
    turned = np.abs((source - sea + 180.0) % 360.0 - 180.0)
    onshore = turned <= SEA_SECTOR_DEG
    return np.where(km < COAST_KM, np.where(onshore, GUST_ONSHORE, GUST_OFFSHORE), GUST_INLAND)


def direction_from(bearing: ArrayLike) -> Float64:
    """Compute the direction from which the wind blows at a bearing from the centre, in degrees.

    Circulation is counterclockwise, with inflow by `INFLOW_DEG`, as north of the equator.
    """
    # East of the centre (90) wind blows from the south (180), with inflow from the south-east.
    return np.asarray((np.asarray(bearing, np.float64) + 90.0 - INFLOW_DEG) % 360.0)


def _broadcast(*values: ArrayLike) -> tuple[Float64, ...]:
    return np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values))
