"""Build the request of a search from the arguments of a verb."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.night.fading import current_tables
from memopolis.sim.memory.retrieval.counts import most_held, width_of
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter, encode_filter
from memopolis.sim.memory.retrieval.profiles import TERMS, TEXT_TERMS, Profile
from memopolis.sim.memory.retrieval.query import NO_ACTOR, NO_DATE, Query, interval
from memopolis.sim.memory.retrieval.request import Fading, Fit, Request, TextTable
from memopolis.sim.memory.retrieval.scoring import in_ticks
from memopolis.sim.memory.retrieval.terms import fading_table, feelings, floored, pace
from memopolis.sim.memory.retrieval.tfidf import logarithms
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.text.relevance import Relevance
from memopolis.sim.whole_numbers import shown, whole_number

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

Int32 = NDArray[np.int32]
Queries = str | Sequence[str]


class NoQuery:
    """The query of a search without text terms."""


NO_QUERY = NoQuery()
"""Searches without text terms."""

_INT32 = np.iinfo(np.int32)
_TABLES = ("bm25", "dense", "keyword")


def ask(
    memory: "Memory",
    rows: NDArray[np.int64],
    queries: Queries | NoQuery,
    k: int | None = None,
    *,
    profile: Profile,
    where: Filter = NO_FILTER,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    feeling: ArrayLike | None = None,
    policy: str = "scored",
) -> Request:
    """Build the request of a search.

    Args:
        memory: Memory to search.
        rows: Rows of the agents, shape (n,).
        queries: One query or several; NO_QUERY for a search without text terms.
        k: Maximum number of memories; None for that of the profile.
        profile: How memories are scored.
        where: Conditions; the profile supplies those that are None.
        actor: Actor that counts as named, one or one per agent; None to read the query.
        when: First and last tick of the date that counts as named; None to read the query.
        each: Index of the query of each agent, shape (n,).
        feeling: Feeling that memories should match, -1..1, one or one per agent.
        policy: "scored", "none" or "random".

    Raises:
        ParameterError: If an argument is out of range.
        UnknownNameError: If the emotion word is unknown.
    """
    agents = len(rows)
    texts: list[str] = []
    query = np.zeros(agents, np.intp)
    if not isinstance(queries, NoQuery):
        texts, query = queries_of(queries, each, agents)
    if policy == "random":
        texts, query, feeling = [], np.zeros(agents, np.intp), None
    parsed = [memory.parsed(text) for text in texts]
    named, first, last = _named(memory, parsed, query, profile=profile, actor=actor, when=when)
    # A named actor counts by the actor of a memory if relevance counts, else by the letters.
    if texts and (profile.relevance > 0 or not profile.general):
        texts = [one.text for one in parsed]
        relevance = memory.index.relevance(texts, int(memory.streams.counts(rows).sum()))
    else:
        nothing = np.zeros((1, memory.texts.capacity), np.uint16)
        relevance = Relevance(np.zeros(max(len(texts), 1), np.intp), table=nothing)
    encoded = encode_filter(
        memory, where.with_defaults(profile.where), profile, agents, only_now=policy == "none"
    )
    power = profile.recency if profile.combine == "product" else 1.0
    return Request(
        rows=rows,
        k=width_of(profile.k if k is None else k, most_held(memory.streams, rows)),
        now=memory.now,
        relevance=relevance,
        query=relevance.rows.astype(np.int32)[query],
        named=named,
        first=first,
        last=last,
        recency=floored(memory.recency_table(profile), floor=profile.floor, power=power),
        since="time" if profile.since == "created" else "accessed",
        shares=profile.shares,
        neighbours=bool(texts) and profile.shares.neighbours > 0,
        cues=bool((named != NO_ACTOR).any() or (first <= last).any()),
        where=encoded,
        draw_key=memory.recall_key if policy == "random" else None,
        newest=profile.order == "newest",
        **_general_terms(
            memory, profile, texts, query, feeling=feeling, tags=where.tags, power=power
        ),
    )


def _general_terms(
    memory: "Memory",
    profile: Profile,
    texts: Sequence[str],
    query: NDArray[np.intp],
    *,
    feeling: ArrayLike | None,
    tags: Any,
    power: float,
) -> dict[str, Any]:
    """Return the weights of a request, and what only the general pass reads."""
    if not profile.general:
        return {"weights": profile.weights}
    weight = dict(zip(TERMS, profile.weights, strict=True))
    if not texts:
        weight |= dict.fromkeys(TEXT_TERMS, 0.0)
    bits = _context_tags(memory, texts, query, tags) if weight["context"] else None
    feeling = feeling if weight["feeling"] else None
    if bits is None:
        weight["context"] = 0.0
    if feeling is None:
        weight["feeling"] = 0.0
    fading = None
    if profile.adaptive:
        ticks = in_ticks(profile.half_life, memory.ticks_per_day)
        fading = Fading(pace(ticks), fading_table(floor=profile.floor, power=power))
    return {
        "weights": tuple(weight.values()),
        "general": True,
        "normalise": profile.normalise == "min-max",
        "product": profile.combine == "product",
        "tables": {name: _table(memory, name, texts, query) for name in _TABLES if weight[name]},
        "fit": _fit(memory, texts, query) if weight["tfidf"] else None,
        "tags": bits,
        "feeling": None if feeling is None else feelings(feeling, len(query)),
        "consolidation": (
            current_tables(memory) if weight["consolidation"] or profile.adaptive else None
        ),
        "fading": fading,
    }


def _table(memory: "Memory", name: str, texts: Sequence[str], query: NDArray[np.intp]) -> TextTable:
    from memopolis.sim.memory.vectors.text_terms import text_terms

    values, rows = getattr(text_terms(memory), name)(texts)
    return TextTable(values, np.asarray(rows, np.int32)[query])


def _fit(memory: "Memory", texts: Sequence[str], query: NDArray[np.intp]) -> Fit:
    from memopolis.sim.memory.vectors.text_terms import text_terms

    terms = text_terms(memory)
    words = terms.words()
    logs = logarithms(memory.streams.limit + 1)
    return Fit(words, terms.asked(texts), query.astype(np.int32), logs)


def _context_tags(
    memory: "Memory", texts: Sequence[str], query: NDArray[np.intp], tags: Any
) -> NDArray[np.uint16] | None:
    """Return the tags of each agent's context: as given, else read from time and query."""
    if tags is not None:
        return np.full(len(query), memory.tags.known(tags), np.uint16)
    if memory.extractor is None:
        return None
    from memopolis.sim.memory.text.context_tags import asked_tags

    return np.asarray(asked_tags(memory, texts or [""]), np.uint16)[query]


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
    query = np.asarray(each)
    if query.shape != (agents,) or (agents and query.dtype.kind not in "iu"):
        raise ParameterError(
            f"each has shape {query.shape} and type {query.dtype}; whole numbers of shape "
            f"({agents},) are needed"
        )
    if agents and (query.min() < 0 or query.max() >= len(texts)):
        raise ParameterError(f"each names queries from 0 to {len(texts) - 1}")
    return texts or [""], query.astype(np.intp)


