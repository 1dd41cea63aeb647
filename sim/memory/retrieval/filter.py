"""Filters: which memories a search may return, and their encoding as whole numbers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import ConfigDict

from memopolis.sim.arguments import (
    INT64,
    check_choice,
    check_names,
    check_per_agent,
    check_type,
    shown,
    whole_number,
)
from memopolis.sim.arrays import Bools, Int32, Int64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retention.ages import in_ticks
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.encoding import KIND_BITS, KINDS, emotion_number
from memopolis.sim.memory.streams.stream import Streams

# Emotional signs: valence above 0, valence below 0, or the tag "urgent".
SIGNS = ("positive", "negative", "urgent")
# Pydantic configuration of profiles and filters in settings.
CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False)
ANY = -2  # encodes any place or actor; -1 is that of a memory without one
ALWAYS = (-(2**31), 2**31 - 1)  # first and last tick of all times
NEVER = (1, 0)  # an empty interval of ticks: no memory passes
NO_TOPIC = 255  # a number that no topic has, for a filter on an unknown topic
_SIGN_NUMBERS = {"positive": 1, "negative": -1, "urgent": 0}


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that a memory must meet to be returned; None is no condition.

    Attributes:
        topic: Name of a topic. No memory has a topic that was never used.
        days: First and last day of creation, both inclusive.
        place: Index of a place, one or one per agent.
        emotion: Emotion word.
        kind: "event" or "thought".
        actor: unique_id of the actor (or an object with one), one or one per agent.
        ticks: First and last tick of creation, both inclusive.
        tags: Names of tags, or bits; a memory has at least one of them.
        sign: "positive" (valence above 0), "negative" (below 0) or "urgent" (has that tag).
    """

    topic: str | None = None
    days: tuple[int, int] | None = None
    place: Any = None
    emotion: str | None = None
    kind: str | None = None
    actor: Any = None
    ticks: tuple[int, int] | None = None
    tags: Any = None
    sign: str | None = None

    __pydantic_config__ = CONFIG

    def __post_init__(self) -> None:
        if self.kind is not None:
            check_choice("kind", self.kind, KINDS)
        if self.sign is not None:
            check_choice("sign", self.sign, SIGNS)
        if self.topic is not None:
            check_type("topic", self.topic, str, "a str")
        if self.emotion is not None:
            emotion_number(self.emotion)
        for name in ("days", "ticks"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _interval(name, getattr(self, name)))
        # Settings files give lists; tuples cannot change.
        if self.tags is not None and not isinstance(self.tags, str | int | np.integer):
            object.__setattr__(self, "tags", tuple(check_names("tags", self.tags)))

    @property
    def is_empty(self) -> bool:
        """Whether every memory passes."""
        return all(getattr(self, name) is None for name in self.__slots__)

    def with_defaults(self, defaults: "Filter") -> "Filter":
        """Take each condition that is None from another filter."""
        if defaults.is_empty:
            return self
        own = {name: getattr(self, name) for name in self.__slots__}
        return Filter(
            **{n: getattr(defaults, n) if value is None else value for n, value in own.items()}
        )


def _interval(name: str, value: object) -> tuple[int, int]:
    """Return a first and a last day or tick, of any size, as plain integers."""
    pair = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
    if len(pair) != 2:
        raise ParameterError(f"{name} is {shown(value)}; a first and a last one are needed")
    first, last = (whole_number(name, bound, least=INT64[0], most=INT64[1]) for bound in pair)
    return first, last


type Conditions = tuple[int, int, int, int, int, int, int, int, int, bool, bool, Int32, Int32]
"""An encoded filter for compiled loops."""

NO_FILTER = Filter()  # the filter that every memory passes


