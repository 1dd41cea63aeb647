"""Rain of a tropical cyclone by distance from its centre."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def rain_rate(distance: ArrayLike, wind: ArrayLike) -> FloatArray:
    """Compute mean rainfall by distance and intensity.

    R = T0 + (Tm - T0) r / rm inside rm, Tm exp(-(r - rm) / re) outside, at least 0, with
    U = 1 + (Vm - 35) / 33, T0 = -1.10 + 3.96 U, Tm = -1.60 + 4.80 U in/day,
    rm = 64.5 - 13.0 U and re = 150 - 16.0 U km.

    Args:
        distance: km from the centre, >= 0.
        wind: Maximum wind Vm, kt.

    Returns:
        Inches per hour, broadcast shape.

    Source:
        R-CLIPER; R. E. Tuleya, M. DeMaria, R. J. Kuligowski 2007, Weather and Forecasting 22,
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
