"""Arrays with one value per agent that grow without a copy for each new agent."""

from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from memopolis.sim.arrays import Array

_SPARE = 8  # one spare row per this many rows is reserved when an array is moved


class RowBuffers:
    """The memory of some arrays by name, of which each array uses the first rows."""

    def __init__(self) -> None:
        # Each is referred to by the array that uses it.
        self._buffers: WeakValueDictionary[str, Array] = WeakValueDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        return RowBuffers, ()  # copies of the arrays have memory of their own

    def lengthen(self, name: str, values: Array, rows: int) -> Array:
        """Return an array of more rows that begins with `values`; those of new rows are undefined.

        The time does not depend on the length of the array, except when it must move.
        """
        buffer = self._buffers.get(name)
        if buffer is None or values.base is not buffer or len(buffer) < rows:
            shape = (rows + rows // _SPARE, *values.shape[1:])
            self._buffers[name] = buffer = np.empty(shape, values.dtype)
            buffer[: len(values)] = values
        return buffer[:rows]
