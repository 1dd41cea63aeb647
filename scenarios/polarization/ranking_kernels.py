"""The compiled pass of a feed: the best authors for each reader; see `ranking.py`."""

import numpy as np
from numba import njit

from memopolis.scenarios.polarization.ranking import FOLLOWED, OUTLET, RECOMMENDED
from memopolis.sim.arrays import Bools, Float32, Int8, Int32, Int64
from memopolis.sim.chance_kernels import uniform_one
from memopolis.sim.inner_kernels import inner


@inner
def _liked(own, stance, strength, nearest, u):  # type: ignore[no-untyped-def]
    """Return the feed's preference plus Gumbel noise."""
    inside = min(max(u, 2.0**-53), 1.0 - 2.0**-53)
    noise = -np.log(-np.log(inside))
    return noise - strength * np.log(max(abs(stance - own), nearest))


@inner
def _offer(author, kind, score, authors, kinds, scores):  # type: ignore[no-untyped-def]
    """Insert an author into the sorted list of the best so far, which drops the last one."""
    place = len(scores)
    while place > 0 and score > scores[place - 1]:
        place -= 1
    for at in range(len(scores) - 1, place, -1):
        authors[at], kinds[at], scores[at] = authors[at - 1], kinds[at - 1], scores[at - 1]
    if place < len(scores):
        authors[place], kinds[place], scores[place] = author, kind, score


@inner
def _among(author, others):  # type: ignore[no-untyped-def]
    """Return whether an author is in a list."""
    for other in others:  # noqa: SIM110 - numba compiles no generator
        if other == author:
            return True
    return False


@njit(cache=True, nogil=True)
def rank(
    rows: Int64,
    follows: Int32,
    outlet: Int32,
    active: Int64,
    start: Int64,
    recommended: int,
    reach: float,
    present: Bools,
    topic: Int8,
    stance: Float32,
    held: Float32,
    strength: float,
    nearest: float,
    key: tuple[int, int],
    reach_key: tuple[int, int],
    tick: int,
    authors: Int32,
    kinds: Int8,
) -> None:
    """Fill in the best authors of each reader and the reasons to offer them, -1 for none.

    Candidates are numbered in this order: those followed, the next `recommended` of the circle of
    active authors from `start` on, and the outlets that reach the reader. The outlet that is
    followed comes first. Draws are indexed by the reader's row and the candidate's number.
    """
    people, slots = follows.shape  # authors beyond the citizens are outlets
    outlets = len(present) - people
    scores = np.empty(authors.shape[1])
    for i in range(len(rows)):
        row = rows[i]
        authors[i, :] = -1
        scores[:] = -np.inf
        for n in range(slots + recommended + outlets):
            kind = OUTLET
            if n < slots:
                author, kind = follows[row, n], FOLLOWED
            elif n < slots + recommended:
                step = n - slots
                author = np.int32(-1)
                if step < len(active):
                    author, kind = np.int32(active[(start[i] + step) % len(active)]), RECOMMENDED
                    if author == row or _among(author, follows[row]):
                        author = np.int32(-1)
            else:
                author = np.int32(people + n - slots - recommended)
                if author - people != outlet[row]:
                    drawn = uniform_one(reach_key[0], reach_key[1], row, tick, author - people)
                    if drawn >= reach:
                        author = np.int32(-1)
            if author < 0 or not present[author]:
                continue
            u = uniform_one(key[0], key[1], row, tick, n)
            own = held[i, max(topic[author], 0)]
            score = _liked(own, stance[author], strength, nearest, u)
            if author - people == outlet[row]:
                score = np.inf  # a subscription is always shown
            _offer(author, kind, score, authors[i], kinds[i], scores)
