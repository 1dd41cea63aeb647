"""Ways ties come about: groups of people, friends met somewhere, colleagues at work.

Every draw is made by row, and somebody new takes a place between two others without
moving the rest: one more agent changes the ties of those next to it only.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance, options_of
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network

GROUP_STRENGTH, FRIEND_STRENGTH, COLLEAGUE_STRENGTH = 1.0, 0.6, 0.3
"""Strength of a tie by kind (illustrative)."""
FRIENDS = 5
"""Mean number of friends aimed at (illustrative)."""
FRIEND_KM = 6.0
"""Distance over which going somewhere to meet friends falls by e (illustrative)."""
FRIEND_YEARS = 5.0
"""Standard deviation of the age at which a circle of friends is sought (illustrative)."""
COLLEAGUES = 10
"""Most colleagues (illustrative)."""

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def groups(labels: ArrayLike, *, strength: float = GROUP_STRENGTH) -> Network:
    """Tie everybody with the same label to one another, such as a household.

    Args:
        labels: Label of each agent, shape (agents,); below 0 means no group.
        strength: Strength of these ties.

    Returns:
        The network; a group of m people holds m (m - 1) / 2 ties.
    """
    label = np.asarray(labels, np.int64)
    rows = np.flatnonzero(label >= 0)
    rows = rows[np.argsort(label[rows], kind="stable")]
    ordered = label[rows]
    found: list[Pairs] = []
    # Members of a group lie together, so the k-th next one is in it or the group is over.
    for k in range(1, len(rows)):
        same = np.flatnonzero(ordered[k:] == ordered[:-k])
        if not len(same):
            break
        found.append((rows[same], rows[same + k]))
    return Network(len(label), *_joined(found), strength)


def friends(
    place: Place,
    zones: ArrayLike,
    ages: ArrayLike,
    chance: Chance,
    *,
    groups: ArrayLike | None = None,
    mean: float = FRIENDS,
    distance_km: float = FRIEND_KM,
    years: float = FRIEND_YEARS,
    strength: float = FRIEND_STRENGTH,
) -> Network:
    """Tie people who live near one another and are of similar age.

    Everybody goes in rounds to a meeting zone drawn by distance from home and by its people,
    and is tied there to the next in order of age give or take some years: two friends a
    round, so that nobody is first and nobody has very many.

    Args:
        place: Zones and distances.
        zones: Zone of home by agent, shape (agents,).
        ages: Age in years by agent, shape (agents,).
        chance: Luck of the run.
        groups: Group (household) by agent, whose members are not made friends.
        mean: Mean number of friends aimed at, >= 0; the outermost of each round and repeats
            leave somewhat fewer.
        distance_km: Kilometres over which the share going somewhere falls by e, > 0.
        years: Standard deviation of the age looked for, >= 0.
        strength: Strength of these ties.

    Returns:
        The network.

    Raises:
        ParameterError: If `mean`, `distance_km` or `years` is out of range.

    Source:
        Ties from shared meeting places: S. L. Feld 1981, American Journal of Sociology 86,
        1015-1035, doi:10.1086/227352; the numbers are illustrative.
    """
    if mean < 0 or distance_km <= 0 or years < 0:
        raise ParameterError("friends: mean and years at least 0 and distance_km above 0 needed")
    home = np.asarray(zones, np.intp)
    age = np.asarray(ages, np.float64)
    group = np.arange(len(home)) if groups is None else np.asarray(groups, np.int64)
    rows = np.arange(len(home))
    weight = place.population * np.exp(-place.distance_km / distance_km)
    edges = np.cumsum(weight, axis=1)
    edges /= edges[:, -1:]
    found: list[Pairs] = []
    for turn in range(int(np.ceil(mean / 2))):
        where = options_of(edges, home, chance.uniform("friend zone", rows, n=turn))
        sought = age + years * chance.normal("friend age", rows, n=turn)
        order = np.lexsort((sought, where))
        left, right = _next_outside(order, where, group)
        share = min(mean / 2 - turn, 1.0)
        if share < 1:
            kept = chance.uniform("friend kept", left, n=turn) < share
            left, right = left[kept], right[kept]
        found.append((left, right))
    return Network(len(home), *_joined(found), strength)


def colleagues(
    workplaces: ArrayLike,
    chance: Chance,
    *,
    most: int = COLLEAGUES,
    strength: float = COLLEAGUE_STRENGTH,
) -> Network:
    """Tie people who work at the same place.

    Those of a workplace sit in a circle in an order drawn by chance, each tied to the next
    `most // 2` on both sides; in a small workplace all are tied.

    Args:
        workplaces: Workplace by agent, shape (agents,); below 0 means none. Zone and
            occupation together make a sensible workplace.
        chance: Luck of the run.
        most: Most colleagues anybody has, even, >= 0.
        strength: Strength of these ties.

    Returns:
        The network.

    Raises:
        ParameterError: If `most` is negative or odd.
    """
    if most < 0 or most % 2:
        raise ParameterError(f"most colleagues is {most}; an even number of at least 0 is needed")
    work = np.asarray(workplaces, np.int64)
    rows = np.flatnonzero(work >= 0)
    rows = rows[np.lexsort((chance.uniform("colleague seat", rows), work[rows]))]
    _, first, seat_of, size = np.unique(
        work[rows], return_index=True, return_inverse=True, return_counts=True
    )
    start, people = first[seat_of], size[seat_of]
    seat = np.arange(len(rows)) - start
    found: list[Pairs] = []
    for step in range(1, most // 2 + 1):
        other = rows[start + (seat + step) % people]
        found.append((rows, other))
    return Network(len(work), *_joined(found), strength)


def _next_outside(
    order: NDArray[np.intp], where: NDArray[np.intp], group: NDArray[np.int64]
) -> Pairs:
    """Pair each with the next in order at the same place, over one of the same group."""
    left = order.astype(np.int64)
    padded = np.append(left, [-1, -1])
    one, two = padded[1:-1], padded[2:]
    own = (one >= 0) & (group[left] == group[one])
    right = np.where(own, two, one)
    fits = (right >= 0) & (where[left] == where[right]) & (group[left] != group[right])
    return left[fits], right[fits]


def _joined(found: list[Pairs]) -> Pairs:
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])
