"""Order of evidence, compiled."""

import numpy as np
from numba import njit

from memopolis.sim.arrays import Bools, Int32


@njit(cache=True, nogil=True)
def put_first(ids: Int32, chosen: Bools) -> Int32:
    """Return ids with the chosen ones of each agent first, otherwise in order, (agents, k)."""
    ordered = np.empty_like(ids)
    for i in range(ids.shape[0]):
        place = 0
        for turn in (True, False):
            for j in range(ids.shape[1]):
                if chosen[i, j] == turn:
                    ordered[i, place] = ids[i, j]
                    place += 1
    return ordered
