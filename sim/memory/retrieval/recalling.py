"""Recall: search the streams of several agents, and record the accesses.

The arguments become one `Request`. A weighted sum of recency, importance and soft lexical relevance
uses the fast pass in `kernels.py`, every other profile the general pass in `general.py`, and a
store `by_numpy.py`, which defines both.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import (
    as_array,
    as_indices,
    check_flag,
    check_per_agent,
    check_type,
    is_several,
    shown,
    whole_number,
)
from memopolis.sim.arrays import Array, Bools, Float32, Float64, Int32, Int64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.ages import apply_floor
from memopolis.sim.memory.retrieval.by_numpy import explain, find_numpy
from memopolis.sim.memory.retrieval.filter import (
    NO_FILTER,
    EncodedFilter,
    Filter,
    encode_filter,
    encode_nothing,
    find_passing,
)
from memopolis.sim.memory.retrieval.profiles import Profile, Shares, check_profile
from memopolis.sim.memory.retrieval.query import NO_ACTOR, NO_DATE, Query, interval
from memopolis.sim.memory.retrieval.terms.registry import role_of
from memopolis.sim.memory.retrieval.terms.term import Request, Search, find_term
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.cluster_columns import count_hits
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.relevance import Relevance
from memopolis.sim.threads import CACHES, THREAD, run_all, split

Queries = str | Sequence[str]


class SearchOptions(NamedTuple):
    """The arguments of `BaseStream.search` besides the query."""

    k: int | None = None
    profile: str | Profile = "recall"
    where: Filter = NO_FILTER
    actor: Any = None
    when: Any = None
    feeling: ArrayLike | None = None
    each: ArrayLike | None = None
    half_life: ArrayLike | None = None
    context: Filter | None = None  # what `BaseStream.contextual` filters by
    explain: bool = False


class NoQuery:
    """The query of a search without text terms."""


_CANDIDATES = 3  # number of memories considered in a context, as a multiple of k
NO_QUERY = NoQuery()  # searches without text terms
# Results have exactly k columns up to this k; a larger k gives no more than there are.
WIDEST = 1000
_INT32 = np.iinfo(np.int32)
_MOST = 2**63 - 1
ROWS_PER_THREAD = 1_000  # a search of fewer than twice this number of agents runs on one thread
_NO_FILTER = encode_nothing(0).packed()
_THREE = ("recency", "importance", "relevance")
# What `_named` returns without names, whose arrays are not read.
_NO_NAMES = np.empty((0, 1), np.int32), np.empty(0, np.int32), np.empty(0, np.int32), False


def search(
    memory: Memory,
    rows: Int64,
    query: Queries | NoQuery,
    options: SearchOptions,
    *,
    observed: bool = False,
    recorded: bool = True,
) -> Recalled:
    """Search the streams of some agents.

    Each distinct half-life costs a pass. `observed` ignores the recall policy and records no
    access. A caller that drops memories passes `recorded=False` and records accesses itself.
    """
    memory.settle()
    if options.context is not None:
        recalled = _search_context(memory, rows, query, options, observed=observed)
        if recorded and not observed:
            record_access(memory, rows, recalled.ids)
        return recalled
    base = memory.find_profile(options.profile)
    check_profile(base)
    check_flag("explain", options.explain)
    profiles, group = _profiles_of(base, options.half_life, len(rows))
    policy, explained = "scored" if observed else memory.recall, options.explain
    # Other terms than those of the fast pass read caches, which other parts may change.
    with CACHES if THREAD.part is not None and base.general else nullcontext():
        each = [options if one is base else options._replace(profile=one) for one in profiles]
        requests = [build_request(memory, rows, query, own, policy) for own in each]
        first = None if len(requests) == 1 else _ranges(group == 0)
        ids, scores, terms = _run(memory, requests[0], first, explained=explained)
        for number, request in enumerate(requests[1:], start=1):
            some = group == number
            others = _run(memory, request, _ranges(some), explained=explained)
            ids[some], scores[some] = others[0][some], others[1][some]
            for name, values in others[2].items():
                terms[name][some] = values[some]
    if recorded and not observed:
        record_access(memory, rows, ids)
    return Recalled(rows, ids, scores, terms)


def _search_context(
    memory: Memory,
    rows: Int64,
    query: Queries | NoQuery,
    options: SearchOptions,
    *,
    observed: bool,
) -> Recalled:
    """Search for 3 k memories, and keep those that fit a context, as `BaseStream.contextual`.

    Source:
        memtool. The mood is the sign of the valence, or the tag "urgent".
    """
    context, span = options.context or NO_FILTER, memory.streams.longest(rows)
    width = limit_count(options.k, lambda: span)
    wide = options._replace(k=max(width, min(_CANDIDATES * width, span)), context=None)
    results = search(memory, rows, query, wide, observed=observed, recorded=False)
    fits = results.ids >= 0
    owners = np.nonzero(fits)[0]
    slots = memory.streams.locate(rows[owners], results.ids[fits])
    match = np.ones(fits.shape, np.float32)
    if context.tags is not None:
        known, names = memory.tags.known(context.tags), np.atleast_1d(context.tags)
        count = known.bit_count() if names.dtype.kind in "iu" else len(set(names.tolist()))
        overlap = np.bitwise_count(memory.streams.at("tags", slots) & np.uint16(known))
        match[fits] = overlap.astype(np.float32) / np.float32(count)
    where = encode_filter(memory, context, len(rows))
    fits[fits] = find_passing(memory.streams, where, slots, owners)
    return replace(results, terms={"match": match}).keep(fits, width)


def _profiles_of(
    profile: Profile, half_life: ArrayLike | None, agents: int
) -> tuple[list[Profile], NDArray[np.intp]]:
    """Return the profile with each distinct half-life, and the index of each agent's."""
    if half_life is None:
        return [profile], np.zeros(agents, np.intp)
    lives = as_array("half_life", half_life, "iuf", "a number of hours or one per agent")
    check_per_agent("half_life", lives, agents)
    distinct, group = np.unique(lives, return_inverse=True)
    profiles = [replace(profile, half_life=life) for life in distinct.astype(float).tolist()]
    return profiles or [profile], np.broadcast_to(group.reshape(lives.shape), agents)


