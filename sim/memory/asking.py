"""From the words of a search to what the scoring pass reads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory import encoding
from memopolis.sim.memory.emotion import emotion_number
from memopolis.sim.memory.profiles import Profile
from memopolis.sim.memory.query import NO_DATE, NOBODY, Query, interval
from memopolis.sim.memory.relevance import Relevance
from memopolis.sim.memory.search import ALWAYS, ANY, Filters, Request

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

NO_TOPIC = 255
"""Number that no topic has: a filter on a topic nobody ever used."""

Int32 = NDArray[np.int32]
Queries = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories may be found, as a caller says it; None is any.

    Attributes:
        topic: Name of a topic.
        days: First and last day of creation, both inclusive.
        place: Index of a place, one or one an agent.
        emotion: Emotion word.
        kind: "event" or "thought".
        only_actor: unique_id of the actor, one or one an agent.
        ticks: First and last tick of creation, both inclusive.
    """

    topic: str | None = None
    days: tuple[int, int] | None = None
    place: ArrayLike | None = None
    emotion: str | None = None
    kind: str | None = None
    only_actor: Any = None
    ticks: tuple[int, int] | None = None

    @property
    def all(self) -> bool:
        """Whether any memory may be found."""
        return all(getattr(self, name) is None for name in self.__slots__)


_ALL = Wanted()


def ask(
    memory: "Memory",
    rows: NDArray[np.int64],
    queries: Queries,
    k: int,
    *,
    profile: Profile,
    wanted: Wanted = _ALL,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    policy: str = "scored",
) -> Request:
    """Build the request of a search.

    Args:
        memory: Where to search.
        rows: Rows of the agents, shape (n,).
        queries: One query or several.
        k: Most memories wanted.
        profile: How they are scored.
        wanted: Filters.
        actor: Actor that counts as named, one or one an agent; None to read the query.
        when: First and last tick of the date that counts as named; None to read the query.
        each: Which query each agent asks, shape (n,).
        policy: "scored", "none" or "random".

    Raises:
        ParameterError: If an argument is out of range.
        UnknownNameError: If there is no such emotion word.
    """
    check_count(k)
    texts, query = _queries(queries, each, len(rows))
    if policy == "random":
        return ask_nothing(memory, rows, k, profile=profile, wanted=wanted, policy=policy)
    parsed = [memory.parsed(text) for text in texts]
    pairs = int(memory.streams.counts(rows).sum())
    relevance = memory.index.relevance([p.text for p in parsed], pairs)
    named, first, last = _named(memory, parsed, query, profile=profile, actor=actor, when=when)
    return Request(
        rows=rows,
        k=k,
        now=memory.now,
        relevance=relevance,
        query=relevance.rows.astype(np.int32)[query],
        named=named,
        first=first,
        last=last,
        weights=(profile.recency, profile.importance, profile.relevance),
        recency=memory.recency_table(profile),
        since="time" if profile.since == "created" else "accessed",
        neighbours=profile.use_neighbours,
        cues=bool((named != NOBODY).any() or (first <= last).any()),
        filters=_filters(memory, wanted, len(rows), only_now=policy == "none"),
    )


def ask_nothing(
    memory: "Memory",
    rows: NDArray[np.int64],
    k: int,
    *,
    profile: Profile,
    wanted: Wanted,
    policy: str = "scored",
) -> Request:
    """Build a request without words: recency and importance alone rank; as in `ask`."""
    check_count(k)
    nothing = np.zeros((1, memory.texts.capacity), np.uint16)
    return Request(
        rows=rows,
        k=k,
        now=memory.now,
        relevance=Relevance(np.zeros(1, np.intp), table=nothing),
        query=np.zeros(len(rows), np.int32),
        named=np.full(len(rows), NOBODY, np.int32),
        first=np.full(len(rows), NO_DATE[0], np.int32),
        last=np.full(len(rows), NO_DATE[1], np.int32),
        weights=(profile.recency, profile.importance, profile.relevance),
        recency=memory.recency_table(profile),
        since="time" if profile.since == "created" else "accessed",
        neighbours=False,
        cues=False,
        filters=_filters(memory, wanted, len(rows), only_now=policy == "none"),
        luck=memory.luck if policy == "random" else None,
    )


