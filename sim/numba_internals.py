"""Parts of numba and llvmlite that are outside their stable interface.

All other modules import them from here, so that this file and its test show what a new version of
numba may break. `numba.njit`, `numba.types` and `numba.extending` are public and imported directly.
"""

from llvmlite import ir
from numba.core import cgutils, event
from numba.cpython.unsafe.numbers import trailing_zeros

__all__ = ["cgutils", "event", "ir", "trailing_zeros"]