def _ranges(some: Bools) -> list[tuple[int, int]]:
    """Return first index and index after the last of each run of True."""
    edges = np.flatnonzero(np.diff(some, prepend=False, append=False))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _run(
    memory: Memory,
    request: Request,
    ranges: Sequence[tuple[int, int]] | None = None,
    *,
    explained: bool,
) -> tuple[Int32, Float32, dict[str, Array]]:
    """Return ids, scores and, if requested, terms of a request; ranges of agents as in `find`."""
    ids, scores = find(memory.streams, request, memory.threads, ranges)
    drawn = request.draw_key is not None
    if request.profile.combine == "product" and not drawn:
        # A product of 0 is no match, which the source systems do not return.
        ids[scores == 0] = -1
    if request.profile.order == "newest":
        order = np.argsort(-ids.astype(np.int64), axis=1, kind="stable")
        ids, scores = np.take_along_axis(ids, order, 1), np.take_along_axis(scores, order, 1)
    terms = explain(memory.streams, request, ids) if drawn or explained else {}
    if drawn:
        # Only the choice is random: the scores are those of any other search.
        scores = terms["score"]
    return ids, scores, terms if explained else {}


def record_access(memory: Memory, rows: Int64, ids: Int32, *, is_hit: bool = True) -> None:
    """Record that agents recalled memories, once each and now; applied by the next flush.

    Their clusters count a hit at once, if `is_hit`; then `ids` have the best memory first.
    """
    if ids.max(initial=-1) < 0:
        return
    if is_hit:
        count_hits(memory.streams, rows, ids, memory.layer_settings.top_k)
    if len(rows) > 1 and not (rows[1:] > rows[:-1]).all():
        # An agent that is in a cohort twice recalls a memory once.
        both = np.unique((rows[:, None] << 32 | ids)[ids >= 0])
        rows, ids = both >> 32, (both & 0xFFFFFFFF).reshape(-1, 1)
    # A copy, since the caller may change its ids.
    memory.pending.accesses.append((rows, ids.astype(np.int32, order="C"), memory.now))
    memory.settle()


