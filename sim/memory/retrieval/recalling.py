"""Recall: search the streams of several agents, and record the accesses.

The arguments become one `Request`, its terms a `Plan`, and the compiled search reads both. The plan
of a query that is searched by a profile without further conditions is kept for the next search, of
any agents, until the texts change. A store uses `by_numpy.py`, which defines the results.

While the agents of a block act one after the other, memories and accesses are queued until the
block ends. A search that several agents repeat therefore has the same results whenever it is
computed, and one pass of `Turns` computes it for the next agents as well.
"""

import math
from collections.abc import Hashable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import as_array, check_flag, check_per_agent
from memopolis.sim.arrays import Bools, Int32, Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.by_numpy import explain, find_numpy
from memopolis.sim.memory.retrieval.filter import NO_FILTER, encode_filter, find_passing
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recollection import Best, Recalled
from memopolis.sim.memory.retrieval.request import (
    WIDEST,
    NoQuery,
    Queries,
    SearchOptions,
    build_request,
    check_each,
    encode_conditions,
    find_profile,
    limit_count,
    recency_table,
)
from memopolis.sim.memory.retrieval.terms.registry import role_of
from memopolis.sim.memory.retrieval.terms.term import Request
from memopolis.sim.memory.streams.cluster_columns import count_hits
from memopolis.sim.memory.streams.pending import Accesses
from memopolis.sim.memory.streams.stream import Places, Streams
from memopolis.sim.threads import CACHES, THREAD

if TYPE_CHECKING:
    from memopolis.sim.memory.retrieval.plan import Plan


_MOST_KEPT = 64  # most queries of a plan that is kept
_MOST_COPIED = 1 << 18  # most values of a term that a plan of several queries may keep
_GROWTH = 4  # how many times as many agents the next pass of `Turns` has
_MOST_AT_ONCE = 1024  # most agents of a pass of `Turns`
_CANDIDATES = 3  # number of memories considered in a context, as a multiple of k


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
    policy, recalled = "scored" if observed else memory.recall, None
    key = _key_of(query, options) if policy != "random" else None
    if options.context is not None:
        recalled = _search_context(memory, rows, query, options, observed=observed)
    elif key is not None:
        recalled = _search_by_kept_plan(memory, rows, key, options, policy)
    if recalled is None:
        recalled = _search_by_request(memory, rows, query, options, policy, key=key)
    if recorded and not observed:
        record_access(memory, rows, recalled.ids, places=recalled.places)
    return recalled


@dataclass(slots=True)
class _Kept:
    """A plan, and the number of memories that it compares until a table of R is cheaper."""

    profile: Profile
    plan: "Plan"
    left: float


def _key_of(query: Queries | NoQuery, options: SearchOptions) -> str | tuple[str, ...] | None:
    """Return what the plan of a search is kept by, besides the profile; None if it is not."""
    _, _, _, actor, when, feeling, each, half_life, context, explained = options
    if explained is not False or context is not None:
        return None
    # Plain comparisons: each search of an agent passes here, and arrays have no truth value.
    if actor is not None or when is not None or feeling is not None or half_life is not None:
        return None
    if each is None and isinstance(query, NoQuery):
        return ()
    if each is None:
        return query if type(query) is str else None
    # Many queries are prepared for each step and not repeated.
    return tuple(query) if type(query) is list and 0 < len(query) <= _MOST_KEPT else None


def _search_by_kept_plan(
    memory: Memory,
    rows: Int64,
    key: str | tuple[str, ...],
    options: SearchOptions,
    policy: str,
) -> Recalled | None:
    """Search by the plan of an earlier search; None if there is none or `k` is unusual."""
    from memopolis.sim.memory.retrieval.plan import run_plan

    profile, k = find_profile(memory, options.profile), options.k
    with CACHES:
        kept = memory.prepared.plans.get((key, id(profile)))
    if not isinstance(kept, _Kept) or kept.profile is not profile or kept.left < 0:
        return None
    if memory.store is not None:
        return None
    if k is None:
        k = profile.k
    if type(k) is not int or not 1 <= k <= WIDEST:
        return None
    if kept.plan.compares:
        kept.left -= int(memory.streams.count[rows].sum())
    query = None
    if options.each is not None:
        query = check_each(options.each, len(key), len(rows)).astype(np.int32)
    best = run_plan(
        kept.plan, memory.streams, rows, k, now=memory.now,
        recency=recency_table(memory, profile), query=query, threads=memory.threads,
        where=encode_conditions(memory, options.where, profile, len(rows), policy),
    )  # fmt: skip
    return _arrange(memory, rows, best, profile)


