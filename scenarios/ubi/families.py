"""Partner search, and new heads of households that have lost theirs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.ubi.people import ADULT

type Places = NDArray[np.intp]
type Mask = NDArray[np.bool_]

MAX_MATCH_AGE, MAX_AGE_DIFFERENCE = 45, 10
"""Maximum age of single persons in partner search, and maximum age difference
(illustrative)."""


def find_partners(
    seekers: Places, alone: Mask, *, age: NDArray[Any], female: Mask, draw: NDArray[np.floating]
) -> Places:
    """Find partners among single persons, one seeker after the other.

    Args:
        seekers: Positions of the seekers, shape (seekers,).
        alone: Whether each person lives alone, shape (people,).
        age: Years, shape (people,).
        female: Whether female, shape (people,).
        draw: Position of the choice among candidates, in [0, 1), shape (seekers,).

    Returns:
        Position of each partner, of the other sex and similar age, without repeats; -1 for none.
    """
    free = np.flatnonzero(alone & (age >= ADULT) & (age <= MAX_MATCH_AGE))
    matches = np.full(len(seekers), -1, np.intp)
    for number, (seeker, u) in enumerate(zip(seekers.tolist(), draw.tolist(), strict=True)):
        near = np.abs(age[free] - age[seeker]) <= MAX_AGE_DIFFERENCE
        candidates = free[near & (female[free] != female[seeker])]
        if len(candidates):
            matches[number] = candidates[int(u * len(candidates))]
            free = free[free != matches[number]]
    return matches


def choose_heads(
    relation: NDArray[Any], house: NDArray[Any], age: NDArray[Any], headless: NDArray[np.bool_]
) -> Places:
    """Choose a head for each household without one.

    Args:
        relation: Number of `RELATIONS`, shape (people,).
        house: Household of each person, shape (people,).
        age: Years, shape (people,).
        headless: Whether each household lacks a head, shape (households,).

    Returns:
        Positions of the new heads: the first adult by relation, then by age; without adults, the
        first of all members.
    """
    heads = []
    for home in np.flatnonzero(headless).tolist():
        members = np.flatnonzero(house == home)
        ranked = members[np.lexsort((-age[members], relation[members]))]
        grown = ranked[age[ranked] >= ADULT]
        heads.append(int((grown if len(grown) else ranked)[0]))
    return np.array(heads, np.intp)
