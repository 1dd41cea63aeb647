"""From the words of a search to what the scoring pass reads."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.retrieval.extra_terms import Asked, extra_of, power_of
from memopolis.sim.memory.retrieval.filters import filters_of
from memopolis.sim.memory.retrieval.profiles import Profile, check_count
from memopolis.sim.memory.retrieval.query import NO_DATE, NOBODY, Query, interval
from memopolis.sim.memory.retrieval.request import Request
from memopolis.sim.memory.retrieval.terms import floored
from memopolis.sim.memory.retrieval.wanted import ALL, Wanted
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.text.relevance import Relevance

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

Int32 = NDArray[np.int32]
Queries = str | Sequence[str]

_INT32 = np.iinfo(np.int32)


class Read(NamedTuple):
    """What the words of a search gave; fields as in `Request`."""

    relevance: Relevance
    query: Int32
    named: Int32
    first: Int32
    last: Int32
    neighbours: bool
    cues: bool


def ask(
    memory: "Memory",
    rows: NDArray[np.int64],
    queries: Queries,
    k: int | None = None,
    *,
    profile: Profile,
    wanted: Wanted = ALL,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    feeling: ArrayLike | None = None,
    policy: str = "scored",
) -> Request:
    """Build the request of a search.

    Args:
        memory: Where to search.
        rows: Rows of the agents, shape (n,).
        queries: One query or several.
        k: Most memories wanted; None for what the profile says.
        profile: How they are scored.
        wanted: Filters; where they say nothing, those of the profile hold.
        actor: Actor that counts as named, one or one an agent; None to read the query.
        when: First and last tick of the date that counts as named; None to read the query.
        each: Which query each agent asks, shape (n,).
        feeling: Feeling that memories should be like, -1..1, one or one an agent.
        policy: "scored", "none" or "random".

    Raises:
        ParameterError: If an argument is out of range.
        UnknownNameError: If there is no such emotion word.
    """
    texts, query = queries_of(queries, each, len(rows))
    if policy == "random":
        return ask_nothing(memory, rows, k, profile=profile, wanted=wanted, policy=policy)
    parsed = [memory.parsed(text) for text in texts]
    named, first, last = _named(memory, parsed, query, profile=profile, actor=actor, when=when)
    # Names count by the actor of a memory where relevance counts, else by their letters.
    lexical = profile.relevance > 0 or not profile.general
    words = [p.text for p in parsed] if lexical else texts
    if lexical:
        pairs = int(memory.streams.counts(rows).sum())
        relevance = memory.index.relevance(words, pairs)
    else:
        relevance = _no_relevance(memory, len(texts))
    read = Read(
        relevance,
        query=relevance.rows.astype(np.int32)[query],
        named=named,
        first=first,
        last=last,
        neighbours=profile.shares.neighbours > 0,
        cues=bool((named != NOBODY).any() or (first <= last).any()),
    )
    asked = Asked(words, query, feeling, wanted.tags)
    return _request(memory, rows, k, profile, read, asked=asked, wanted=wanted, policy=policy)


def ask_nothing(
    memory: "Memory",
    rows: NDArray[np.int64],
    k: int | None = None,
    *,
    profile: Profile,
    wanted: Wanted = ALL,
    feeling: ArrayLike | None = None,
    policy: str = "scored",
) -> Request:
    """Build a request without words, which weighs no text terms; arguments as in `ask`."""
    agents = len(rows)
    read = Read(
        _no_relevance(memory, 1),
        query=np.zeros(agents, np.int32),
        named=np.full(agents, NOBODY, np.int32),
        first=np.full(agents, NO_DATE[0], np.int32),
        last=np.full(agents, NO_DATE[1], np.int32),
        neighbours=False,
        cues=False,
    )
    asked = Asked([], np.zeros(agents, np.intp), feeling, wanted.tags)
    return _request(memory, rows, k, profile, read, asked=asked, wanted=wanted, policy=policy)


def _request(
    memory: "Memory",
    rows: NDArray[np.int64],
    k: int | None,
    profile: Profile,
    read: Read,
    *,
    asked: Asked,
    wanted: Wanted,
    policy: str,
) -> Request:
    """Put together what the words gave and what the profile says."""
    most = profile.k if k is None else k
    check_count(most)
    given = wanted.over(profile.wanted)
    table = memory.recency_table(profile)
    return Request(
        rows=rows,
        k=int(most),
        now=memory.now,
        **read._asdict(),
        weights=(profile.recency, profile.importance, profile.relevance),
        recency=floored(table, floor=profile.floor, power=power_of(profile)),
        since="time" if profile.since == "created" else "accessed",
        shares=profile.shares,
        filters=filters_of(memory, given, profile, len(rows), only_now=policy == "none"),
        luck=memory.luck if policy == "random" else None,
        newest=profile.order == "newest",
        extra=extra_of(memory, profile, asked),
    )


def _no_relevance(memory: "Memory", queries: int) -> Relevance:
    """Relevance of searches that weigh none."""
    nothing = np.zeros((1, memory.texts.capacity), np.uint16)
    return Relevance(np.zeros(queries, np.intp), table=nothing)


def queries_of(
    queries: Any, each: ArrayLike | None, agents: int
) -> tuple[list[str], NDArray[np.intp]]:
    """Queries as a list, and which of them each agent asks.

    Args:
        queries: One query for all, or several.
        each: Which query each agent asks, shape (agents,); agent i asks query i if left out.
        agents: How many ask.

    Raises:
        ParameterError: If a query is no str, or queries and agents do not fit together.
    """
    if isinstance(queries, str):
        return [queries], np.zeros(agents, np.intp)
    texts = list(queries) if isinstance(queries, Iterable) else [queries]
    if not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"a query is a str, or several are, given {queries!r}")
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
    if profile.shares.actor:
        found = np.array([p.actor for p in parsed], np.int32)
        named[:] = found[query] if actor is None else encoding.actors(actor)
    if profile.shares.date and when is not None:
        first[:], last[:] = np.clip(when, _INT32.min, _INT32.max)
    elif profile.shares.date:
        dates = np.array([interval(p, memory.now, memory.date_of) for p in parsed], np.int32)
        first[:], last[:] = dates[query, 0], dates[query, 1]
    return named, first, last


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
