"""Recall: search the streams of several agents, and record the accesses.

A weighted sum of recency, importance and soft lexical relevance uses the fast pass in
`kernels.py`, every other profile the general pass in `general.py`. Both compute what
`by_numpy.py` defines, which scores the candidates of a store.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.building import NoQuery, Queries, build_request, limit_count
from memopolis.sim.memory.retrieval.by_numpy import explain, find_numpy
from memopolis.sim.memory.retrieval.filter import (
    NO_FILTER,
    SIGNS,
    Filter,
    encode_filter,
    encode_nothing,
    find_passing,
)
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.request import Request
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.streams.tags import Tags
from memopolis.sim.threads import CACHES, THREAD, run_all, split

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

Int32 = NDArray[np.int32]

ROWS_PER_THREAD = 1_000
"""A search of fewer than twice this number of agents runs on one thread."""

CANDIDATES = 3
"""Number of memories considered, as a multiple of k."""

_NO_FILTER = encode_nothing(0).packed(forgets=False)
_THREE = ("recency", "importance", "relevance")


def search(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries | NoQuery,
    k: int | None = None,
    *,
    profile: str | Profile,
    where: Filter = NO_FILTER,
    actor: Any = None,
    when: Any = None,
    each: ArrayLike | None = None,
    feeling: ArrayLike | None = None,
    half_life: ArrayLike | None = None,
    explained: bool = False,
    observed: bool = False,
    recorded: bool = True,
) -> Recalled:
    """Search the streams of some agents; arguments as in `building.build_request`.

    `half_life`, one or one per agent, in hours, replaces that of the profile; each distinct value
    costs a pass of its own. `explained` returns the terms of the scores. `observed` ignores the
    recall policy and records no access. A caller that drops memories passes `recorded=False` and
    records accesses itself.
    """
    memory.settle()
    base = memory.find_profile(profile)
    profiles, group = _profiles_of(base, half_life, len(rows))
    # Other terms than those of the fast pass read caches, which other parts may change.
    with CACHES if THREAD.part is not None and base.general else nullcontext():
        requests = [
            build_request(
                memory, rows, query, k, profile=one, where=where, actor=actor, when=when,
                each=each, feeling=feeling, policy="scored" if observed else memory.recall,
            )
            for one in profiles
        ]  # fmt: skip
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


def _profiles_of(
    profile: Profile, half_life: ArrayLike | None, agents: int
) -> tuple[list[Profile], NDArray[np.intp]]:
    """Return the profile with each distinct half-life, and the index of each agent's."""
    if half_life is None:
        return [profile], np.zeros(agents, np.intp)
    lives = np.asarray(half_life)
    if lives.shape not in ((), (agents,)) or lives.dtype.kind not in "iuf":
        raise ParameterError(
            f"half_life has shape {lives.shape} and type {lives.dtype}; a number or numbers of "
            f"shape ({agents},) are needed"
        )
    distinct, group = np.unique(lives, return_inverse=True)
    profiles = [replace(profile, half_life=life) for life in distinct.astype(float).tolist()]
    return profiles or [profile], np.broadcast_to(group.reshape(lives.shape), agents)


