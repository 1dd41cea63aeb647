"""The compiled pass of a feed: who is offered to each reader, in which order; see `ranking.py`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.scenarios.polarization.ranking import FOLLOWED, OUTLET, RECOMMENDED
from memopolis.sim.chance_kernels import uniform_one


@njit(cache=True, nogil=True)
def _liked(own, stance, strength, nearest, u):  # type: ignore[no-untyped-def]
    """Preference of the feed and Gumbel noise."""
    inside = min(max(u, 2.0**-53), 1.0 - 2.0**-53)
    noise = -np.log(-np.log(inside))
    return noise - strength * np.log(max(abs(stance - own), nearest))


@njit(cache=True, nogil=True)
def _offer(author, kind, score, authors, kinds, scores):  # type: ignore[no-untyped-def]
    """Put an author in order among the best so far; the last falls out."""
    place = len(scores)
    while place > 0 and score > scores[place - 1]:
        place -= 1
    for at in range(len(scores) - 1, place, -1):
        authors[at], kinds[at], scores[at] = authors[at - 1], kinds[at - 1], scores[at - 1]
    if place < len(scores):
        authors[place], kinds[place], scores[place] = author, kind, score


@njit(cache=True, nogil=True)
def _among(author, others):  # type: ignore[no-untyped-def]
    """Whether an author is one of some."""
    for other in others:  # noqa: SIM110 - numba compiles no generator
        if other == author:
            return True
    return False


@njit(cache=True, nogil=True)
def rank(
    rows: NDArray[np.int64],
    follows: NDArray[np.int32],
    active: NDArray[np.int64],
    start: NDArray[np.int64],
    recommended: int,
    reach: float,
    there: NDArray[np.bool_],
    topic: NDArray[np.int8],
    stance: NDArray[np.float32],
    held: NDArray[np.float32],
    strength: float,
    nearest: float,
    luck: tuple[int, int],
    reach_luck: tuple[int, int],
    tick: int,
    authors: NDArray[np.int32],
    kinds: NDArray[np.int8],
) -> None:
    """Fill in the best authors of each reader, -1 where there are fewer, and why they are offered.

    Candidates of a reader, numbered in this order: those followed, `recommended` next of the
    circle of active authors from `start` on, and the outlets that reach it. Draws are those of
    the reader's row and the candidate's number.
    """
    people, slots = follows.shape  # authors beyond the citizens are outlets
    outlets = len(there) - people
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
                if uniform_one(reach_luck[0], reach_luck[1], row, tick, author - people) >= reach:
                    author = np.int32(-1)
            if author < 0 or not there[author]:
                continue
            u = uniform_one(luck[0], luck[1], row, tick, n)
            own = held[i, max(topic[author], 0)]
            score = _liked(own, stance[author], strength, nearest, u)
            _offer(author, kind, score, authors[i], kinds[i], scores)