def _keep_plan(memory: Memory, request: Request, key: str | tuple[str, ...]) -> "Plan":
    """Make the plan of a request, and keep it if it is valid for other searches."""
    from memopolis.sim.memory.retrieval.plan import make_plan

    profile, is_single = request.profile, type(key) is str or not key
    terms = [name for name in profile.counting if key or role_of(name) != "text"]
    # Actors and dates are one per agent if queries are, and dates may depend on the tick.
    dated = request.cues and (not is_single or (request.first <= request.last).any())
    keep = not dated and len(request.weights) == len(terms)
    keep = keep and (is_single or len(key) * memory.texts.capacity <= _MOST_COPIED)
    plan = make_plan(request, keep=keep)
    # What has no query is kept when texts change, see `Memory.prepared`.
    keep = keep and (bool(key) or plan.reads_no_text)
    if keep and plan.is_complete and not plan.rows:
        left = len(memory.texts) - request.compared if plan.compares else math.inf
        memory.prepared.plans[key, id(profile)] = _Kept(profile, plan, left)
    return plan


def _search_by_request(
    memory: Memory,
    rows: Int64,
    query: Queries | NoQuery,
    options: SearchOptions,
    policy: str,
    *,
    key: str | tuple[str, ...] | None,
) -> Recalled:
    """Search by a new request, or one for each half-life."""
    base, explained = find_profile(memory, options.profile), options.explain
    check_flag("explain", explained)
    profiles, group = _profiles_of(base, options.half_life, len(rows))
    # Other terms than recency, importance and relevance read caches, which other parts may change.
    with CACHES if THREAD.part is not None and base.general else nullcontext():
        if key is not None:
            request = build_request(memory, rows, query, options, policy)
            with CACHES:
                plan = _keep_plan(memory, request, key)
            return _run(memory, request, plan=plan, explained=explained)
        each = [
            options if profile is base else options._replace(profile=profile)
            for profile in profiles
        ]
        requests = [build_request(memory, rows, query, own, policy) for own in each]
        first = None if len(requests) == 1 else _ranges(group == 0)
        recalled = _run(memory, requests[0], first, explained=explained)
        for number, request in enumerate(requests[1:], start=1):
            some = group == number
            others = _run(memory, request, _ranges(some), explained=explained)
            recalled = recalled.replace(others, some)
    return recalled


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
    slots = memory.streams.slots_of(rows, results.ids, results.places)[fits]
    match = np.ones(fits.shape, np.float32)
    if context.tags is not None:
        known, names = memory.tags.known(context.tags), np.atleast_1d(context.tags)
        count = known.bit_count() if names.dtype.kind in "iu" else len(set(names.tolist()))
        overlap = np.bitwise_count(memory.streams.at("tags", slots) & np.uint16(known))
        match[fits] = overlap.astype(np.float32) / np.float32(count)
    where = encode_filter(memory, context, len(rows))
    fits[fits] = find_passing(memory.streams, where, slots, owners)
    return results.explained({"match": match}).keep(fits, width)


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
    ranges: list[tuple[int, int]] | None = None,
    *,
    plan: "Plan | None" = None,
    explained: bool,
) -> Recalled:
    """Return the results of a request; ranges of agents as in `find`."""
    best = find(memory.streams, request, memory.threads, ranges, plan=plan)
    drawn = request.draw_key is not None
    recalled = _arrange(memory, request.rows, best, request.profile, drawn=drawn)
    if not (drawn or explained):
        return recalled
    terms = explain(memory.streams, request, recalled.ids)
    if drawn:
        # Only the choice is random: the scores are those of any other search.
        np.copyto(recalled.scores, terms["score"])
    return recalled.explained(terms) if explained else recalled


def _arrange(
    memory: Memory, rows: Int64, best: Best, profile: Profile, *, drawn: bool = False
) -> Recalled:
    """Return results without those that are no match, in the order of the profile."""
    ids, slots, scores = best
    if profile.combine == "product" and not drawn:
        # A product of 0 is no match, which the source systems do not return.
        ids[scores == 0] = slots[scores == 0] = -1
    if profile.order == "newest":
        order = np.argsort(-ids.astype(np.int64), axis=1, kind="stable")
        ids, slots = np.take_along_axis(ids, order, 1), np.take_along_axis(slots, order, 1)
        scores = np.take_along_axis(scores, order, 1)
    return Recalled.at(rows, ids, scores, places=Places(memory.streams.layout, slots))