def check_count(k: int) -> None:
    """Refuse a number of memories below 1."""
    if k < 1:
        raise ParameterError(f"k is {k}; at least 1 memory has to be asked for")


def _queries(
    queries: Queries, each: ArrayLike | None, agents: int
) -> tuple[list[str], NDArray[np.intp]]:
    """Queries as a list, and which of them each agent asks."""
    if isinstance(queries, str):
        return [queries], np.zeros(agents, np.intp)
    texts = list(queries)
    if each is None:
        if len(texts) != agents:
            raise ParameterError(
                f"{len(texts)} queries for {agents} agents; say with each= who asks which"
            )
        return texts or [""], np.arange(agents)
    query = np.asarray(each, np.intp)
    if query.shape != (agents,):
        raise ParameterError(f"each has shape {query.shape}; ({agents},) is needed")
    if agents and (query.min() < 0 or query.max() >= len(texts)):
        raise ParameterError(f"each names queries from 0 to {len(texts) - 1}")
    return texts or [""], query


def _named(
    memory: "Memory",
    parsed: Sequence[Query],
    query: NDArray[np.intp],
    *,
    profile: Profile,
    actor: Any,
    when: Any,
) -> tuple[Int32, Int32, Int32]:
    """Actor and date that count as named, for each agent."""
    agents = len(query)
    named = np.full(agents, NOBODY, np.int32)
    first = np.full(agents, NO_DATE[0], np.int32)
    last = np.full(agents, NO_DATE[1], np.int32)
    if profile.use_actor:
        found = np.array([p.actor for p in parsed], np.int32)
        named[:] = found[query] if actor is None else encoding.actors(actor)
    if profile.use_date and when is not None:
        first[:], last[:] = when
    elif profile.use_date:
        dates = np.array([interval(p, memory.now, memory.date_of) for p in parsed], np.int32)
        first[:], last[:] = dates[query, 0], dates[query, 1]
    return named, first, last


def _filters(memory: "Memory", wanted: Wanted, agents: int, *, only_now: bool) -> Filters | None:
    if wanted.all and not only_now:
        return None
    place = np.full(agents, ANY, np.int32)
    actor = np.full(agents, ANY, np.int32)
    if wanted.place is not None:
        place[:] = encoding.places(wanted.place)
    if wanted.only_actor is not None:
        actor[:] = encoding.actors(wanted.only_actor)
    first, last = wanted.ticks or ALWAYS
    if wanted.days is not None:
        begin, end = memory.ticks_of_days(*wanted.days)
        first, last = max(first, begin), min(last, end)
    if only_now:
        first, last = max(first, memory.now), min(last, memory.now)
    topic = -1
    if wanted.topic is not None:
        topic = memory.topic_numbers.get(wanted.topic, NO_TOPIC)
    return Filters(
        place=place,
        actor=actor,
        topic=topic,
        kind=-1 if wanted.kind is None else encoding.kind(wanted.kind),
        emotion=-1 if wanted.emotion is None else emotion_number(wanted.emotion),
        ticks=(max(first, ALWAYS[0]), min(last, ALWAYS[1])),
    )


def profile_of(memory: "Memory", profile: "str | Profile") -> Profile:
    """Profile of a name.

    Raises:
        UnknownNameError: If there is none of that name.
    """
    if isinstance(profile, Profile):
        return profile
    found = memory.profiles.get(profile)
    if found is None:
        names = ", ".join(sorted(memory.profiles))
        raise UnknownNameError(f"no profile {profile!r}; there are: {names}")
    return found


def days_to_ticks(first: int, last: int, *, ticks_per_day: float, offset: float) -> tuple[int, int]:
    """Ticks that begin on the days first..last.

    Args:
        first: First day, 0 is the day of the start.
        last: Last day, inclusive.
        ticks_per_day: Ticks in a day, > 0; below 1 where a tick is longer than a day.
        offset: Ticks between the midnight before the start and tick 0, >= 0.

    Returns:
        First and last tick, both inclusive.

    Raises:
        ParameterError: If `last` lies before `first`.
    """
    if last < first:
        raise ParameterError(f"days run from {first} to {last}; the first comes first")
    begin = math.ceil(first * ticks_per_day - offset)
    return begin, math.ceil((last + 1) * ticks_per_day - offset) - 1
