"""Wind of a hurricane at a distance from its centre, and over land, as pure functions.

Distances in km, winds in knots (1-minute mean at 10 m over open water unless it says other-
wise), pressures in mb. Every function takes arrays that broadcast.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

FloatArray = NDArray[np.float64]

KNOT = 0.514444
"""Metres a second in a knot (found)."""
GALE_KT = 34.0
"""Tropical-storm wind (found: NHC)."""
AIR_DENSITY = 1.15
"""kg/m3 (found: CLIMADA, citing Holland 1980)."""
PRESSURE_OUTSIDE_MB = 1013.0
"""Pressure far from the storm (found: CLIMADA)."""
SURFACE_OVER_GRADIENT = 0.9
"""Surface wind over water relative to that above the boundary layer (found)."""
EARTH_ROTATION = 7.292e-5
"""1/s (found)."""
B_RANGE = (1.0, 2.5)
"""Least and largest shape of Holland's profile (found: Holland 1980)."""
SHAPE_UNKNOWN = 0.5
"""Decay outside where no radius of 34 kt is known (recalled: 0.4 to 0.6 is usual)."""
SHAPE_RANGE = (0.1, 2.0)
"""Least and largest decay outside that is believed of a radius of 34 kt (illustrative)."""
LAND_FACTOR = 0.8
"""Wind over land relative to over water (found: stormwindmodel)."""
GUST_INLAND, GUST_OFFSHORE, GUST_ONSHORE = 1.49, 1.36, 1.23
"""Gust of 3 s over wind of 1 min: inland, at the coast with wind from land, with wind from
sea (found: Harper 2010 in stormwindmodel)."""
COAST_KM = 10.0
"""Distance to the sea within which the gusts of the coast hold (illustrative)."""
INFLOW_DEG = 20.0
"""Angle by which surface wind turns in towards the centre (recalled)."""
SEA_SECTOR_DEG = 90.0
"""Wind from within this angle of the sea's direction is onshore (choice)."""


