"""Compiled loops: strengths and weighted sums for `ties.py`, growth for `ties_homophilic.py`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def weighted_sums(
    starts: NDArray[np.int32],
    contacts: NDArray[np.int32],
    strength: NDArray[np.float32],
    values: NDArray[np.float64],
    rows: NDArray[np.int64],
    totals: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """Add to each row's total the values of its contacts times strength, in stored order."""
    for i in range(len(rows)):
        total = totals[i]
        weight = weights[i]
        for j in range(starts[rows[i]], starts[rows[i] + 1]):
            total += strength[j] * values[contacts[j]]
            weight += strength[j]
        totals[i] = total
        weights[i] = weight


@njit(cache=True, nogil=True)
def strengths(
    starts: NDArray[np.int32],
    contacts: NDArray[np.int32],
    strength: NDArray[np.float32],
    rows: NDArray[np.int64],
    others: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Return the strength of the tie of each pair of rows, 0 without one, shape (pairs,)."""
    result = np.zeros(len(rows), np.float32)
    for i in range(len(rows)):
        first, stop = starts[rows[i]], starts[rows[i] + 1]
        place = first + np.searchsorted(contacts[first:stop], others[i])
        if place < stop and contacts[place] == others[i]:
            result[i] = strength[place]
    return result


@njit(cache=True, nogil=True)
def grown(
    arrivals: NDArray[np.int64],
    block: NDArray[np.int8],
    falls: NDArray[np.int8],
    place: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tie newcomers, one after the other, to members of a block by number of ties.

    `arrivals` are rows in order of arrival, `block` is the block of each row, 0 to 2, `falls` the
    block that each tie of each newcomer falls on, and `place` are draws in [0, 1), both (agents,
    links). Returns the newcomer and contact of each tie, shape (ties,). Ties to a block whose
    members are all tied already, such as those of the first newcomers, are dropped.
    """
    agents, links = falls.shape
    # The list of a block contains each member once per tie.
    ends = np.empty((3, 2 * agents * links + agents), np.int64)
    filled = np.zeros(3, np.int64)
    first = np.empty(agents * links, np.int64)
    second = np.empty(agents * links, np.int64)
    ties = 0
    for i in range(agents):
        row = arrivals[i]
        begin = ties
        for turn in range(links):
            b = falls[i, turn]
            count = filled[b]
            at = int(place[i, turn] * count)
            for _ in range(count):
                contact = ends[b, at]
                if contact not in second[begin:ties]:
                    first[ties] = row
                    second[ties] = contact
                    ties += 1
                    break
                at = (at + 1) % count
        own = block[row]
        # A newcomer without a tie is added once, so that others can be tied to it.
        for _ in range(max(ties - begin, 1)):
            ends[own, filled[own]] = row
            filled[own] += 1
        for k in range(begin, ties):
            b = block[second[k]]
            ends[b, filled[b]] = second[k]
            filled[b] += 1
    return first[:ties], second[:ties]