def find(
    streams: Streams,
    request: Request,
    threads: int = 1,
    ranges: Sequence[tuple[int, int]] | None = None,
) -> tuple[Int32, Float32]:
    """Find the k best memories of each agent, on some threads, which do not change the result.

    `ranges` are ranges of agents to search, on one thread; None for all. Returns ids, best first,
    -1 where there are fewer, and scores, 0 there; both (n, k).
    """
    if request.candidates is not None:
        return find_numpy(streams, request)
    n = len(request.rows)
    ids = np.full((n, request.k), -1, np.int32)
    values = np.zeros((n, request.k), np.float32)
    run, arguments = _compiled_pass(streams, request)
    if ranges is None and n >= 2 * ROWS_PER_THREAD:
        parts = split(n, threads, least=ROWS_PER_THREAD)
        run_all([partial(run, begin, end, *arguments, ids, values) for begin, end in parts])
    else:
        for begin, end in [(0, n)] if ranges is None else ranges:
            run(begin, end, *arguments, ids, values)
    return ids, values


def _compiled_pass(
    streams: Streams, request: Request
) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Return the pass that a request needs, and its arguments before `ids` and `scores`."""
    if request.general and request.draw_key is None:
        from memopolis.sim.memory.retrieval.general import search_general

        return search_general, (streams, request)
    from memopolis.sim.memory.retrieval.kernels import search as search_fast
    from memopolis.sim.memory.retrieval.terms.importance import STEP

    relevance = request.relevance
    weights = [np.float32(request.weights.get(name, 0.0)) for name in _THREE]
    encoded, drawn = request.where, request.draw_key is not None
    plan = (
        np.int32(request.now), OFFSETS[request.since] // 4, request.recency, STEP,
        weights[0], weights[1], request.shares.neighbours > 0 or request.cues, request.cues,
        request.named, request.first, request.last, np.int32(streams.unordered),
    )  # fmt: skip
    return search_fast, (
        request.rows, streams.count, streams.view, request.query,
        relevance.pairs if relevance.table is None else relevance.table, plan, weights[2],
        request.shares.values, encoded is not None,
        _NO_FILTER if encoded is None else encoded.packed(), drawn,
        request.draw_key or (0, 0),
    )  # fmt: skip


def deduplicate_ids(ids: Int32) -> Int32:
    """Return the ids of each row, shape (n, k), sorted, with -1 instead of repetitions."""
    each = np.sort(ids, axis=1)
    each[:, 1:][each[:, 1:] == each[:, :-1]] = -1
    return each


def limit_count(k: Any, available: Callable[[], int]) -> int:
    """Return the width of results: k, an integer >= 1; no more than available above `WIDEST`."""
    if type(k) is int and 1 <= k <= WIDEST:
        return k
    count = whole_number("k", k, least=1, most=_MOST)
    return count if count <= WIDEST else max(1, min(count, available()))


def build_request(
    memory: Memory,
    rows: Int64,
    queries: Queries | NoQuery,
    options: SearchOptions,
    policy: str = "scored",
) -> Request:
    """Build the request of a search; an observer has the policy "scored"."""
    profile: Profile = memory.find_profile(options.profile)
    where, feeling = options.where, options.feeling
    agents = len(rows)
    check_type("where", where, Filter, "a Filter")
    texts: list[str] = []
    query = np.zeros(agents, np.intp)
    if not isinstance(queries, NoQuery):
        texts, query = queries_of(queries, options.each, agents)
    if policy == "random":
        texts, query, feeling = [], np.zeros(agents, np.intp), None
    parsed = [memory.parsed(text) for text in texts]
    shares, general = profile.shares, profile.general
    named, first, last, cues = _named(memory, parsed, query, shares, options)
    # A named actor counts by the actor of a memory if relevance counts, else by the letters.
    if texts and (profile.relevance > 0 or not general):
        texts = [one.text for one in parsed]
        with CACHES:
            relevance = memory.index.relevance(
                texts, lambda: int(memory.streams.count[rows].sum()), agents
            )
            if THREAD.part is not None:  # other parts may renew the table meanwhile
                relevance = relevance.keep()
    else:
        nothing = np.zeros((1, memory.texts.capacity), np.uint16)
        relevance = Relevance(np.zeros(max(len(texts), 1), np.intp), table=nothing)
    encoded: EncodedFilter | None = None
    if not (where is profile.where is NO_FILTER) or profile.restricts or policy == "none":
        encoded = encode_filter(
            memory, where.with_defaults(profile.where), agents, without=profile.without,
            time_to_live=profile.time_to_live, only_now=policy == "none",
        )  # fmt: skip
    recency = memory.recency_table(profile)
    if profile.floor or profile.combine == "product":
        recency = apply_floor(recency, floor=profile.floor, power=profile.recency_power)
    request = Request(
        rows=rows,
        k=limit_count(
            profile.k if options.k is None else options.k, partial(memory.streams.longest, rows)
        ),
        now=memory.now,
        relevance=relevance,
        query=relevance.rows.astype(np.int32)[query],
        named=named,
        first=first,
        last=last,
        weights=profile.counting,
        recency=recency,
        since="time" if profile.since == "created" else "accessed",
        shares=shares if texts else replace(shares, neighbours=0),
        cues=cues,
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
    """Return queries as a list, and the index of each agent's query: its own, or `each`."""
    if isinstance(queries, str):
        return [queries], np.zeros(agents, np.intp)
    texts = list(queries) if is_several(queries) else [queries]
    if not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"query is {shown(queries)}; a str, or several, is needed")
    if each is None:
        if len(texts) != agents:
            raise ParameterError(
                f"{len(texts)} queries for {agents} agents; give one for all, one per agent, or, "
                f"in a search, the index of each agent's query as `each`"
            )
        return texts or [""], np.arange(agents)
    query = as_indices("each", each, len(texts))
    if query.shape != (agents,):
        raise ParameterError(f"each has shape {query.shape}; ({agents},) is needed")
    return texts or [""], query


