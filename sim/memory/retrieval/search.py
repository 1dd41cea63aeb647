"""Search the streams of several agents by a compiled pass.

A weighted sum of recency, importance and soft lexical relevance uses the fast pass in
`kernels.py`, every other profile the general pass in `term_kernels.py`. Both compute what
`by_numpy.py` defines.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.night.consolidation import Tables
from memopolis.sim.memory.retrieval.by_numpy import IMPORTANCE
from memopolis.sim.memory.retrieval.filter import encode_nothing
from memopolis.sim.memory.retrieval.profiles import TERMS
from memopolis.sim.memory.retrieval.request import Fit, Request, TextTable
from memopolis.sim.memory.streams.layout import OFFSETS
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.relevance import FULL, SIEVE, Pairs

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

ROWS_PER_THREAD = 10_000
"""A search of fewer than twice this number of agents runs on one thread."""

_NO_FILTER = encode_nothing(0).packed(forgets=False)
_NO_INT32 = np.zeros(0, np.int32)
_NO_INT64 = np.zeros(0, np.int64)
_NO_FLOAT = np.zeros(0, np.float32)
_NO_PAIRS = Pairs(
    flat=np.zeros(0, np.uint16), start=_NO_INT64, length=_NO_INT32, weight=_NO_INT32,
    first=_NO_INT64, total=_NO_INT64, sieve=np.zeros(SIEVE, np.uint64),
    key=np.zeros(0, np.uint16), line=np.zeros(0, np.uint16), slot=_NO_INT64,
    likeness=np.zeros(0, np.uint8), origin=_NO_INT64, widest=1,
)  # fmt: skip
_NO_TABLES = Tables(
    reach=_NO_FLOAT, longevity=_NO_FLOAT, group=np.zeros(0, np.uint8),
    freshness=np.zeros((0, 0), np.float32), pace=_NO_FLOAT, boost=np.float32(0),
    retention=_NO_FLOAT,
)  # fmt: skip
_NO_FIT = (
    _NO_INT32, _NO_INT32, _NO_INT64, _NO_INT32, _NO_INT32, _NO_INT32, _NO_INT64, _NO_INT32,
    np.zeros(0, np.float64),
)  # fmt: skip
_NO_TABLE = TextTable(np.zeros((0, 0), np.float32), _NO_INT32)
_NO_RELEVANCE = np.zeros((1, 1), np.uint16)
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
    search, arguments = (
        _fast(streams, request)
        if not request.general or request.draw_key is not None
        else _general(streams, request)
    )
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


def _fast(streams: Streams, request: Request) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Return the fast pass and its arguments."""
    from memopolis.sim.memory.retrieval import kernels

    relevance = request.relevance
    search, source = (
        (kernels.search_pairs, relevance.pairs)
        if relevance.table is None
        else (kernels.search_table, relevance.table)
    )
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
        _plan(request),
        np.float32(request.weights[2]),
        _shares(request),
        encoded is not None,
        _NO_FILTER if encoded is None else encoded.packed(forgets=streams.forgets),
        request.draw_key is not None,
        request.draw_key or (0, 0),
    )


def _general(streams: Streams, request: Request) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Return the general pass and its arguments.

    A compiled function has one type per argument, so a term without weight passes an empty
    array of the right type.
    """
    from memopolis.sim.memory.night.consolidation import update_ticks
    from memopolis.sim.memory.retrieval import term_kernels

    encoded = request.where or encode_nothing(len(request.rows))
    weight = dict(zip(TERMS, request.weights, strict=True))
    alone = np.float32(weight["keyword"] + weight["tfidf"])
    by_table, relevance = request.relevance.table is not None, request.relevance
    tables = [request.tables.get(name, _NO_TABLE) for name in ("bm25", "dense", "keyword")]
    tags, feeling = request.tags, request.feeling
    consolidation, fading = request.consolidation, request.fading
    return term_kernels.search_terms, (
        request.rows,
        streams.next,
        streams.limit,
        streams.view,
        _plan(request),
        _shares(request),
        encoded.packed(forgets=streams.forgets),
        (np.array(request.weights, np.float32), alone, request.normalise, request.product),
        (
            by_table,
            relevance.table if by_table else _NO_RELEVANCE,
            relevance.pairs or _NO_PAIRS,
            request.query,
        ),
        tuple(array for table in tables for array in table),
        _fitted(request.fit),
        (
            tags is not None,
            np.zeros(0, np.uint16) if tags is None else tags,
            feeling is not None,
            _NO_FLOAT if feeling is None else feeling,
        ),
        (consolidation is not None, (consolidation or _NO_TABLES, update_ticks(streams))),
        (fading is not None, tuple(fading or (np.float32(0), _NO_FLOAT))),
    )


def _fitted(fit: Fit | None) -> tuple[Any, ...]:
    if fit is None:
        return False, _NO_FIT, _NO_INT32, 0
    words, asked = fit.words, fit.asked
    arrays = (
        words.flat, words.count, words.start, words.length,
        asked.flat, asked.count, asked.start, asked.length, fit.logs,
    )  # fmt: skip
    return True, arrays, fit.query, max(words.size, asked.size)


def _plan(request: Request) -> tuple[Any, ...]:
    """Return the arguments that do not depend on the form of relevance."""
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
    """Return what neighbours, the named actor and the named date add to V."""
    shares = request.shares
    lent = (shares.neighbours, shares.next_but_one) if request.neighbours else (0, 0)
    return tuple(np.int32(x) for x in (*lent, shares.actor * FULL, shares.date * FULL))


def usable_threads() -> int:
    """Return the default number of threads of a search: one per processor, at most 4."""
    return min(4, os.cpu_count() or 1)


def _pool(threads: int) -> ThreadPoolExecutor:
    # Threads do not survive a fork, so a child process creates its own pool.
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="memopolis-search")
    return _pools[key]
