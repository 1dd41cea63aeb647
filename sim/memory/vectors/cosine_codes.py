"""Cosines as whole numbers: floor(cosine * 32767 + 0.5)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

CODES = 32767
"""Code of a cosine of 1."""


def encode(cosine: float) -> int:
    """Return the code of one cosine, such as a threshold."""
    return int(np.floor(cosine * CODES + 0.5))


def encode_dots(
    dots: NDArray[Any], first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.int16]:
    """Convert dot products of whole-number vectors to codes.

    Args:
        dots: Whole numbers, shape (n, m).
        first: Inverse lengths of the row vectors, 0 for a zero vector, shape (n,).
        second: Inverse lengths of the column vectors, shape (m,).

    Returns:
        Codes, int16, shape (n, m); 0 where a vector is zero.
    """
    cosines = dots.astype(np.float64) * (first[:, None] * second)
    return np.floor(cosines * CODES + 0.5).astype(np.int16)
