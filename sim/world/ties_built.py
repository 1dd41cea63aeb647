"""Create ties that follow from where people live, work and learn: groups and circles.

Every draw depends on the row of an agent, so that adding an agent only changes the ties of its
neighbours in the order.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network

GROUP_STRENGTH, COLLEAGUE_STRENGTH, NEIGHBOUR_STRENGTH = 1.0, 0.3, 0.3
"""Strength of a tie by kind (illustrative)."""
COLLEAGUES = 10  # maximum number of colleagues, and of schoolmates (illustrative)
NEIGHBOURS = 4  # maximum number of adults next door (illustrative)

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


def circles(
    labels: ArrayLike, order: ArrayLike, *, most: int, strength: float = COLLEAGUE_STRENGTH
) -> Network:
    """Tie each agent to the nearest ones of the same label, at least 0, shape (agents,).

    The agents of a label sit in a circle by `order`, shape (agents,), each tied to the next `most
    // 2` on both sides; in a small circle all are tied.
    """
    if most < 0 or most % 2:
        raise ParameterError(f"most ties is {most}; an even number of at least 0 is needed")
    label = np.asarray(labels, np.int64)
    rows = np.flatnonzero(label >= 0)
    rows = rows[np.lexsort((np.asarray(order)[rows], label[rows]))]
    _, first, seat_of, size = np.unique(
        label[rows], return_index=True, return_inverse=True, return_counts=True
    )
    start, people = first[seat_of], size[seat_of]
    seat = np.arange(len(rows)) - start
    pairs: list[Pairs] = []
    for step in range(1, most // 2 + 1):
        other = rows[start + (seat + step) % people]
        pairs.append((rows, other))
    return Network(len(label), *_joined(pairs), strength)


def colleagues(workplaces: ArrayLike, chance: Chance, *, most: int = COLLEAGUES) -> Network:
    """Tie people of the same workplace, below 0 for none, seated in random order; see `circles`."""
    seat = chance.uniform("colleague seat", np.arange(len(np.asarray(workplaces))))
    return circles(workplaces, seat, most=most)


def schoolmates(
    schools: ArrayLike, ages: ArrayLike, chance: Chance, *, most: int = COLLEAGUES
) -> Network:
    """Tie pupils of the same school, below 0 for none, to those of about their age."""
    age = np.asarray(ages, np.float64)
    return circles(schools, age + chance.uniform("schoolmate seat", np.arange(len(age))), most=most)


def neighbours(
    zones: ArrayLike,
    households: ArrayLike,
    chance: Chance,
    *,
    takes_part: ArrayLike = True,
    most: int = NEIGHBOURS,
) -> Network:
    """Tie people of adjacent households of a zone; places within a zone are random.

    All arrays have shape (agents,). Those that do not take part, such as children, have none.
    """
    home = np.asarray(households, np.int64)
    labels = np.where(np.broadcast_to(takes_part, home.shape), np.asarray(zones, np.int64), -1)
    near = circles(
        labels, chance.uniform("neighbour seat", home), most=most, strength=NEIGHBOUR_STRENGTH
    )
    rows = np.repeat(np.arange(len(home)), np.diff(near.starts))
    apart = home[rows] != home[near.contacts]
    return Network(len(home), rows[apart], near.contacts[apart], NEIGHBOUR_STRENGTH)


def _joined(pairs: list[Pairs]) -> Pairs:
    if not pairs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])
