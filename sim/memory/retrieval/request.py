"""Requests: the arguments of a search, checked and encoded."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import (
    as_array,
    as_indices,
    check_per_agent,
    check_type,
    is_several,
    shown,
    whole_number,
)
from memopolis.sim.arrays import Float32, Float64, Int32, Int64, Intp
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import NO_FILTER, EncodedFilter, Filter, encode_filter
from memopolis.sim.memory.retrieval.profiles import Profile, Shares
from memopolis.sim.memory.retrieval.terms.registry import role_of
from memopolis.sim.memory.retrieval.terms.term import Request, Search, find_term
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.text.query import NO_ACTOR, NO_DATE, Query, interval
from memopolis.sim.memory.text.relevance import Relevance
from memopolis.sim.threads import CACHES, THREAD

Queries = str | Sequence[str]


class SearchOptions(NamedTuple):
    """The arguments of `BaseStream.search` besides the query."""

    k: int | None = None
    profile: str | Profile = "recall"
    where: Filter = NO_FILTER
    actor: object = None
    when: object = None
    feeling: ArrayLike | None = None
    each: ArrayLike | None = None
    half_life: ArrayLike | None = None
    context: Filter | None = None  # what `BaseStream.contextual` filters by
    explain: bool = False


class NoQuery:
    """The query of a search without text terms."""


NO_QUERY = NoQuery()  # searches without text terms
# Results have exactly k columns up to this k; a larger k gives no more than there are.
WIDEST = 1000
_INT32 = np.iinfo(np.int32)
_MOST = 2**63 - 1
# What `_named` returns without names, whose arrays are not read.
_NO_NAMES = np.empty((0, 1), np.int32), np.empty(0, np.int32), np.empty(0, np.int32), False


def find_profile(memory: Memory, profile: str | Profile) -> Profile:
    """Return a profile, or the profile of a memory with a name; refuse anything else."""
    if isinstance(profile, str):
        if profile not in memory.profiles:
            names = ", ".join(sorted(memory.profiles))
            raise UnknownNameError(f"no profile {profile!r}; the profiles are: {names}")
        own: Profile = memory.profiles[profile]
        return own
    check_type("profile", profile, Profile, "a Profile or the name of one")
    return profile


def recency_table(memory: Memory, profile: Profile) -> Float32:
    """Return the recency of every age that a memory can have now."""
    return memory.decay_table(
        profile.half_life, is_power=profile.fading == "power", floor=profile.floor,
        exponent=profile.recency_power,
    )  # fmt: skip


def build_request(
    memory: Memory,
    rows: Int64,
    queries: Queries | NoQuery,
    options: SearchOptions,
    policy: str = "scored",
) -> Request:
    """Build the request of a search; an observer has the policy "scored"."""
    profile = find_profile(memory, options.profile)
    where, feeling = options.where, options.feeling
    agents = len(rows)
    texts: list[str] = []
    query = np.zeros(1, np.intp)
    if not isinstance(queries, NoQuery):
        texts, query = queries_of(queries, options.each, agents)
        if len(texts) == 1:
            query = np.zeros(1, np.intp)  # also of no agents, since the plan may serve others
    if policy == "random":
        texts, query, feeling = [], np.zeros(1, np.intp), None
    parsed = [memory.parsed(text) for text in texts]
    shares, compared = profile.shares, int(memory.streams.count[rows].sum())
    named, first, last, cues = _named(memory, parsed, query, shares, options, agents=agents)
    # A named actor counts by the actor of a memory if relevance counts, else by the letters.
    if texts and profile.relevance > 0:
        texts = [query.text for query in parsed]
        with CACHES:
            relevance = memory.index.relevance(texts, lambda: compared, agents)
            if THREAD.part is not None:  # other parts may renew the table meanwhile
                relevance = relevance.keep()
    else:
        nothing = np.zeros((1, memory.texts.capacity), np.uint16)
        relevance = Relevance(np.zeros(max(len(texts), 1), np.intp), table=nothing)
    encoded = encode_conditions(memory, where, profile, agents, policy)
    request = Request(
        rows=rows,
        k=limit_count(
            profile.k if options.k is None else options.k, partial(memory.streams.longest, rows)
        ),
        now=memory.now,
        query=query.astype(np.int32),
        relevance=relevance,
        compared=compared,
        named=named,
        first=first,
        last=last,
        weights=profile.counting,
        recency=recency_table(memory, profile),
        since="time" if profile.since == "created" else "accessed",
        shares=shares if texts else replace(shares, neighbours=0),
        cues=cues,
        where=encoded,
        candidates=None if memory.store is None else memory.store.candidates(memory, rows, encoded),
        draw_key=memory.recall_key if policy == "random" else None,
        profile=profile,
    )
    return _prepare_terms(Search(memory, request, texts, where.tags, feeling))


def encode_conditions(
    memory: Memory, where: Filter, profile: Profile, agents: int, policy: str
) -> EncodedFilter | None:
    """Encode the conditions of a search, its profile and its policy; None if there are none."""
    if where is profile.where is NO_FILTER and not profile.restricts and policy != "none":
        return None
    check_type("where", where, Filter, "a Filter")
    return encode_filter(
        memory, where.with_defaults(profile.where), agents, without=profile.without,
        time_to_live=profile.time_to_live, only_now=policy == "none",
    )  # fmt: skip


def _prepare_terms(search: Search) -> Request:
    """Add to a request what each term with a weight reads, without terms that have nothing."""
    terms, weights = {}, {}
    for name, weight in search.request.weights.items():
        if role_of(name) == "text" and not search.texts:
            continue
        term = find_term(name).prepare(search)
        if term is not None:
            terms[name], weights[name] = term, weight
    search.request.terms, search.request.weights = terms, weights
    return search.request


def limit_count(k: object, available: Callable[[], int]) -> int:
    """Return the width of results: k, an integer >= 1; no more than available above `WIDEST`."""
    if type(k) is int and 1 <= k <= WIDEST:
        return k
    count = whole_number("k", k, least=1, most=_MOST)
    return count if count <= WIDEST else max(1, min(count, available()))


def queries_of(
    queries: object, each: ArrayLike | None, agents: int
) -> tuple[list[str], NDArray[np.intp]]:
    """Return queries as a list, and the index of each agent's query: its own, or `each`."""
    if isinstance(queries, str):
        return [queries], np.zeros(agents, np.intp)
    several = list(queries) if isinstance(queries, Iterable) and is_several(queries) else [queries]
    texts = [text for text in several if isinstance(text, str)]
    if len(texts) < len(several):
        raise ParameterError(f"query is {shown(queries)}; a str, or several, is needed")
    if each is None:
        if len(texts) != agents:
            raise ParameterError(
                f"{len(texts)} queries for {agents} agents; give one for all, one per agent, or, "
                f"in a search, the index of each agent's query as `each`"
            )
        return texts or [""], np.arange(agents)
    return texts or [""], check_each(each, len(texts), agents)


