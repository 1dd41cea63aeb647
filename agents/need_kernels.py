"""Change of needs, compiled."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def change_need(satisfaction, change, doing):  # type: ignore[no-untyped-def]
    """Return satisfaction, in [0, 1], after a step of each agent's activity, (agents,).

    `change` is the gain (+) or loss (-) by number of the activity, float32, and `doing` the number
    of each agent's, which is not checked.

    Source: AgentSociety 1.5.7: s = max(0, s - alpha * hours).
    """
    changed = np.empty_like(satisfaction)
    for p in range(len(satisfaction)):
        level = satisfaction[p] + change[doing[p]]
        changed[p] = min(max(level, np.float32(0)), np.float32(1))
    return changed
