"""The general pass: any terms, rescaled or not, summed or multiplied.

Each term of the profile fills a scratch row of float32 for a chunk of agents; the rows are then
combined and ranked, with the same bits as in `by_numpy.py`.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.filter import encode_nothing
from memopolis.sim.memory.retrieval.kernels import BITS, LANES, OUT, exclude, keep_best
from memopolis.sim.memory.retrieval.terms.registry import names_of
from memopolis.sim.memory.retrieval.terms.term import LEAD, Chunk, Memories, Request, find_term
from memopolis.sim.memory.streams.layout import OFFSETS, PAGE
from memopolis.sim.memory.streams.prefetch_kernels import first_word, lanes
from memopolis.sim.memory.streams.stream import Streams

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]

CHUNK = 1 << 14  # memories of a chunk: its scratch rows fit the cache, and few calls are needed
_TEXT = OFFSETS["text"] // 4
_0, _HALF, _1 = np.float32(0), np.float32(0.5), np.float32(1)


def search_general(
    begin: int, end: int, streams: Streams, request: Request, ids: Int32, values: Float32
) -> None:
    """Search agents `begin` to `end`; fills ids (-1 before) and values (0 before), (n, k)."""
    profile = request.profile
    terms = [find_term(name) for name in request.weights]
    encoded = request.where or encode_nothing(len(request.rows))
    filters = encoded.packed()
    filtered = request.where is not None
    weights, order, alone, others = _plan(tuple(request.weights.items()))
    chunks = list(split(streams, request.rows[begin:end]))
    # One allocation for all chunks: fresh pages cost more than the loops that fill them.
    size = max((length for _, _, length in chunks), default=0)
    text, gate, score = np.empty(size, np.int32), *np.empty((2, size), np.float32)
    filled = np.empty((len(terms), size), np.float32)
    for low, high, _ in chunks:
        chunk = open_chunk(streams, request, begin + low, begin + high, text, gate)
        _begin(chunk, filtered, filters)
        memories = Memories(streams, request, begin + low, begin + high, chunk)
        for term, prepared, out in zip(terms, request.prepared.values(), filled, strict=True):
            term.fill(memories, prepared, out)
        _finish(
            chunk, filled, weights, profile.normalise == "min-max", profile.combine == "product",
            order, alone, others, score, ids, values,
        )  # fmt: skip


@lru_cache(maxsize=64)
def _plan(
    weights: tuple[tuple[str, float], ...],
) -> tuple[Float32, tuple[NDArray[np.int64], ...], Float32, NDArray[np.int64]]:
    """Return the arrays of `_finish` that depend on the weights alone.

    They are the weight of each term; numbers of the terms of each role; the weight of each term
    where the text term that it replaces is 0; and the number of that text term, -1 for none.
    """
    weight = dict(weights)
    index = {name: number for number, name in enumerate(weight)}
    order = tuple(
        np.array([index[name] for name in names_of(role, weight)], np.int64)
        for role in ("text", "decay", "factor")
    )
    others = [find_term(name).replaces for name in weight]
    alone = [
        own + weight.get(other, 0.0) for own, other in zip(weight.values(), others, strict=True)
    ]
    numbers = np.array([index.get(other, -1) for other in others], np.int64)
    return np.array(list(weight.values()), np.float32), order, np.array(alone, np.float32), numbers


def split(streams: Streams, rows: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Split agents into chunks of `CHUNK` values or one agent: first, end, length of arrays."""
    ends = np.cumsum(streams.count[rows] + 2 * LEAD, dtype=np.int64)
    low, before = 0, 0
    while low < len(rows):
        high = max(low + 1, int(np.searchsorted(ends, before + CHUNK, side="right")))
        yield low, high, int(ends[high - 1]) - before
        low, before = high, int(ends[high - 1])


def open_chunk(
    streams: Streams, request: Request, begin: int, end: int, text: Int32, gate: Float32
) -> Chunk:
    """Build the chunk of some agents of a search; `text` and `gate` are filled later."""
    rows = request.rows[begin:end]
    count = streams.count[rows].astype(np.int64)
    lengths = count + 2 * LEAD
    start = np.cumsum(lengths) - lengths + LEAD
    now = np.int32(request.now)
    return Chunk(streams.view, now, begin, rows, count, start, text, gate)


