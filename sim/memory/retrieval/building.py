"""Build the request of a search from the arguments of a verb."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.ages import apply_floor
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter, encode_filter
from memopolis.sim.memory.retrieval.profiles import Profile, Shares
from memopolis.sim.memory.retrieval.query import NO_ACTOR, NO_DATE, Query, interval
from memopolis.sim.memory.retrieval.request import Request
from memopolis.sim.memory.retrieval.terms.registry import role_of
from memopolis.sim.memory.retrieval.terms.term import Search, find_term
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.text.relevance import Relevance
from memopolis.sim.threads import CACHES, THREAD
from memopolis.sim.whole_numbers import shown, whole_number

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

Int32 = NDArray[np.int32]
Queries = str | Sequence[str]


class NoQuery:
    """The query of a search without text terms."""


NO_QUERY = NoQuery()
"""Searches without text terms."""

WIDEST = 1000
"""Results have exactly k columns up to this k; a larger k gives no more than there are."""

_INT32 = np.iinfo(np.int32)
_MOST = 2**63 - 1


def limit_count(k: Any, available: int) -> int:
    """Return the width of results: k >= 1, or if that is above `WIDEST` no more than available.

    Raises:
        ParameterError: If k is not an integer >= 1.
    """
    if type(k) is int and 1 <= k <= WIDEST:
        return k
    count = whole_number("k", k, least=1, most=_MOST)
    return count if count <= WIDEST else max(1, min(count, available))


def build_request(
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
    """Build the request of a search; arguments and errors as in `BaseStream.search`.

    `policy` is the recall policy of the memory, or "scored" for an observer.
    """
    agents = len(rows)
    texts: list[str] = []
    query = np.zeros(agents, np.intp)
    if not isinstance(queries, NoQuery):
        texts, query = queries_of(queries, each, agents)
    if policy == "random":
        texts, query, feeling = [], np.zeros(agents, np.intp), None
    parsed = [memory.parsed(text) for text in texts]
    shares, general = profile.shares, profile.general
    named, first, last = _named(memory, parsed, query, shares=shares, actor=actor, when=when)
    # A named actor counts by the actor of a memory if relevance counts, else by the letters.
    if texts and (profile.relevance > 0 or not general):
        texts = [one.text for one in parsed]
        pairs = int(memory.streams.spans(rows).sum())
        with CACHES:
            relevance = memory.index.relevance(texts, pairs)
            if THREAD.part is not None:  # other parts may renew the table meanwhile
                relevance = relevance.keep()
    else:
        nothing = np.zeros((1, memory.texts.capacity), np.uint16)
        relevance = Relevance(np.zeros(max(len(texts), 1), np.intp), table=nothing)
    encoded = encode_filter(
        memory, where.with_defaults(profile.where), agents, without=profile.without,
        time_to_live=profile.time_to_live, only_now=policy == "none",
    )  # fmt: skip
    recency = memory.recency_table(profile)
    if profile.floor or profile.combine == "product":
        recency = apply_floor(recency, floor=profile.floor, power=profile.recency_power)
    request = Request(
        rows=rows,
        k=limit_count(profile.k if k is None else k, memory.streams.longest(rows)),
        now=memory.now,
        relevance=relevance,
        query=relevance.rows.astype(np.int32)[query],
        named=named,
        first=first,
        last=last,
        weights={name: weight for name, weight in profile.weights.items() if weight > 0},
        recency=recency,
        since="time" if profile.since == "created" else "accessed",
        shares=shares if texts else replace(shares, neighbours=0),
        cues=bool((named != NO_ACTOR).any() or (first <= last).any()),
        where=encoded,
        candidates=None if memory.store is None else memory.store.candidates(memory, rows, encoded),
        draw_key=memory.recall_key if policy == "random" else None,
        profile=profile,
        general=general,
    )
    if not general:
        return request
    return _prepare_terms(Search(memory, request, texts, query, where.tags, feeling))


def _prepare_terms(search: Search) -> Request:
    """Add to a request what each term with a weight reads, without terms that have nothing."""
    prepared, weights = {}, {}
    for name, weight in search.request.weights.items():
        if role_of(name) == "text" and not search.texts:
            continue
        own = find_term(name).prepare(search)
        if own is not None:
            prepared[name], weights[name] = own, weight
    return replace(search.request, prepared=prepared, weights=weights)


def queries_of(
    queries: Any, each: ArrayLike | None, agents: int
) -> tuple[list[str], NDArray[np.intp]]:
    """Return queries as a list, and the index of each agent's query, shape (agents,).

    Agent i uses query i if there are several and `each`, shape (agents,), has no index.

    Raises:
        ParameterError: If a query is not a str, or queries and agents do not match.
    """
    if isinstance(queries, str):
        return [queries], np.zeros(agents, np.intp)
    texts = list(queries) if isinstance(queries, Iterable) else [queries]
    if not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"a query must be a str, or several, given {queries!r}")
    if each is None:
        if len(texts) != agents:
            raise ParameterError(
                f"{len(texts)} queries for {agents} agents; give one for all, one per agent, or, "
                f"in a search, the index of each agent's query as `each`"
            )
        return texts or [""], np.arange(agents)
    query = np.asarray(each)
    if query.shape != (agents,) or (agents and query.dtype.kind not in "iu"):
        raise ParameterError(
            f"each has shape {query.shape} and type {query.dtype}; whole numbers of shape "
            f"({agents},) are needed"
        )
    if agents and (query.min() < 0 or query.max() >= len(texts)):
        raise ParameterError(f"each must contain indices of queries, 0 to {len(texts) - 1}")
    return texts or [""], query.astype(np.intp)


def _named(
    memory: "Memory",
    parsed: Sequence[Query],
    query: NDArray[np.intp],
    *,
    shares: Shares,
    actor: Any,
    when: Any,
) -> tuple[Int32, Int32, Int32]:
    """Return the actors, shape (agents, w), and the date that count as named, for each agent."""
    agents = len(query)
    named = np.full((agents, 1), NO_ACTOR, np.int32)
    first = np.full(agents, NO_DATE[0], np.int32)
    last = np.full(agents, NO_DATE[1], np.int32)
    if not parsed:
        return named, first, last
    if shares.actor and actor is not None:
        named[:, 0] = encoding.actors(actor)
    elif shares.actor:
        most = max(1, *(len(p.actors) for p in parsed))
        padded = [(*p.actors, *[NO_ACTOR] * (most - len(p.actors))) for p in parsed]
        named = np.array(padded, np.int32)[query]
    if shares.date and when is not None:
        first[:], last[:] = _interval(when)
    elif shares.date and any(p.month or p.year for p in parsed):
        dates = np.array([interval(p, memory.now, memory.date_of) for p in parsed], np.int32)
        first[:], last[:] = dates[query, 0], dates[query, 1]
    return named, first, last


def _interval(when: Any) -> NDArray[np.float64]:
    """Return first and last tick of a date, limited to 32 bits, each one or one per agent."""
    try:
        ticks = np.asarray(when, np.float64)
    except (TypeError, ValueError, OverflowError):
        ticks = np.array(np.nan)
    if np.isnan(ticks).any() or not ticks.ndim or len(ticks) != 2:
        raise ParameterError(f"when is {shown(when)}; a first and a last tick are needed")
    return np.clip(ticks, _INT32.min, _INT32.max)
