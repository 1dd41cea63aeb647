"""Create ties: members of groups, friends who live near each other, colleagues.

Every draw depends on the row of an agent, so that adding an agent only changes the ties of its
neighbours in the order.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance, options_of
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network

GROUP_STRENGTH, FRIEND_STRENGTH, COLLEAGUE_STRENGTH = 1.0, 0.6, 0.3
"""Strength of a tie by kind (illustrative)."""
FRIENDS = 5  # mean number of friends aimed at (illustrative)
FRIEND_KM = 6.0  # distance over which the share of visits to meet friends falls by e (illustrative)
FRIEND_YEARS = 5.0  # standard deviation of the age of friends (illustrative)
COLLEAGUES = 10  # maximum number of colleagues (illustrative)

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def groups(labels: ArrayLike, *, strength: float = GROUP_STRENGTH) -> Network:
    """Tie all agents with the same label, at least 0, to one another, such as households."""
    label = np.asarray(labels, np.int64)
    rows = np.flatnonzero(label >= 0)
    rows = rows[np.argsort(label[rows], kind="stable")]
    ordered = label[rows]
    pairs: list[Pairs] = []
    # Members of a group are adjacent, so the k-th next row is in the same group or beyond it.
    for k in range(1, len(rows)):
        same = np.flatnonzero(ordered[k:] == ordered[:-k])
        if not len(same):
            break
        pairs.append((rows[same], rows[same + k]))
    return Network(len(label), *_joined(pairs), strength)


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
    youngest: float = 0.0,
) -> Network:
    """Tie people who live near one another and are of similar age.

    In each round, every agent visits a zone drawn by distance from home and by population. The
    visitors of a zone are sorted by age plus noise, and each is tied to the next: two friends per
    round, so that numbers of friends are similar.

    `zones`, `ages` and `groups` are the home, age and household of each agent, shape (agents,);
    members of a household do not become friends. `mean` is the target of the mean number of
    friends; the ends of each order and repeated pairs leave slightly fewer. The share of visits
    falls by e over `distance_km`, and `years` is the standard deviation of the noise. People have
    friends from the age `youngest`.

    Source: Ties from shared meeting places: S. L. Feld 1981, American Journal of Sociology 86,
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
    pairs: list[Pairs] = []
    for turn in range(int(np.ceil(mean / 2))):
        where = options_of(edges, home, chance.uniform("friend zone", rows, n=turn))
        sought = age + years * chance.normal("friend age", rows, n=turn)
        order = np.lexsort((sought, where))
        order = order[age[order] >= youngest]
        left, right = _next_outside(order, where, group)
        share = min(mean / 2 - turn, 1.0)
        if share < 1:
            kept = chance.uniform("friend kept", left, n=turn) < share
            left, right = left[kept], right[kept]
        pairs.append((left, right))
    return Network(len(home), *_joined(pairs), strength)


def colleagues(
    workplaces: ArrayLike,
    chance: Chance,
    *,
    most: int = COLLEAGUES,
    strength: float = COLLEAGUE_STRENGTH,
) -> Network:
    """Tie people of the same workplace, shape (agents,), below 0 for none.

    The workers of a workplace are arranged in a circle in random order, each tied to the next `most
    // 2` on both sides; in a small workplace all are tied. Zone and occupation together make a
    sensible workplace.
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
    pairs: list[Pairs] = []
    for step in range(1, most // 2 + 1):
        other = rows[start + (seat + step) % people]
        pairs.append((rows, other))
    return Network(len(work), *_joined(pairs), strength)


def _next_outside(
    order: NDArray[np.intp], where: NDArray[np.intp], group: NDArray[np.int64]
) -> Pairs:
    """Pair each agent with the next at the same place, skipping one of the same group."""
    left = order.astype(np.int64)
    padded = np.append(left, [-1, -1])
    one, two = padded[1:-1], padded[2:]
    own = (one >= 0) & (group[left] == group[one])
    right = np.where(own, two, one)
    fits = (right >= 0) & (where[left] == where[right]) & (group[left] != group[right])
    return left[fits], right[fits]


def _joined(pairs: list[Pairs]) -> Pairs:
    if not pairs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])