def record_access(
    memory: Memory,
    rows: Int64,
    ids: Int32,
    *,
    places: Places | None = None,
    is_hit: bool = True,
) -> None:
    """Record that agents recalled memories, once each and now; applied by the next flush.

    `places` are where they are stored, if known. Their clusters count a hit at once, if `is_hit`;
    then `ids` have the best memory first.
    """
    streams = memory.streams
    if is_hit and streams.has_column("cluster"):
        slots = streams.slots_of(rows, ids, places)
        count_hits(streams, rows, slots, memory.layer_settings.top_k)
    if len(rows) == 1 and not memory.deferred and not memory.queued and memory.store is None:
        # At once, since a queue would take longer than the search of one agent.
        streams.book(streams.slots_of(rows, ids, places), memory.now)
        return
    if np.maximum.reduce(ids, axis=None, initial=-1) < 0:
        return
    if len(rows) > 1 and not (rows[1:] > rows[:-1]).all():
        # An agent that is in a cohort twice recalls a memory once.
        both = np.unique((rows[:, None] << 32 | ids)[ids >= 0])
        rows, ids = both >> 32, (both & 0xFFFFFFFF).reshape(-1, 1)
        places = None
    # A copy, since the caller may change its ids.
    ids = ids.astype(np.int32, order="C")
    memory.pending.accesses.append(Accesses(rows, ids, memory.now, places))
    memory.settle()


def find(
    streams: Streams,
    request: Request,
    threads: int = 1,
    ranges: list[tuple[int, int]] | None = None,
    *,
    plan: "Plan | None" = None,
) -> Best:
    """Find the k best memories of each agent, on some threads, which do not change the result.

    `ranges` are ranges of agents to search, on one thread; None for all. `plan` is that of the
    request if known.
    """
    # Compiled loops are imported late, so that importing the package is fast.
    from memopolis.sim.memory.retrieval.plan import make_plan, run_plan

    if request.candidates is not None:
        return find_numpy(streams, request)
    return run_plan(
        make_plan(request) if plan is None else plan, streams, request.rows, request.k,
        now=request.now, recency=request.recency, where=request.where,
        draw_key=request.draw_key, request=request, threads=threads, ranges=ranges,
    )  # fmt: skip


def deduplicate_ids(ids: Int32) -> Int32:
    """Return the ids of each row, shape (n, k), sorted, with -1 instead of repetitions."""
    each = np.sort(ids, axis=1)
    each[:, 1:][each[:, 1:] == each[:, :-1]] = -1
    return each


@dataclass(slots=True)
class _Pass:
    """Results of one search for agents from index `first` of the cohort on.

    `state` is that of the memory at that time, `used` the number of agents that used them since.
    """

    state: Hashable = None
    first: int = 0
    results: Recalled | None = None
    used: int = 1


class Turns:
    """The searches of a cohort whose agents act in turn, in the order of `rows`."""

    def __init__(self, rows: Int64) -> None:
        self._rows = rows
        self._index: dict[int, int] = {}
        self._passes: dict[Hashable, _Pass] = {}

    def search(
        self, memory: Memory, row: int, query: str, options: SearchOptions, *, observed: bool
    ) -> Recalled | None:
        """Return the results of an agent, and record the accesses unless `observed`.

        Returns None if the agent has to search alone, because it is the first one with this query
        and these options.
        """
        if not memory.deferred or memory.store is not None:
            return None
        key = observed, query, options
        try:
            latest = self._passes.get(key)
        except TypeError:  # an option that is an array or a list
            return None
        if latest is None:
            self._passes[key] = _Pass()
            return None
        if not self._index:
            self._index = {row: index for index, row in enumerate(self._rows.tolist())}
        index = self._index.get(row)
        if index is None:
            return None
        state = memory.now, memory.texts.version, memory.streams.changes
        results, place = latest.results, index - latest.first
        if results is None or latest.state != state or not 0 <= place < len(results):
            # Few agents at first: those who come next may not ask, or the texts may change.
            count = latest.used * (1 if results is not None and latest.state != state else _GROWTH)
            rows = self._rows[index : index + min(count, _MOST_AT_ONCE)]
            results = search(memory, rows, query, options, observed=observed, recorded=False)
            latest.results, latest.state = results, state
            latest.first, latest.used, place = index, 0, 0
        latest.used += 1
        own = results.one(place)
        if not observed:
            record_access(memory, own.rows, own.ids, places=own.places)
        return own
