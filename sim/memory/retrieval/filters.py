"""Which memories may be found, as whole numbers that kernels compare."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.streams.encoding import KIND_BITS
from memopolis.sim.memory.streams.stream import FORGOTTEN, Streams

Int32 = NDArray[np.int32]

ANY = -2
"""Stands for any place or actor; -1 is that of a memory without one."""

ALWAYS = (-(2**31), 2**31 - 1)
"""Ticks of all times."""

NEVER = (1, 0)
"""Ticks of no time: nothing passes."""


@dataclass(frozen=True, slots=True, eq=False)
class Filters:
    """Which memories may be found.

    Attributes:
        place: Index of the place of each agent's search or ANY, shape (n,).
        actor: unique_id of the actor of each agent's search or ANY, shape (n,).
        topic: Number of the topic, -1 for any.
        kind: 0 event, 1 thought, -1 for any.
        emotion: Number of the emotion word, -1 for any.
        ticks: First and last tick of creation.
        tags: Bits of tags of which a memory has at least one, 0 for any.
        urgent: Bits of further tags of which it has at least one, 0 for any.
        without: Bits of tags of which it has none.
        sign: 1 for valence above 0, -1 for below 0, 0 for any.
    """

    place: Int32
    actor: Int32
    topic: int = -1
    kind: int = -1
    emotion: int = -1
    ticks: tuple[int, int] = ALWAYS
    tags: int = 0
    urgent: int = 0
    without: int = 0
    sign: int = 0


def anything(agents: int) -> Filters:
    """Filters that let every memory of so many agents pass, except the forgotten."""
    return Filters(np.full(agents, ANY, np.int32), np.full(agents, ANY, np.int32))


def packed(filters: Filters, *, forgets: bool) -> tuple[Any, ...]:
    """Filters as compiled loops read them; `forgets` tells whether to look for the forgotten."""
    return (
        filters.topic,
        filters.kind,
        filters.emotion,
        *filters.ticks,
        filters.tags,
        filters.urgent,
        filters.without,
        filters.sign,
        forgets,
        bool((filters.place != ANY).any()),
        bool((filters.actor != ANY).any()),
        filters.place,
        filters.actor,
    )


def passes(
    streams: Streams, filters: Filters | None, slots: NDArray[np.int64], owner: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether each memory passes.

    Args:
        streams: The memories.
        filters: Which may be found; None for all but the forgotten.
        slots: Where the memories lie, shape (m,).
        owner: Place of each one's agent in the search, shape (m,).
    """
    kind = streams.at("kind", slots)
    passing = np.asarray((kind & np.uint8(FORGOTTEN)) == 0)
    if filters is None:
        return passing
    for name, number in (("topic", filters.topic), ("emotion", filters.emotion)):
        if number >= 0:
            passing &= streams.at(name, slots) == number
    if filters.kind >= 0:
        passing &= (kind & np.uint8(KIND_BITS)) == filters.kind
    time = streams.at("time", slots)
    passing &= (time >= filters.ticks[0]) & (time <= filters.ticks[1])
    for name, wanted in (("place", filters.place[owner]), ("actor", filters.actor[owner])):
        passing &= (wanted == ANY) | (streams.at(name, slots) == wanted)
    return np.asarray(passing & _of_sign(streams, filters, slots))


def _of_sign(streams: Streams, filters: Filters, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each memory has the tags and the emotional sign."""
    tags = streams.at("tags", slots)
    passing = np.asarray((tags & np.uint16(filters.without)) == 0)
    for bits in (filters.tags, filters.urgent):
        if bits:
            passing &= (tags & np.uint16(bits)) != 0
    if filters.sign:
        passing &= np.sign(streams.at("valence", slots)) == filters.sign
    return passing
