"""Whom people follow at first: active citizens, whatever their side."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance

ROUNDS = 8
"""Draws for a place that found somebody followed already; after them it stays empty."""


def first_follows(
    activity: NDArray[np.floating], slots: int, chance: Chance, purpose: str = "follow"
) -> NDArray[np.int32]:
    """Draw whom each follows: others, each once, with chances in proportion to activity.

    Args:
        activity: Chance of posting on a day, shape (agents,).
        slots: How many each follows.
        chance: Luck of the run.
        purpose: Name of the draws.

    Returns:
        Rows followed, -1 for an empty place, shape (agents, slots). One more agent moves the
        ends between agents a little, so some of the others' draws then name a neighbour.

    Source:
        This project: attention in proportion to what is posted, blind to sides.
    """
    agents = len(activity)
    rows = np.arange(agents)
    edges = np.cumsum(activity.astype(np.float64))
    follows = np.full((agents, slots), -1, np.int32)
    for turn in range(ROUNDS):
        for slot in range(slots):
            open_ = np.flatnonzero(follows[:, slot] < 0)
            if not len(open_):
                continue
            u = chance.uniform(purpose, rows[open_], turn, slot)
            found = np.searchsorted(edges, u * edges[-1], side="right")
            found = np.minimum(found, agents - 1).astype(np.int32)
            new = (found != open_) & ~(follows[open_] == found[:, None]).any(axis=1)
            follows[open_[new], slot] = found[new]
    return follows
