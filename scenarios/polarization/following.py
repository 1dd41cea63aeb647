"""Initial follows: active citizens, regardless of side."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance

ROUNDS = 8
"""Attempts to fill a place; after them it stays empty."""


def draw_follows(
    activity: NDArray[np.floating], slots: int, chance: Chance, purpose: str = "follow"
) -> NDArray[np.int32]:
    """Draw the citizens that each citizen follows, without repeats, in proportion to activity.

    Args:
        activity: Daily probability of posting, shape (agents,).
        slots: Number of follows per citizen.
        chance: Random streams of the run.
        purpose: Name of the random stream.

    Returns:
        Rows followed, -1 for an empty place, shape (agents, slots). Adding an agent shifts the
        bounds between agents slightly, so a few draws then select a neighbour.

    Source:
        This project: attention in proportion to activity, regardless of side.
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
            drawn = np.searchsorted(edges, u * edges[-1], side="right")
            drawn = np.minimum(drawn, agents - 1).astype(np.int32)
            new = (drawn != open_) & ~(follows[open_] == drawn[:, None]).any(axis=1)
            follows[open_[new], slot] = drawn[new]
    return follows
