"""The terms of a request, laid out as the general pass reads them.

A compiled function has one form of arguments, so what a profile does not use stands there as
an empty array of the right type.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.memory.night.consolidation import Tables, updates
from memopolis.sim.memory.retrieval.profiles import TERMS
from memopolis.sim.memory.retrieval.request import Extra, Fit, Request, TextTable
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.relevance import SIEVE, Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


def packed_terms(streams: Streams, request: Request) -> tuple[Any, ...]:
    """Lay out what `term_kernels.search_terms` reads from `mode` on.

    Args:
        streams: The memories.
        request: What is asked; it has an `extra`.
    """
    extra = request.extra or Extra((*request.weights, *[0.0] * (len(TERMS) - 3)))
    tables = (extra.bm25, extra.dense, extra.keyword)
    return (
        _mode(extra),
        _lexical(request),
        tuple(array for table in tables for array in _table(table)),
        _fitted(extra.fit),
        (
            extra.tags is not None,
            np.zeros(0, np.uint16) if extra.tags is None else extra.tags,
            extra.feeling is not None,
            _NO_FLOAT if extra.feeling is None else extra.feeling,
        ),
        (extra.firm is not None, _firm(streams, extra.firm)),
        (
            extra.fading is not None,
            (np.float32(0), _NO_FLOAT) if extra.fading is None else tuple(extra.fading),
        ),
    )


def _mode(extra: Extra) -> tuple[Any, ...]:
    weight = dict(zip(TERMS, extra.weights, strict=True))
    alone = np.float32(weight["keyword"] + weight["tfidf"])
    return np.array(extra.weights, np.float32), alone, extra.normalise, extra.product


def _lexical(request: Request) -> tuple[Any, ...]:
    relevance = request.relevance
    table = np.zeros((1, 1), np.uint16) if relevance.table is None else relevance.table
    return relevance.table is not None, table, relevance.pairs or _NO_PAIRS, request.query


def _table(table: TextTable | None) -> "tuple[NDArray[Any], NDArray[np.int32]]":
    return (np.zeros((0, 0), np.float32), _NO_INT32) if table is None else (table.values, table.row)


def _fitted(fit: Fit | None) -> tuple[Any, ...]:
    if fit is None:
        return False, _NO_FIT, _NO_INT32, 0
    words, asked = fit.words, fit.asked
    arrays = (
        words.flat, words.count, words.start, words.length,
        asked.flat, asked.count, asked.start, asked.length, fit.logs,
    )  # fmt: skip
    return True, arrays, fit.query, max(words.size, asked.size)


def _firm(streams: Streams, firm: Tables | None) -> tuple[Any, ...]:
    return _NO_TABLES if firm is None else firm, updates(streams)
