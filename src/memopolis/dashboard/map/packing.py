"""Pack arrays for the browser; `js/packed.js` unpacks them."""

import base64

import numpy as np
from numpy.typing import ArrayLike, NDArray

TYPES = {
    "u1": np.uint8,
    "u2": np.uint16,
    "i1": np.int8,
    "i2": np.int16,
    "i4": np.int32,
    "f4": np.float32,
}


def pack(values: ArrayLike, kind: str) -> str:
    """Pack numbers as text.

    Returns the type and the little-endian bytes in base64, "i2:AQACAA==". Numbers must fit the type
    `kind`, one of `TYPES`.
    """
    array = np.ascontiguousarray(values, np.dtype(TYPES[kind]).newbyteorder("<"))
    return f"{kind}:{base64.b64encode(array.tobytes()).decode()}"


def pack_gaps(rows: NDArray[np.intp]) -> str:
    """Pack ascending rows as the differences between them, which are small numbers."""
    gaps = np.diff(rows, prepend=0)
    return pack(gaps, "u2" if gaps.max(initial=0) < 2**16 else "i4")


def rounded(points: NDArray[np.float64], digits: int = 2) -> list[float]:
    """Return points, shape (points, 2), as a flat list of rounded numbers."""
    flat: list[float] = np.round(points, digits).ravel().tolist()
    return flat


def numbers_or_none(values: ArrayLike, digits: int = 3) -> list[float | None]:
    """Return rounded numbers; None for those that are not finite, which JSON has no form for."""
    array = np.asarray(values, np.float64)
    return [round(value, digits) if np.isfinite(value) else None for value in array.tolist()]


def shares(values: NDArray[np.float64], low: float, high: float, most: int) -> NDArray[np.uint8]:
    """Scale numbers between two limits to whole numbers from 0 to `most`; 255 for unknown."""
    part = np.clip((values - low) / max(high - low, 1e-12), 0, 1)
    return np.where(np.isfinite(part), np.nan_to_num(part) * most, 255).astype(np.uint8)
