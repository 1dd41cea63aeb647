"""Initial follows, ranking of feeds, and choice of unfollowed citizens: functions of arrays.

A feed draws an order of its candidates sequentially, with probabilities in proportion to the
preference below. Sorting the log preference plus Gumbel noise is equivalent (Yellott 1977,
doi:10.1016/0022-2496(77)90026-8, recalled; the Plackett-Luce model). The compiled pass is in
`ranking_kernels.py`.
"""

import numpy as np

from memopolis.sim.arrays import Bools, Float32, Floats, Int32, Intp, Ints
from memopolis.sim.chance import Chance
from memopolis.sim.world.ties_social import Crowd, Labels, Likeness, Meetings, Ring

FOLLOWED, RECOMMENDED, OUTLET = 0, 1, 2  # reasons to offer an author to a reader

NEAREST = 0.05
"""Minimum distance of stances, on a scale of length 2, that a feed distinguishes (this project)."""

COME_ACROSS = 4  # authors among whom a citizen chooses one to follow (illustrative)
ROUNDS = 8  # attempts to fill a place of initial follows; after them it stays empty


def log_preference(own: Floats, stance: Floats, *, strength: float) -> Float32:
    """Compute the log preference of a feed, -strength * log(distance), (readers, candidates).

    `own` is the stance of the reader, shape (readers, 1), or on the topic of each candidate.

    Source: p ~ |x_i - x_j|^-beta, the probability of choosing partners: Baumann, Lorenz-Spreen,
    Sokolov, Starnini 2020, doi:10.1103/PhysRevLett.124.048301; the minimum distance is this
    project's.
    """
    apart = np.abs(stance.astype(np.float32) - own.astype(np.float32))
    return np.float32(-strength) * np.log(np.maximum(apart, np.float32(NEAREST)))


def remove_like_minded(order: Intp, like: Bools, u: Floats, *, size: int, cut: float) -> Intp:
    """Remove a share of like-minded messages from a feed, and fill their places.

    Of the first `size` messages, each like-minded one is removed with probability `cut`, and only
    messages that are not like-minded move up. `order` has positions of candidates, best first, -1
    for none, shape (readers, places).

    Source: Nyhan et al. 2023, doi:10.1038/s41586-023-06297-w, reduced like-minded sources by a
    third; filling the places with others is this project's.
    """
    if cut == 0:
        return order[:, :size]
    shown = np.arange(order.shape[1]) < size
    kept = (order >= 0) & (~like | (shown & (u >= cut)))
    first = np.argsort(~kept, axis=1, kind="stable")[:, :size]
    is_kept = np.take_along_axis(kept, first, axis=1)
    return np.where(is_kept, np.take_along_axis(order, first, axis=1), -1)


def draw_least_preferred(preferred: Float32, u: Floats) -> Intp:
    """Draw a position per row with probability in proportion to exp(-preferred), shape (readers,).

    Source: This project: the inverse of the feed's own preference, so that a feed without
    preference leads to unfollowing at random.
    """
    weight = np.exp(-(preferred - preferred.min(axis=1, keepdims=True)))
    edges = np.cumsum(weight, axis=1)
    drawn = (u[:, None] * edges[:, -1:] >= edges).sum(axis=1)
    return np.asarray(np.minimum(drawn, preferred.shape[1] - 1), np.intp)


def draw_follows(
    activity: Floats,
    slots: int,
    chance: Chance,
    purpose: str = "follow",
    *,
    side: Ints | int = 0,
    other_side: float = 1.0,
) -> Int32:
    """Draw the rows that each citizen follows, without repeats, in proportion to activity.

    Citizens choose among authors that they come across, as friends do among people whom they meet
    (`ties_social`): an author of the other side, 1 or -1, with the weight `other_side`, all others
    with 1. Returns shape (agents, slots), -1 for an empty place.

    Source: This project: attention in proportion to activity.
    """
    agents = len(activity)
    rows = np.arange(agents)
    sides = np.broadcast_to(side, (agents,))
    labels = Labels(np.where(sides == 0, -1, sides > 0), other_side)
    meetings = Meetings.of(agents)
    attraction = np.asarray(activity, np.float64) / max(float(np.mean(activity)), 1e-12)
    ring = Ring.of(meetings, attraction, chance, purpose)
    crowd = Crowd(chance, meetings, Likeness.of(agents, [labels]), rows, ring, purpose)
    follows = np.full((agents, slots), -1, np.int32)
    for turn in range(ROUNDS):
        for slot in range(slots):
            open_ = np.flatnonzero(follows[:, slot] < 0)
            turns = np.full(len(open_), turn * slots + slot)
            drawn = crowd.meet(open_, turns, met=COME_ACROSS).astype(np.int32)
            new = (drawn >= 0) & ~(follows[open_] == drawn[:, None]).any(axis=1)
            follows[open_[new], slot] = drawn[new]
    return follows