def _ranges(some: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first index and index after the last of each run of True."""
    edges = np.flatnonzero(np.diff(some, prepend=False, append=False))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _run(
    memory: "Memory",
    request: Request,
    ranges: Sequence[tuple[int, int]] | None = None,
    *,
    explained: bool,
) -> tuple[Int32, NDArray[np.float32], dict[str, NDArray[Any]]]:
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


def record_access(memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.int32]) -> None:
    """Record that agents recalled memories, once each and now; applied by the next flush."""
    exists = ids >= 0
    if exists.all():
        owners, numbers = np.repeat(rows, ids.shape[1]), ids.flatten()
    else:
        owners, numbers = np.broadcast_to(rows[:, None], ids.shape)[exists], ids[exists]
    if not len(numbers):
        return
    if len(rows) > 1 and not (rows[1:] > rows[:-1]).all():
        # An agent that is in a cohort twice recalls a memory once.
        both = np.unique(owners << 32 | numbers)
        owners, numbers = both >> 32, (both & 0xFFFFFFFF).astype(np.int32)
    memory.pending.accesses.append((owners, numbers, memory.now))
    memory.settle()


def find(
    streams: Streams,
    request: Request,
    threads: int = 1,
    ranges: Sequence[tuple[int, int]] | None = None,
) -> tuple[Int32, NDArray[np.float32]]:
    """Find the k best memories of each agent, on some threads, which do not change the result.

    `ranges` are first index and index after the last of agents to search, on one thread; None for
    all.

    Returns:
        Ids, best first, -1 where there are fewer, and scores, 0 there; both (n, k).
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
    from memopolis.sim.memory.retrieval import kernels
    from memopolis.sim.memory.retrieval.terms import importance

    relevance = request.relevance
    weights = [np.float32(request.weights.get(name, 0.0)) for name in _THREE]
    encoded, drawn = request.where, request.draw_key is not None
    if encoded is None and streams.forgets and drawn:
        encoded = encode_nothing(len(request.rows))
    return kernels.search, (
        request.rows,
        streams.next,
        streams.limit,
        streams.view,
        request.query,
        relevance.pairs if relevance.table is None else relevance.table,
        (
            np.int32(request.now),
            OFFSETS[request.since] // 4,
            request.recency,
            importance.STEP,
            weights[0],
            weights[1],
            request.shares.neighbours > 0 or request.cues,
            request.cues,
            request.named,
            request.first,
            request.last,
        ),
        weights[2],
        request.shares.values,
        encoded is not None,
        _NO_FILTER if encoded is None else encoded.packed(forgets=streams.forgets),
        drawn,
        request.draw_key or (0, 0),
    )


def deduplicate_ids(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the ids of each row, shape (n, k), sorted, with -1 instead of repetitions."""
    each = np.sort(ids, axis=1)
    each[:, 1:][each[:, 1:] == each[:, :-1]] = -1
    return each


def contextual(
    memory: "Memory",
    rows: NDArray[np.int64],
    query: Queries,
    *,
    tags: Tags = None,
    emotion: str | None = None,
    k: int = 10,
    profile: str | Profile = "recall",
    observed: bool = False,
) -> Recalled:
    """Recall the best matches of a query that fit a context; as `CohortStream.contextual`.

    The best 3 * k memories of the query are taken first. Those that share no tag with the
    situation, or do not have the mood, are dropped, and the first k of the rest are recalled.

    Source:
        memtool. The mood is the sign of the valence, or the tag "urgent".
    """
    memory.settle()
    span = memory.streams.longest(rows)
    width = limit_count(k, span)
    if emotion is not None and emotion not in SIGNS:
        raise ParameterError(f"emotion is {emotion!r}; allowed are {', '.join(map(repr, SIGNS))}")
    candidates = search(
        memory, rows, query, max(width, min(CANDIDATES * width, span)), profile=profile,
        observed=observed, recorded=False,
    )  # fmt: skip
    ids = candidates.ids
    match = _match(memory, rows, ids, tags)
    fits = ids >= 0
    owners = np.nonzero(fits)[0]
    slots = memory.streams.slots(rows[owners], ids[fits])
    where = encode_filter(memory, Filter(tags=tags or None, sign=emotion), len(rows))
    fits[fits] = find_passing(memory.streams, where, slots, owners)
    order = np.argsort(~fits, axis=1, kind="stable")[:, :width]
    chosen = np.take_along_axis(fits, order, axis=1)

    def take[T: np.generic](values: NDArray[T], fill: int) -> NDArray[T]:
        taken: NDArray[T] = np.take_along_axis(values, order, axis=1)
        return np.where(chosen, taken, values.dtype.type(fill))

    recalled = Recalled(rows, take(ids, -1), take(candidates.scores, 0), {"match": take(match, 0)})
    if not observed:
        record_access(memory, rows, recalled.ids)
    return recalled


def _match(
    memory: "Memory", rows: NDArray[np.int64], ids: NDArray[np.int32], tags: Tags
) -> NDArray[np.float32]:
    """Return the share of the given tags that each memory has, 1 without tags."""
    if isinstance(tags, int | np.integer):
        bits = memory.tags.bits(tags)
        count = bits.bit_count()
    else:
        names = [tags] if isinstance(tags, str) else list(tags or ())
        bits, count = memory.tags.known(names), len(set(names))
    if not count:
        return np.ones(ids.shape, np.float32)
    values = memory.streams.gather("tags", memory.streams.locate(rows, ids))
    overlap = np.bitwise_count(values & np.uint16(bits)).astype(np.float32)
    return np.asarray(overlap / np.float32(count), np.float32)