def _named(
    memory: "Memory",
    parsed: Sequence[Query],
    query: NDArray[np.intp],
    *,
    profile: Profile,
    actor: Any,
    when: Any,
) -> tuple[Int32, Int32, Int32]:
    """Return the actor and the date that count as named, for each agent."""
    agents = len(query)
    named = np.full(agents, NO_ACTOR, np.int32)
    first = np.full(agents, NO_DATE[0], np.int32)
    last = np.full(agents, NO_DATE[1], np.int32)
    if not parsed:
        return named, first, last
    if profile.shares.actor:
        actors = np.array([p.actor for p in parsed], np.int32)
        named[:] = actors[query] if actor is None else encoding.actors(actor)
    if profile.shares.date and when is not None:
        first[:], last[:] = _interval(when)
    elif profile.shares.date:
        dates = np.array([interval(p, memory.now, memory.date_of) for p in parsed], np.int32)
        first[:], last[:] = dates[query, 0], dates[query, 1]
    return named, first, last


def _interval(when: Any) -> NDArray[np.float64]:
    """Return first and last tick of a date, limited to 32 bits, each one or one per agent.

    Raises:
        ParameterError: If they are not two numbers, or NaN.
    """
    try:
        ticks = np.asarray(when, np.float64)
    except (TypeError, ValueError, OverflowError):
        ticks = np.array(np.nan)
    if np.isnan(ticks).any() or not ticks.ndim or len(ticks) != 2:
        raise ParameterError(f"when is {shown(when)}; a first and a last tick are needed")
    return np.clip(ticks, _INT32.min, _INT32.max)


def profile_of(memory: "Memory", profile: "str | Profile") -> Profile:
    """Return a profile, or the profile with a name.

    Raises:
        UnknownNameError: If there is no profile of that name.
    """
    if isinstance(profile, Profile):
        return profile
    if profile not in memory.profiles:
        names = ", ".join(sorted(memory.profiles))
        raise UnknownNameError(f"no profile {profile!r}; the profiles are: {names}")
    named: Profile = memory.profiles[profile]
    return named


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
        ParameterError: If they are no whole numbers, or `last` is before `first`.
    """
    first, last = whole_number("the first day", first), whole_number("the last day", last)
    if last < first:
        raise ParameterError(f"days run from {first} to {last}; the first comes first")
    begin = math.ceil(first * ticks_per_day - offset)
    return begin, math.ceil((last + 1) * ticks_per_day - offset) - 1
