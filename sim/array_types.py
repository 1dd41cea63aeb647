"""Types of arrays, named by what they contain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bool = NDArray[np.bool_]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int8 = NDArray[np.int8]
Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Integers = NDArray[np.integer[Any]]
UInt8 = NDArray[np.uint8]
UInt16 = NDArray[np.uint16]