def rankine(
    distance: ArrayLike, *, strongest: ArrayLike, radius: ArrayLike, r34: ArrayLike
) -> FloatArray:
    """Give the wind of a modified Rankine vortex tied to the radius of 34 kt.

    V = Vm r / Rm inside Rm; V = Vm (Rm / r)^x outside, x = ln(Vm / 34) / ln(r34 / Rm).

    Args:
        distance: km from the centre, >= 0.
        strongest: Strongest wind Vm, kt, >= 0.
        radius: Radius of the strongest wind Rm, km, > 0.
        r34: Radius of 34 kt in the quadrant, km; NaN where it is not known: then x is
            `SHAPE_UNKNOWN`; 0 where there is none: the same, and at most 34 kt outside Rm.

    Returns:
        kt, of the broadcast shape, between 0 and `strongest`.

    Source:
        Depperman 1947 (recalled) in the form tied to observed radii; x computed, this project.
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


def coriolis(lat: ArrayLike) -> FloatArray:
    """Coriolis parameter at a latitude in degrees, 1/s, as a size (no sign)."""
    return np.asarray(2 * EARTH_ROTATION * np.abs(np.sin(np.radians(np.asarray(lat, np.float64)))))


def holland_1980(
    distance: ArrayLike,
    *,
    strongest: ArrayLike,
    radius: ArrayLike,
    pressure: ArrayLike,
    lat: ArrayLike,
) -> FloatArray:
    """Give the wind of Holland's profile.

    V(r) = sqrt((B / rho) (Rm / r)^B dp exp(-(Rm / r)^B) + (r f / 2)^2) - r f / 2 above the
    boundary layer, with B = Vm^2 e rho / dp held in `B_RANGE`; 0.9 of it at the surface.

    Args:
        distance: km from the centre, >= 0.
        strongest: Strongest surface wind, kt.
        radius: Radius of the strongest wind Rm, km, > 0.
        pressure: At the centre, mb; at least `PRESSURE_OUTSIDE_MB` means no storm: wind 0.
        lat: Degrees north of the centre.

    Returns:
        Surface wind, kt, of the broadcast shape.

    Source:
        G. J. Holland 1980, Monthly Weather Review 108, 1212-1218,
        doi:10.1175/1520-0493(1980)108<1212:AAMOTW>2.0.CO;2, eqs. 5 and 7; constants as in CLIMADA.
    """
    r, top, rm, centre, north = _broadcast(distance, strongest, radius, pressure, lat)
    deficit = np.maximum(PRESSURE_OUTSIDE_MB - centre, 0.0) * 100.0
    gradient = top * KNOT / SURFACE_OVER_GRADIENT
    safe = np.where(deficit > 0, deficit, 1.0)
    shape = np.clip(gradient**2 * np.e * AIR_DENSITY / safe, *B_RANGE)
    # At the centre itself the exponential wins over the power: no wind.
    scaled = (rm / np.maximum(r, 1e-3 * rm)) ** shape
    turning = r * 1000.0 * coriolis(north) / 2
    force = shape / AIR_DENSITY * scaled * deficit * np.exp(-scaled)
    wind = np.sqrt(force + turning**2) - turning
    return np.asarray(SURFACE_OVER_GRADIENT * wind / KNOT)


def holland_b(
    *, pressure: ArrayLike, deepening: ArrayLike, lat: ArrayLike, speed: ArrayLike
) -> FloatArray:
    """Give the shape of the surface profile from pressure, motion and latitude.

    bs = -4.4e-5 dp^2 + 0.01 dp + 0.03 dp/dt - 0.014 |lat| + 0.15 vt^x + 1,
    x = 0.6 (1 - dp / 215), held in `B_RANGE`.

    Args:
        pressure: At the centre, mb.
        deepening: Change of the pressure deficit, mb/h.
        lat: Degrees north.
        speed: Of the storm's motion, kt.

    Returns:
        Shape, of the broadcast shape.

    Source:
        G. J. Holland 2008, Monthly Weather Review 136, 3432-3445,
        doi:10.1175/2008MWR2395.1, eq. 11.
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
) -> FloatArray:
    """Give the surface wind of Holland's later profile.

    V = Vm [(Rm / r)^b exp(1 - (Rm / r)^b)]^xn, xn one half inside Rm; one half throughout
    gives the profile of 1980 without the Earth's rotation.

    Args:
        distance: km from the centre, >= 0.
        strongest: Strongest surface wind Vm, kt.
        radius: Radius of the strongest wind Rm, km, > 0.
        shape: b, > 0; see `holland_b`.
        exponent: xn outside Rm, > 0; see `holland_exponent`.

    Returns:
        kt, of the broadcast shape.

    Source:
        G. J. Holland, J. I. Belanger, A. Fritz 2010, Monthly Weather Review 138, 4393-4401,
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
) -> FloatArray:
    """Give the exponent of `holland_2010` that meets the radius of 34 kt.

    One half at Rm, rising or falling in a line to what gives 34 kt at r34, and so on beyond,
    held in 0.2 to 2 (illustrative); one half where no radius is known.

    Args:
        distance: km from the centre.
        strongest: kt.
        radius: Rm, km.
        shape: b.
        r34: Radius of 34 kt, km; 0 or NaN where unknown.

    Returns:
        Exponent, of the broadcast shape.
    """
    r, top, rm, b, gale = _broadcast(distance, strongest, radius, shape, r34)
    known = (gale > rm) & (top > GALE_KT)
    scaled = (rm / np.where(known, gale, 2 * rm)) ** b
    needed = np.log(GALE_KT / np.maximum(top, GALE_KT + 1e-9)) / (np.log(scaled) + 1 - scaled)
    way = np.clip((r - rm) / np.where(known, gale - rm, rm), 0.0, None)
    return np.where(known, np.clip(0.5 + (needed - 0.5) * way, 0.2, 2.0), 0.5)


def radius_of_strongest(wind: ArrayLike, lat: ArrayLike) -> FloatArray:
    """Estimate the radius of the strongest wind where it is not known.

    46.4 exp(-0.0155 Vg + 0.0169 |lat|) km, Vg in m/s above the boundary layer.

    Args:
        wind: Strongest surface wind, kt.
        lat: Degrees north.

    Returns:
        km, of the broadcast shape.

    Source:
        H. E. Willoughby, R. W. R. Darling, M. E. Rahn 2006, Monthly Weather Review 134,
        1102-1120, doi:10.1175/MWR3106.1, eq. 7a.
    """
    gradient = np.asarray(wind, np.float64) * KNOT / SURFACE_OVER_GRADIENT
    return np.asarray(46.4 * np.exp(-0.0155 * gradient + 0.0169 * np.abs(np.asarray(lat))))


def inland_decay(wind: ArrayLike, hours: ArrayLike) -> FloatArray:
    """Weaken a storm whose centre has gone ashore, south of 37 N.

    V(t) = 26.7 + (0.9 V0 - 26.7) exp(-0.095 t); a storm weaker than that limit stays as it is.

    Args:
        wind: Strongest wind at landfall V0, kt.
        hours: Hours since then, >= 0; 0 gives the wind just behind the coast, 0.9 V0.

    Returns:
        kt, of the broadcast shape.

    Raises:
        ParameterError: If hours are negative.

    Source:
        J. Kaplan and M. DeMaria 1995, Journal of Applied Meteorology 34, 2499-2512,
        doi:10.1175/1520-0450(1995)034<2499:ASEMFP>2.0.CO;2.
    """
    start, spent = _broadcast(wind, hours)
    if (spent < 0).any():
        raise ParameterError("hours since landfall must be at least 0")
    ashore = 0.9 * start
    decayed = 26.7 + (ashore - 26.7) * np.exp(-0.095 * spent)
    return np.where(ashore > 26.7, decayed, ashore)


def gust_factor(coast_km: ArrayLike, sea_bearing: ArrayLike, wind_from: ArrayLike) -> FloatArray:
    """Give gust over wind by distance from the sea and direction of the wind.

    Args:
        coast_km: km to the sea; NaN counts as inland.
        sea_bearing: Compass direction of the open sea, degrees; NaN counts as wind from land.
        wind_from: Compass direction the wind blows from, degrees.

    Returns:
        Factor, of the broadcast shape.
    """
    km, sea, source = _broadcast(coast_km, sea_bearing, wind_from)
    turned = np.abs((source - sea + 180.0) % 360.0 - 180.0)
    onshore = turned <= SEA_SECTOR_DEG
    return np.where(km < COAST_KM, np.where(onshore, GUST_ONSHORE, GUST_OFFSHORE), GUST_INLAND)


def direction_from(bearing: ArrayLike) -> FloatArray:
    """Direction the wind blows from at a point, north of the equator.

    Args:
        bearing: Compass direction of the point as seen from the centre, degrees.

    Returns:
        Degrees in [0, 360): the wind circles against the clock, turned in by `INFLOW_DEG`.
    """
    # A point east of the centre (90) has wind from the south (180), turned in from the south-east.
    return np.asarray((np.asarray(bearing, np.float64) + 90.0 - INFLOW_DEG) % 360.0)


def _broadcast(*values: ArrayLike) -> tuple[FloatArray, ...]:
    return np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values))
