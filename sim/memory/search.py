"""One search over the streams of many agents: by the compiled pass, or by numpy.

Both give the same bits. The compiled pass is what runs; the numpy path is its definition,
explains scores term by term, and is the yardstick of its tests.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory import scoring
from memopolis.sim.memory.relevance import Relevance
from memopolis.sim.memory.stream import CONTINUES, OFFSETS, Streams

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

ANY = -2
"""Stands for any place or actor; -1 is that of a memory without one."""

ALWAYS = (-(2**31), 2**31 - 1)
"""Ticks of all times."""

ROWS_PER_THREAD = 10_000
"""Below twice this number of agents a search runs on one thread."""

_IMPORTANCE = scoring.importance_table()


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
    """

    place: Int32
    actor: Int32
    topic: int = -1
    kind: int = -1
    emotion: int = -1
    ticks: tuple[int, int] = ALWAYS


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What each of n agents searches its memories for.

    Attributes:
        rows: Rows of the agents, int64, shape (n,).
        k: Most memories wanted.
        now: Tick of the search.
        relevance: R of all queries asked.
        query: Row of `relevance` that each agent asks for, int32, shape (n,).
        named: unique_id of the actor each query names, -2 for nobody, int32, shape (n,).
        first: First tick of the date each query names, int32, shape (n,).
        last: Its last tick; before `first` where no date is named, int32, shape (n,).
        weights: Of recency, importance and relevance.
        recency: Weight of each age in ticks, as from `scoring.recency_table`.
        since: Column that ages count from.
        neighbours: Whether neighbours count.
        cues: Whether an actor or a date may count.
        filters: Which memories may be found; None for all.
        luck: Key of the draws that are the score; None to score.
    """

    rows: NDArray[np.int64]
    k: int
    now: int
    relevance: Relevance
    query: Int32
    named: Int32
    first: Int32
    last: Int32
    weights: tuple[float, float, float]
    recency: Float32
    since: Literal["accessed", "time"] = "accessed"
    neighbours: bool = True
    cues: bool = True
    filters: Filters | None = None
    luck: tuple[int, int] | None = None


def find(streams: Streams, request: Request, threads: int = 1) -> tuple[Int32, Float32]:
    """Find each agent's k best memories by the compiled pass.

    Args:
        streams: The memories.
        request: What is asked.
        threads: Most threads to use; the result does not depend on it.

    Returns:
        Ids, best first, -1 where there are fewer, and scores, 0 there; both (n, k).
    """
    from memopolis.sim.memory import kernels

    rows = request.rows
    n = len(rows)
    ids = np.full((n, request.k), -1, np.int32)
    values = np.zeros((n, request.k), np.float32)
    relevance = request.relevance
    search, source = (
        (kernels.search_pairs, relevance.pairs)
        if relevance.table is None
        else (kernels.search_table, relevance.table)
    )
    filters = request.filters
    given = (
        rows,
        streams.next,
        streams.limit,
        streams.view,
        request.query,
        source,
        _plan(request),
        np.float32(request.weights[2]),
        request.neighbours,
        filters is not None,
        _NO_FILTERS if filters is None else _packed(filters),
        request.luck is not None,
        request.luck or (0, 0),
        ids,
        values,
    )
    parts = min(threads, n // ROWS_PER_THREAD)
    if parts < 2:
        search(0, n, *given)
    else:
        edges = [n * part // parts for part in range(parts + 1)]
        jobs = [_pool(threads).submit(search, a, b, *given) for a, b in pairwise(edges)]
        for job in jobs:
            job.result()
    return ids, values


def _plan(request: Request) -> tuple[Any, ...]:
    """What of a request does not depend on the form of relevance, as the kernels read it."""
    return (
        np.int32(request.now),
        OFFSETS[request.since] // 4,
        request.recency,
        _IMPORTANCE,
        np.float32(request.weights[0]),
        np.float32(request.weights[1]),
        request.neighbours or request.cues,
        request.named,
        request.first,
        request.last,
    )


def _packed(filters: Filters) -> tuple[Any, ...]:
    return (
        filters.topic,
        filters.kind,
        filters.emotion,
        *filters.ticks,
        filters.place,
        filters.actor,
    )


def usable_threads() -> int:
    """Threads a search may use unless told otherwise: one a processor, at most 4."""
    return min(4, os.cpu_count() or 1)


_NO_FILTERS = _packed(Filters(np.zeros(0, np.int32), np.zeros(0, np.int32)))
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def _pool(threads: int) -> ThreadPoolExecutor:
    # Threads do not survive a fork, so a child makes its own pool.
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="memopolis-search")
    return _pools[key]


def find_numpy(streams: Streams, request: Request) -> tuple[Int32, Float32]:
    """Find what `find` finds, bit for bit, with numpy alone."""
    slots, starts = streams.live(request.rows)
    accessed = streams.at("accessed", slots)
    if request.luck is None:
        scores = terms(streams, request)["score"]
    else:
        from memopolis.sim.memory import kernels

        owner, ids = _owners(streams, request, starts)
        scores = kernels.draws(request.rows[owner], request.now, ids, request.luck)
    passes = _passes(streams, request, slots, starts)
    firsts = streams.first(request.rows)
    return scoring.best(scores, accessed, passes, starts=starts, firsts=firsts, k=request.k)


def _owners(
    streams: Streams, request: Request, starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Place in the request, and id, of each memory that `live` lists."""
    owner = np.repeat(np.arange(len(request.rows)), np.diff(starts))
    return owner, np.arange(starts[-1]) - starts[owner] + streams.first(request.rows)[owner]