@dataclass(slots=True, eq=False)  # frozen ones take four times as long to create
class EncodedFilter:
    """A filter as numbers that compiled loops compare.

    `place` and `actor` have one value per agent, or ANY, shape (n,). -1 is any topic, kind or
    emotion, 0 any tags and sign. A memory has at least one of `tags`, at least one of `urgent`, and
    none of `without`; `sign` is that of the valence.
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

    def packed(self) -> Conditions:
        """Return the arguments of the compiled loops."""
        return (
            self.topic, self.kind, self.emotion, *self.ticks, self.tags, self.urgent, self.without,
            self.sign, bool((self.place != ANY).any()), bool((self.actor != ANY).any()),
            self.place, self.actor,
        )  # fmt: skip


def encode_nothing(agents: int) -> EncodedFilter:
    """Encode a filter that every memory passes."""
    return EncodedFilter(np.full(agents, ANY, np.int32), np.full(agents, ANY, np.int32))


def encode_filter(
    memory: Memory,
    where: Filter,
    agents: int,
    *,
    without: Iterable[str] = (),
    time_to_live: float | None = None,
    only_now: bool = False,
) -> EncodedFilter | None:
    """Check and encode a filter and the conditions of a profile; None if every memory passes.

    `without` are tags that no memory may have, `time_to_live` is in hours, and `only_now` excludes
    memories of other ticks.
    """
    check_type("where", where, Filter, "a Filter")
    if where.is_empty and not (only_now or without or time_to_live is not None):
        return None
    encoded = encode_nothing(agents)
    for name, values in (
        ("place", None if where.place is None else encoding.places(where.place)),
        ("actor", None if where.actor is None else encoding.actors(where.actor)),
    ):
        if values is not None:
            check_per_agent(name, values, agents)
            getattr(encoded, name)[:] = values
    tags = memory.tags.known(where.tags)
    ticks = _ticks(memory, where, time_to_live, only_now=only_now)
    return EncodedFilter(
        place=encoded.place,
        actor=encoded.actor,
        topic=-1 if where.topic is None else memory.topic_numbers.get(where.topic, NO_TOPIC),
        kind=-1 if where.kind is None else KINDS[where.kind],
        emotion=-1 if where.emotion is None else emotion_number(where.emotion),
        # No memory has a tag that was never used.
        ticks=NEVER if where.tags is not None and not tags else ticks,
        tags=tags,
        urgent=memory.tags.known("urgent") if where.sign == "urgent" else 0,
        without=memory.tags.known(without),
        sign=0 if where.sign is None else _SIGN_NUMBERS[where.sign],
    )


def _ticks(
    memory: Memory, where: Filter, time_to_live: float | None, *, only_now: bool
) -> tuple[int, int]:
    """First and last tick of creation that meet all conditions on time."""
    first, last = where.ticks or ALWAYS
    if where.days is not None:
        begin, end = memory.ticks_of_days(*where.days)
        first, last = max(first, begin), min(last, end)
    if time_to_live is not None:
        oldest = math.floor(min(in_ticks(time_to_live, memory.ticks_per_day), 2.0**31))
        first = max(first, memory.now - oldest)
    if only_now:
        first, last = max(first, memory.now), min(last, memory.now)
    if first > last or first > ALWAYS[1] or last < ALWAYS[0]:
        return NEVER
    return max(first, ALWAYS[0]), min(last, ALWAYS[1])


def find_passing(
    streams: Streams,
    encoded: EncodedFilter | None,
    slots: Int64,
    owner: Int64,
) -> Bools:
    """Return whether memories pass a filter; None passes all, shape (m,)."""
    passing = np.ones(len(slots), np.bool_)
    if encoded is None:
        return passing
    for name, number in (("topic", encoded.topic), ("emotion", encoded.emotion)):
        if number >= 0:
            passing &= streams.at(name, slots) == number
    if encoded.kind >= 0:
        passing &= (streams.at("kind", slots) & np.uint8(KIND_BITS)) == encoded.kind
    time = streams.at("time", slots)
    passing &= (time >= encoded.ticks[0]) & (time <= encoded.ticks[1])
    for name, each in (("place", encoded.place[owner]), ("actor", encoded.actor[owner])):
        passing &= (each == ANY) | (streams.at(name, slots) == each)
    tags = streams.at("tags", slots)
    passing &= (tags & np.uint16(encoded.without)) == 0
    for bits in (encoded.tags, encoded.urgent):
        if bits:
            passing &= (tags & np.uint16(bits)) != 0
    if encoded.sign:
        passing &= np.sign(streams.at("valence", slots)) == encoded.sign
    return passing
