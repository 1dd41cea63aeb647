"""One search over the streams of many agents, by a compiled pass.

Recency, importance and soft lexical relevance, summed up, go by the fast pass in
`kernels.py`; every other profile goes by the general one in `term_kernels.py`. What both
compute is defined in `by_numpy.py`.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.by_numpy import IMPORTANCE
from memopolis.sim.memory.retrieval.filters import anything, packed
from memopolis.sim.memory.retrieval.request import Request
from memopolis.sim.memory.streams.stream import OFFSETS, Streams
from memopolis.sim.memory.text.relevance import FULL

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

ROWS_PER_THREAD = 10_000
"""Below twice this number of agents a search runs on one thread."""

_NO_FILTERS = packed(anything(0), forgets=False)
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def find(streams: Streams, request: Request, threads: int = 1) -> tuple[Int32, Float32]:
    """Find each agent's k best memories.

    Args:
        streams: The memories.
        request: What is asked.
        threads: Most threads to use; the result does not depend on it.

    Returns:
        Ids, best first, -1 where there are fewer, and scores, 0 there; both (n, k).
    """
    n = len(request.rows)
    ids = np.full((n, request.k), -1, np.int32)
    values = np.zeros((n, request.k), np.float32)
    search, given = (
        _fast(streams, request)
        if request.extra is None or request.luck is not None
        else _general(streams, request)
    )
    parts = min(threads, n // ROWS_PER_THREAD)
    if parts < 2:
        search(0, n, *given, ids, values)
    else:
        edges = [n * part // parts for part in range(parts + 1)]
        jobs = [
            _pool(threads).submit(search, a, b, *given, ids, values) for a, b in pairwise(edges)
        ]
        for job in jobs:
            job.result()
    return ids, values


def newest_first(ids: Int32, scores: Float32) -> tuple[Int32, Float32]:
    """Put what was found in order of time, the newest first; gaps stay at the end."""
    order = np.argsort(-ids.astype(np.int64), axis=1, kind="stable")
    return np.take_along_axis(ids, order, 1), np.take_along_axis(scores, order, 1)


def _fast(streams: Streams, request: Request) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """The fast pass and what it reads."""
    from memopolis.sim.memory.retrieval import kernels

    relevance = request.relevance
    search, source = (
        (kernels.search_pairs, relevance.pairs)
        if relevance.table is None
        else (kernels.search_table, relevance.table)
    )
    filters = request.filters
    if filters is None and streams.forgets:
        filters = anything(len(request.rows))
    return search, (
        request.rows,
        streams.next,
        streams.limit,
        streams.view,
        request.query,
        source,
        _plan(request),
        np.float32(request.weights[2]),
        _shares(request),
        filters is not None,
        _NO_FILTERS if filters is None else packed(filters, forgets=streams.forgets),
        request.luck is not None,
        request.luck or (0, 0),
    )


def _general(streams: Streams, request: Request) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """The general pass and what it reads."""
    from memopolis.sim.memory.retrieval import term_arguments, term_kernels

    filters = request.filters or anything(len(request.rows))
    return term_kernels.search_terms, (
        request.rows,
        streams.next,
        streams.limit,
        streams.view,
        _plan(request),
        _shares(request),
        packed(filters, forgets=streams.forgets),
        *term_arguments.packed_terms(streams, request),
    )


def _plan(request: Request) -> tuple[Any, ...]:
    """What of a request does not depend on the form of relevance, as the kernels read it."""
    return (
        np.int32(request.now),
        OFFSETS[request.since] // 4,
        request.recency,
        IMPORTANCE,
        np.float32(request.weights[0]),
        np.float32(request.weights[1]),
        request.neighbours or request.cues,
        request.named,
        request.first,
        request.last,
    )


def _shares(request: Request) -> tuple[np.int32, ...]:
    """What neighbours lend, and what the named actor and date add to V."""
    shares = request.shares
    lent = (shares.neighbours, shares.next_but_one) if request.neighbours else (0, 0)
    return tuple(np.int32(x) for x in (*lent, shares.actor * FULL, shares.date * FULL))


def usable_threads() -> int:
    """Threads a search may use unless told otherwise: one a processor, at most 4."""
    return min(4, os.cpu_count() or 1)


def _pool(threads: int) -> ThreadPoolExecutor:
    # Threads do not survive a fork, so a child makes its own pool.
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="memopolis-search")
    return _pools[key]