def terms(streams: Streams, request: Request) -> dict[str, NDArray[Any]]:
    """Work out every term of the score of all memories of the agents, in turn.

    Returns:
        recency, importance and relevance as they are weighted; own, near, actor and date,
        the parts of relevance in units of a full match; and score; each of shape (memories,).
    """
    slots, starts = streams.live(request.rows)
    owner, _ = _owners(streams, request, starts)
    text = streams.at("text", slots)
    if request.relevance.table is None:
        from memopolis.sim.memory import kernels

        found = kernels.relevances(request.relevance.pairs, request.query[owner], text)
    else:
        found = request.relevance.table[request.query[owner], text]
    own = scoring.whole(found)
    zero = np.zeros(len(own), np.int32)
    near = actor = date = zero
    if request.neighbours:
        first = np.zeros(len(own), np.bool_)
        first[starts[:-1][np.diff(starts) > 0]] = True
        near = scoring.near(own, (streams.at("kind", slots) & CONTINUES) > 0, first)
    if request.cues:
        actor = scoring.by_actor(streams.at("actor", slots), request.named[owner])
        time = streams.at("time", slots)
        date = scoring.in_date(time, request.first[owner], request.last[owner])
    relevance = scoring.relevance(np.int32(scoring.OWN) * own + near + (actor + date))
    recency = scoring.recency(streams.at(request.since, slots), request.now, request.recency)
    importance = _IMPORTANCE[streams.at("importance", slots)]
    return {
        "recency": recency,
        "importance": importance,
        "relevance": relevance,
        "own": scoring.relevance(np.int32(scoring.OWN) * own),
        "near": scoring.relevance(near),
        "actor": scoring.relevance(actor),
        "date": scoring.relevance(date),
        "score": scoring.score(recency, importance, relevance, request.weights),
    }


def explain(streams: Streams, request: Request, ids: Int32) -> dict[str, NDArray[Any]]:
    """Give the terms of the memories found, each of shape (n, k), 0 where there is none."""
    _, starts = streams.live(request.rows)
    there = ids >= 0
    at = np.where(there, ids - streams.first(request.rows)[:, None] + starts[:-1, None], 0)
    found = {}
    for name, values in terms(streams, request).items():
        found[name] = np.zeros(ids.shape, values.dtype)
        found[name][there] = values[at[there]]
    return found


def _passes(
    streams: Streams, request: Request, slots: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether each memory passes the filters."""
    passes = np.ones(len(slots), np.bool_)
    filters = request.filters
    if filters is None:
        return passes
    owner = np.repeat(np.arange(len(request.rows)), np.diff(starts))
    time = streams.at("time", slots)
    passes &= (time >= filters.ticks[0]) & (time <= filters.ticks[1])
    if filters.topic >= 0:
        passes &= streams.at("topic", slots) == filters.topic
    if filters.kind >= 0:
        passes &= (streams.at("kind", slots) & ~np.uint8(CONTINUES)) == filters.kind
    if filters.emotion >= 0:
        passes &= streams.at("emotion", slots) == filters.emotion
    for name, wanted in (("place", filters.place[owner]), ("actor", filters.actor[owner])):
        passes &= (wanted == ANY) | (streams.at(name, slots) == wanted)
    return passes