@njit(cache=True, nogil=True)
def _begin(chunk, filtered, filters):  # type: ignore[no-untyped-def]
    """Fill the texts of a chunk, and mark the memories that the filter excludes."""
    table, words, _, _ = chunk.pages
    text = chunk.text
    for j in range(len(chunk.rows)):
        row, count, start = chunk.rows[j], chunk.lengths[j], chunk.start[j]
        chunk.gate[start : start + count] = _0
        if filtered:
            gate = chunk.gate[start - LEAD :]
            exclude(chunk.pages, chunk.begin + j, row, 0, count, filters, gate)
        for page in range((count + PAGE - 1) // PAGE):
            j0 = np.uint64(start + page * PAGE)
            texts = np.uint64(first_word(table, row, page) + _TEXT)
            for q in range(lanes(text)):
                u = np.uint64(q)
                text[j0 + u] = words[texts + u]


@njit(cache=True, nogil=True)
def _finish(  # type: ignore[no-untyped-def]
    chunk, terms, weights, rescaled, product, order, alone, others, score, ids, values
):
    """Combine the terms of a chunk, and keep the best memories of each agent."""
    picked = np.empty((3, len(score)), np.int32)
    best, keys = np.empty(len(score) + BITS, np.float32), np.empty(len(score) + LANES, np.int64)
    for j in range(len(chunk.rows)):
        begin = chunk.start[j]
        end = begin + chunk.lengths[j]
        for t in range(len(weights) if rescaled else 0):
            _rescale(begin, end, chunk.gate, terms[t])
        # In parts that stay in the cache during all loops.
        for low in range(begin, end, CHUNK):
            high = min(low + CHUNK, end)
            score[low:high] = _0
            for t in range(0 if rescaled else len(weights)):
                _fill_missing(terms[t, low:high])
            if product:
                _multiply(low, high, weights, order, alone, others, terms, score)
            else:
                for t in range(len(weights)):
                    add_term(terms[t, low:high], weights[t], score[low:high])
            _exclude(chunk.gate[low:high], score[low:high])
        p = chunk.begin + j
        keep_best(
            chunk.pages, chunk.rows[j], 0, end - begin, score[begin - LEAD :], ids[p],
            values[p], picked, best, keys,
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _rescale(begin, end, gate, values):  # type: ignore[no-untyped-def]
    """Rescale a term to 0..1 over the memories that pass; missing values become 0."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    for q in range(begin, end):
        if gate[q] == _0 and not np.isnan(values[q]):
            low = min(low, values[q])
            high = max(high, values[q])
    for q in range(begin, end):
        x = values[q]
        if np.isnan(x) or gate[q] != _0:
            values[q] = _0
        elif low == high:
            values[q] = _HALF
        else:
            values[q] = (x - low) / (high - low)


# Views that begin where the loop begins: loops vectorise only with indices known to be >= 0.
@njit(cache=True, nogil=True)
def _fill_missing(values):  # type: ignore[no-untyped-def]
    for q in range(len(values)):
        values[q] = _0 if np.isnan(values[q]) else values[q]


@njit(cache=True, nogil=True)
def add_term(values, weight, score):  # type: ignore[no-untyped-def]
    """Add a weighted term to scores."""
    for q in range(len(values)):
        score[q] = score[q] + values[q] * weight


@njit(cache=True, nogil=True)
def _exclude(gate, score):  # type: ignore[no-untyped-def]
    for q in range(len(gate)):
        score[q] = score[q] if gate[q] == _0 else OUT


@njit(cache=True, nogil=True)
def _multiply(begin, end, weights, order, alone, others, terms, score):  # type: ignore[no-untyped-def]
    """Multiply the sum of the text terms by the others."""
    texts, decays, factors = order
    for t in texts:
        other = others[t]
        for q in range(begin, end):
            weight = weights[t]
            if other >= 0 and not terms[other, q] > _0:
                weight = alone[t]
            score[q] = score[q] + terms[t, q] * weight
    if len(texts) == 0:
        score[begin:end] = _1
    for t in decays:
        for q in range(begin, end):
            score[q] = score[q] * terms[t, q]
    for t in factors:
        for q in range(begin, end):
            score[q] = score[q] * (_1 + (terms[t, q] - _HALF) * weights[t])