def _named(
    memory: Memory,
    parsed: Sequence[Query],
    query: NDArray[np.intp],
    shares: Shares,
    options: SearchOptions,
) -> tuple[Int32, Int32, Int32, bool]:
    """Return actors, (agents, w), and dates that count as named, and whether there are any."""
    agents, actor, when = len(query), options.actor, options.when
    names = any(p.actors or p.month or p.year for p in parsed)
    if not parsed or not (names or actor is not None or when is not None):
        return _NO_NAMES
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
        named = np.array(padded, np.int32)[query]
    if shares.date and when is not None:
        first[:], last[:] = _interval(when, agents)
    elif shares.date and any(p.month or p.year for p in parsed):
        dates = np.array([interval(p, memory.now, memory.date_of) for p in parsed], np.int32)
        first[:], last[:] = dates[query, 0], dates[query, 1]
    return named, first, last, bool((named != NO_ACTOR).any() or (first <= last).any())


def _interval(when: Any, agents: int) -> Float64:
    """Return first and last tick of a date, limited to 32 bits, each one or one per agent."""
    needed = "a first and a last tick"
    ticks = as_array("when", when, "iuf", needed).astype(np.float64)
    if np.isnan(ticks).any() or ticks.shape not in ((2,), (2, agents)):
        raise ParameterError(f"when is {shown(when)}; {needed} are needed")
    return np.clip(ticks, _INT32.min, _INT32.max)
