"""Short names of NumPy's array types, for annotations."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bools = NDArray[np.bool_]
Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]
Objects = NDArray[np.object_]

Int8 = NDArray[np.int8]
Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UInt8 = NDArray[np.uint8]
UInt16 = NDArray[np.uint16]
UInt64 = NDArray[np.uint64]
Intp = NDArray[np.intp]
"""Rows and positions, which index other arrays."""
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

Cents = Int64
"""Amounts of money in whole cents."""
