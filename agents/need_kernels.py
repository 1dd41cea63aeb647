"""Change of needs, compiled."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def change_need(satisfaction, change, doing, other):  # type: ignore[no-untyped-def]
    """Return satisfaction, in [0, 1], after a step of each agent's two activities, (agents,).

    `change` is the gain (+) or loss (-) in a step by number of the activity, float32; `doing` and
    `other` are the numbers of what each agent does in its halves, which are not checked.

    Source: AgentSociety 1.5.7: s = max(0, s - alpha * hours).
    """
    changed = np.empty_like(satisfaction)
    for p in range(len(satisfaction)):
        level = satisfaction[p] + (change[doing[p]] + change[other[p]]) / np.float32(2)
        changed[p] = min(max(level, np.float32(0)), np.float32(1))
    return changed
