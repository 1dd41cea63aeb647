"""Draw kinship between households: grown children, their parents and their siblings.

Adults who do not live with a parent may have one in another household of the region, which is a
generation older, of the same descent and rarely far away. Households of children of the same
parents are kin as well.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.world.ties import Network
from memopolis.sim.world.ties_built import groups
from memopolis.sim.world.ties_social import Crowd, Labels, Likeness, Meetings, Numbers, Ring

KIN_STRENGTH = 0.8  # strength of kinship (illustrative)
GROWN = 18  # age in years from which children may live apart from their parents (choice)
GENERATION, SPREAD = 28.0, 4.0
"""Usual difference in age of parent and child, in years, and the difference from it over which the
share of parents falls by e (illustrative)."""
ORPHANED, ORPHANING = 58.0, 6.0
"""Age at which half of all people have lost both parents, and the width in years of the logistic
curve around it (illustrative; in the United States a parent of most people in their forties is
alive, recalled)."""
NEAR = 0.45
"""Share of living parents in the region. Half of the adults live within 18 miles of their mother
(recalled: Bui and Miller 2015)."""
PARENTS_MET = 32  # number of people among whom a parent is chosen (choice)
UNLIKELY = 0.05  # weight up to which no person is taken for a parent (choice)

Rows = NDArray[np.int64]


def draw_kin(
    meetings: Meetings,
    chance: Chance,
    *,
    households: ArrayLike,
    ages: ArrayLike,
    descent: ArrayLike = -1,
    strength: float = KIN_STRENGTH,
) -> Network:
    """Draw kin outside the household, among all members of the households of relatives.

    Households, ages and labels of descent, -1 for unknown, have shape (agents,). Kin live where
    people of the same region meet: `meetings` without foci, whose reach is their distance.

    Source: This project; numbers as above.
    """
    household = np.ascontiguousarray(households, np.int64)
    age = np.asarray(ages, np.float64)
    agents, rows = len(household), np.arange(len(household))
    likeness = Likeness.of(
        agents,
        [Labels(np.broadcast_to(descent, age.shape), 0.0), Numbers(age, SPREAD, shift=GENERATION)],
    )
    is_grown = age >= GROWN
    ring = Ring.of(meetings, is_grown.astype(np.float64), chance, "kin")
    crowd = Crowd(chance, meetings, likeness, household, ring, "kin")
    alive = 1 / (1 + np.exp((age - ORPHANED) / ORPHANING))
    apart = is_grown & ~lives_with_parent(household, age)
    has_parent = apart & (chance.uniform("kin parent", rows) < NEAR * alive)
    (children,) = has_parent.nonzero()
    parents = crowd.meet(
        children, np.zeros(len(children), np.int64), met=PARENTS_MET, least=UNLIKELY
    )
    children, parents = children[parents >= 0], parents[parents >= 0]
    homes = _join_households(household[children], household[parents])
    return Network(agents, *_pair_members(household, *homes), strength)


def lives_with_parent(household: Rows, age: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether a member of the household is a generation older, shape (agents,)."""
    oldest = np.zeros(int(household.max(initial=-1)) + 1)
    np.maximum.at(oldest, household, age)
    return np.asarray(oldest[household] - age >= GROWN)


def _join_households(child: Rows, parent: Rows) -> tuple[Rows, Rows]:
    """Return pairs of households: children and parents, and children of the same parents."""
    pairs = np.unique(np.stack([child, parent], axis=1), axis=0)
    siblings = groups(pairs[:, 1])
    rows = np.repeat(np.arange(len(pairs)), np.diff(siblings.starts))
    once = rows < siblings.contacts
    one = np.concatenate([pairs[:, 0], pairs[rows[once], 0]])
    two = np.concatenate([pairs[:, 1], pairs[siblings.contacts[once], 0]])
    return one[one != two], two[one != two]


def _pair_members(household: Rows, one: Rows, two: Rows) -> tuple[Rows, Rows]:
    """Return all pairs of a member of a household and a member of another, for some pairs."""
    order = np.argsort(household, kind="stable")
    size = np.bincount(household, minlength=int(household.max(initial=-1)) + 1)
    first = np.cumsum(size) - size
    count = size[one] * size[two]
    pair = np.repeat(np.arange(len(one)), count)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    left, right = np.divmod(within, size[two][pair])
    return order[first[one][pair] + left], order[first[two][pair] + right]
