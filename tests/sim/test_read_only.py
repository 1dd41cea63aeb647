from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.read_only import read_only


@dataclass(frozen=True)
class Shared:
    name: str
    values: NDArray[np.float64]
    columns: dict[str, NDArray[np.float64]]


def test_shared_arrays_are_read_only() -> None:
    shared = Shared("a", np.ones(2), {"x": np.ones(2)})
    assert read_only(shared) is shared
    for array in (shared.values, shared.columns["x"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2
