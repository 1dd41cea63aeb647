"""Which memories may be found, as whole numbers that kernels compare."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.scoring import in_ticks
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.emotion import emotion_number
from memopolis.sim.memory.streams.encoding import KIND_BITS
from memopolis.sim.memory.streams.stream import FORGOTTEN, Streams

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.retrieval.profiles import Profile
    from memopolis.sim.memory.retrieval.wanted import Wanted

Int32 = NDArray[np.int32]

ANY = -2
"""Stands for any place or actor; -1 is that of a memory without one."""

ALWAYS = (-(2**31), 2**31 - 1)
"""Ticks of all times."""

NEVER = (1, 0)
"""Ticks of no time: nothing passes."""

NO_TOPIC = 255
"""Number that no topic has: a filter on a topic nobody ever used."""

_SIGNS = {"positive": 1, "negative": -1, "urgent": 0}


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


def filters_of(
    memory: "Memory", wanted: "Wanted", profile: "Profile", agents: int, *, only_now: bool
) -> Filters | None:
    """Turn filters into numbers; None where everything may be found.

    Args:
        memory: Where to search.
        wanted: Filters of the call and the profile.
        profile: Its time to live and the tags it leaves out.
        agents: How many search.
        only_now: Whether only memories of this tick count.

    Raises:
        ParameterError: If a filter is out of range.
        UnknownNameError: If there is no such emotion word.
    """
    without = memory.tags.known(profile.without)
    if wanted.all and not only_now and not without and profile.time_to_live is None:
        return None
    filters = anything(agents)
    if wanted.place is not None:
        filters.place[:] = encoding.places(wanted.place)
    if wanted.only_actor is not None:
        filters.actor[:] = encoding.actors(wanted.only_actor)
    tags = memory.tags.known(wanted.tags)
    ticks = _ticks(memory, wanted, profile.time_to_live, only_now=only_now)
    return Filters(
        place=filters.place,
        actor=filters.actor,
        topic=_topic(memory, wanted.topic),
        kind=-1 if wanted.kind is None else encoding.kind(wanted.kind),
        emotion=-1 if wanted.emotion is None else emotion_number(wanted.emotion),
        # Tags that nobody used are on no memory.
        ticks=NEVER if wanted.tags is not None and not tags else ticks,
        tags=tags,
        urgent=memory.tags.known("urgent") if wanted.sign == "urgent" else 0,
        without=without,
        sign=0 if wanted.sign is None else _SIGNS[wanted.sign],
    )


def _topic(memory: "Memory", topic: str | None) -> int:
    return -1 if topic is None else memory.topic_numbers.get(topic, NO_TOPIC)


def _ticks(
    memory: "Memory", wanted: "Wanted", time_to_live: float | None, *, only_now: bool
) -> tuple[int, int]:
    """First and last tick of creation that pass every filter on time."""
    first, last = wanted.ticks or ALWAYS
    if wanted.days is not None:
        begin, end = memory.ticks_of_days(*wanted.days)
        first, last = max(first, begin), min(last, end)
    if time_to_live is not None:
        oldest = math.floor(min(in_ticks(time_to_live, memory.ticks_per_day), 2.0**31))
        first = max(first, memory.now - oldest)
    if only_now:
        first, last = max(first, memory.now), min(last, memory.now)
    if first > last or first > ALWAYS[1] or last < ALWAYS[0]:
        return NEVER
    return max(first, ALWAYS[0]), min(last, ALWAYS[1])


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
