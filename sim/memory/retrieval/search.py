"""Search the streams of several agents by a compiled pass.

A weighted sum of recency, importance and soft lexical relevance uses the fast pass in
`kernels.py`, every other profile the general pass in `general.py`. Both compute what
`by_numpy.py` defines.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.filter import encode_nothing
from memopolis.sim.memory.retrieval.request import Request
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.streams.stream import Streams

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

ROWS_PER_THREAD = 10_000
"""A search of fewer than twice this number of agents runs on one thread."""

_NO_FILTER = encode_nothing(0).packed(forgets=False)
_THREE = ("recency", "importance", "relevance")
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def find(streams: Streams, request: Request, threads: int = 1) -> tuple[Int32, Float32]:
    """Find the k best memories of each agent.

    Args:
        streams: The memories.
        request: Request of the search.
        threads: Maximum number of threads; the result does not depend on it.

    Returns:
        Ids, best first, -1 where there are fewer, and scores, 0 there; both (n, k).
    """
    n = len(request.rows)
    ids = np.full((n, request.k), -1, np.int32)
    values = np.zeros((n, request.k), np.float32)
    is_general = request.general and request.draw_key is None
    search, arguments = (_general if is_general else _fast)(streams, request)
    parts = min(threads, n // ROWS_PER_THREAD)
    if parts < 2:
        search(0, n, *arguments, ids, values)
    else:
        edges = [n * part // parts for part in range(parts + 1)]
        jobs = [
            _pool(threads).submit(search, a, b, *arguments, ids, values) for a, b in pairwise(edges)
        ]
        for job in jobs:
            job.result()
    return ids, values


def newest_first(ids: Int32, scores: Float32) -> tuple[Int32, Float32]:
    """Sort results by time, the newest first; gaps stay at the end."""
    order = np.argsort(-ids.astype(np.int64), axis=1, kind="stable")
    return np.take_along_axis(ids, order, 1), np.take_along_axis(scores, order, 1)


def _general(streams: Streams, request: Request) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Return the general pass and its arguments."""
    from memopolis.sim.memory.retrieval.general import search_general

    return search_general, (streams, request)


def _fast(streams: Streams, request: Request) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Return the fast pass and its arguments."""
    from memopolis.sim.memory.retrieval import kernels
    from memopolis.sim.memory.retrieval.terms import importance, relevance

    search, source = (
        (kernels.search_pairs, request.relevance.pairs)
        if request.relevance.table is None
        else (kernels.search_table, request.relevance.table)
    )
    weights = [np.float32(request.weights.get(name, 0.0)) for name in _THREE]
    encoded = request.where
    if encoded is None and streams.forgets:
        encoded = encode_nothing(len(request.rows))
    return search, (
        request.rows,
        streams.next,
        streams.limit,
        streams.view,
        request.query,
        source,
        (
            np.int32(request.now),
            OFFSETS[request.since] // 4,
            request.recency,
            importance.TABLE,
            weights[0],
            weights[1],
            request.neighbours or request.cues,
            request.named,
            request.first,
            request.last,
        ),
        weights[2],
        relevance.shares_of(request),
        encoded is not None,
        _NO_FILTER if encoded is None else encoded.packed(forgets=streams.forgets),
        request.draw_key is not None,
        request.draw_key or (0, 0),
    )


def _pool(threads: int) -> ThreadPoolExecutor:
    # Threads do not survive a fork, so a child process creates its own pool.
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="memopolis-search")
    return _pools[key]