def check_each(each: ArrayLike, queries: int, agents: int) -> Intp:
    """Return the index of each agent's query, shape (agents,)."""
    query = as_indices("each", each, queries)
    if query.shape != (agents,):
        raise ParameterError(f"each has shape {query.shape}; ({agents},) is needed")
    return query


def _named(
    memory: Memory,
    parsed: Sequence[Query],
    query: NDArray[np.intp],
    shares: Shares,
    options: SearchOptions,
    *,
    agents: int,
) -> tuple[Int32, Int32, Int32, bool]:
    """Return actors and dates that count as named, and whether there are any.

    Arrays have one row per agent, or one for all: shapes (n, w), (n,) and (n,).
    """
    actor, when = options.actor, options.when
    names = any(p.actors or p.month or p.year for p in parsed)
    if not parsed or not (names or actor is not None or when is not None):
        return _NO_NAMES
    if len(query) == 1 and actor is None and when is None:
        agents = 1  # the same for all
    named = np.full((agents, 1), NO_ACTOR, np.int32)
    first = np.full(agents, NO_DATE[0], np.int32)
    last = np.full(agents, NO_DATE[1], np.int32)
    if shares.actor and actor is not None:
        actors = encoding.actors(actor)
        check_per_agent("actor", actors, agents)
        named[:, 0] = actors
    elif shares.actor:
        most = max(1, *(len(p.actors) for p in parsed))
        padded = [(*p.actors, *[NO_ACTOR] * (most - len(p.actors))) for p in parsed]
        named = np.array(padded, np.int32)[np.broadcast_to(query, agents)]
    if shares.date and when is not None:
        first[:], last[:] = _interval(when, agents)
    elif shares.date and any(p.month or p.year for p in parsed):
        dates = np.array([interval(p, memory.now, memory.date_of) for p in parsed], np.int32)
        first[:], last[:] = dates[query, 0], dates[query, 1]
    return named, first, last, bool((named != NO_ACTOR).any() or (first <= last).any())


def _interval(when: object, agents: int) -> Float64:
    """Return first and last tick of a date, limited to 32 bits, each one or one per agent."""
    needed = "a first and a last tick"
    ticks = as_array("when", when, "iuf", needed).astype(np.float64)
    if np.isnan(ticks).any() or ticks.shape not in ((2,), (2, agents)):
        raise ParameterError(f"when is {shown(when)}; {needed} are needed")
    return np.clip(ticks, _INT32.min, _INT32.max)
