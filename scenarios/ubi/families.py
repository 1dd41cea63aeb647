"""Who finds a partner, and who becomes the head of a household that has lost its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.ubi.people import ADULT

type Places = NDArray[np.intp]
type Mask = NDArray[np.bool_]

OLDEST_MATCH, MOST_YEARS_APART = 45, 10
"""Age up to which those who live alone may be found as partners, and how many years they may
differ (illustrative)."""


def partners(
    seekers: Places, alone: Mask, *, age: NDArray[Any], female: Mask, draw: NDArray[np.floating]
) -> Places:
    """Find partners among those who live alone, one seeker after the other.

    Args:
        seekers: Places of those who look for one, shape (seekers,).
        alone: Who lives alone, shape (people,).
        age: Years, shape (people,).
        female: Shape (people,).
        draw: Whom each seeker takes of those who fit, in [0, 1), shape (seekers,).

    Returns:
        Place of each one's partner, of the other sex and of like age, -1 for none; nobody twice.
    """
    free = np.flatnonzero(alone & (age >= ADULT) & (age <= OLDEST_MATCH))
    found = np.full(len(seekers), -1, np.intp)
    for number, (seeker, luck) in enumerate(zip(seekers.tolist(), draw.tolist(), strict=True)):
        near = np.abs(age[free] - age[seeker]) <= MOST_YEARS_APART
        fitting = free[near & (female[free] != female[seeker])]
        if len(fitting):
            found[number] = fitting[int(luck * len(fitting))]
            free = free[free != found[number]]
    return found


def new_heads(
    relation: NDArray[Any], house: NDArray[Any], age: NDArray[Any], headless: NDArray[np.bool_]
) -> Places:
    """Choose a head for each household without one.

    Args:
        relation: Number of `RELATIONS` of each, shape (people,).
        house: Household of each, shape (people,).
        age: Years, shape (people,).
        headless: Which households have none, shape (households,).

    Returns:
        Places of the new heads: the first grown member by relation, then the oldest; the first
        of all where nobody is grown.
    """
    heads = []
    for home in np.flatnonzero(headless).tolist():
        members = np.flatnonzero(house == home)
        ranked = members[np.lexsort((-age[members], relation[members]))]
        grown = ranked[age[ranked] >= ADULT]
        heads.append(int((grown if len(grown) else ranked)[0]))
    return np.array(heads, np.intp)
