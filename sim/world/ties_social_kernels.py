"""Compiled choices of `ties_social.py`: among people met, and among friends of friends.

Both keep one candidate while they go through them, each with probability in proportion to its
weight (reservoir sampling: M. T. Chao 1982, Biometrika 69, 653-656, recalled).
"""

import numpy as np
from numba import njit

from memopolis.sim.arrays import Float32, Int32, Int64
from memopolis.sim.chance_kernels import philox
from memopolis.sim.inner_kernels import inner

NEGLIGIBLE = 0.02  # nearness of two numbers that counts as none (choice)
_WORD = 1.0 / 4294967296.0  # of a word in [0, 1)


@inner
def _weigh(i, j, household, traits, lowest):  # type: ignore[no-untyped-def]
    """Return the weight of candidate j for agent i; see `ties_social.Likeness`.

    It is 0 in the same household, and where it is at most `lowest`.
    """
    labels, apart, numbers, sought, scale, least = traits
    if household[i] == household[j]:
        return 0.0
    weight = 1.0
    for k in range(len(apart)):
        one, other = labels[i, k], labels[j, k]
        if one != other and one >= 0 and other >= 0:
            weight *= apart[k]
    for k in range(len(scale)):
        near = np.exp(-abs(sought[i, k] - numbers[j, k]) / scale[k])
        near = near if near >= NEGLIGIBLE else 0.0
        weight *= least[k] + (1.0 - least[k]) * near
    return weight if weight > lowest else 0.0


@inner
def _group_met(i, a, b, zone, focus, at_focus, reach, edges):  # type: ignore[no-untyped-def]
    """Return the group in which agent i meets a person, given two draws."""
    share = at_focus[i] if focus[i] >= 0 else np.float32(0.0)
    if a < share:
        return edges.shape[1] + focus[i]
    far = 1 if (a - share) < reach[i] * (1.0 - share) else 0
    row = edges[far, zone[i]]
    return min(np.searchsorted(row, b, side="right"), len(row) - 1)


@njit(cache=True, nogil=True)
def choose_among_met(
    seekers: Int64,
    turns: Int64,
    met: int,
    lowest: float,
    key: tuple[int, int],
    zone: Int32,
    focus: Int32,
    at_focus: Float32,
    reach: Float32,
    edges: Float32,
    starts: Int64,
    places: Float32,
    owners: Int32,
    household: Int64,
    labels: Int32,
    apart: Float32,
    numbers: Float32,
    sought: Float32,
    scale: Float32,
    least: Float32,
) -> Int64:
    """Choose one of the people met for each seeker, -1 for none; see `Crowd.meet`."""
    chosen = np.full(len(seekers), -1, np.int64)
    traits = labels, apart, numbers, sought, scale, least
    for s in range(len(seekers)):
        i = seekers[s]
        total = 0.0
        for n in range(met):
            words = philox(key[0], key[1], i, turns[s], n, 0)
            a, b, c, d = (words[0] * _WORD, words[1] * _WORD, words[2] * _WORD, words[3] * _WORD)
            group = _group_met(i, a, b, zone, focus, at_focus, reach, edges)
            first, stop = starts[group], starts[group + 1]
            if first == stop:
                continue
            at = first + np.searchsorted(places[first:stop], np.float32(c), side="right")
            j = owners[at if at < stop else first]
            weight = _weigh(i, j, household, traits, lowest)
            total += weight
            if d * total < weight:
                chosen[s] = j
    return chosen


@njit(cache=True, nogil=True)
def choose_among_introduced(
    seekers: Int64,
    turns: Int64,
    introduced: int,
    key: tuple[int, int],
    starts: Int32,
    contacts: Int32,
    household: Int64,
    labels: Int32,
    apart: Float32,
    numbers: Float32,
    sought: Float32,
    scale: Float32,
    least: Float32,
) -> Int64:
    """Choose a friend of a friend for each seeker, -1 for none; see `Crowd.introduce`."""
    chosen = np.full(len(seekers), -1, np.int64)
    traits = labels, apart, numbers, sought, scale, least
    for s in range(len(seekers)):
        i = seekers[s]
        mine = contacts[starts[i] : starts[i + 1]]
        if not len(mine):
            continue
        total = 0.0
        for n in range(introduced):
            words = philox(key[0], key[1], i, turns[s], n, 0)
            a, b, d = words[0] * _WORD, words[1] * _WORD, words[2] * _WORD
            friend = mine[int(a * len(mine))]
            theirs = contacts[starts[friend] : starts[friend + 1]]
            j = theirs[int(b * len(theirs))]
            at = np.searchsorted(mine, j)
            if at < len(mine) and mine[at] == j:
                continue
            weight = _weigh(i, j, household, traits, 0.0)
            total += weight
            if d * total < weight:
                chosen[s] = j
    return chosen
