"""Exclude the memories that do not pass a filter, in one short loop per condition."""

import numpy as np
from numba import njit

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.retrieval.filter import ALWAYS
from memopolis.sim.memory.retrieval.ranking_kernels import OUT
from memopolis.sim.memory.streams.encoding import KIND_BITS
from memopolis.sim.memory.streams.layout import PAGE, places
from memopolis.sim.memory.streams.prefetch_kernels import first_word, lanes

_TIME, _ACTOR, _KIND, _TOPIC = places("time", "actor", "kind", "topic")
_EMOTION, _VALENCE, _PLACE, _TAGS = places("emotion", "valence", "place", "tags")
# Numba widens the product of two int32 to int64: cut back at each step, so that loops vectorise.
_32 = np.int32
_FIRST_TICK, _LAST_TICK = ALWAYS
# Constants of one type: each plain number would be a type of its own, and compile `_keep` again.
_ALL, _BYTE, _KIND_MASK, _NONE = np.int64(-1), np.int64(255), np.int64(KIND_BITS), np.int64(0)
_EQUAL, _DIFFERENT = np.bool_(True), np.bool_(False)  # noqa: FBT003  no types of their own


@njit(cache=True, nogil=True, inline="always")
def exclude(view, p, row, first, stop, filters, gate):  # type: ignore[no-untyped-def]
    """Write `OUT` to `gate` for the memories `first` to `stop` of a row that do not pass.

    `first` is a multiple of `PAGE`, `filters` as from `EncodedFilter.packed`, and `p` the index of
    the agent in their arrays.
    """
    table, words, halves, small = view
    topic, kind, emotion, tick0, tick1, tags, urgent, without, sign = filters[:9]
    placed, acted, place_of, actor_of = filters[9:]
    early, late = _32(tick0), _32(tick1)
    timed = early > _FIRST_TICK or late < _LAST_TICK
    for page in range(first // PAGE, (stop + PAGE - 1) // PAGE):
        at = first_word(table, row, page)
        j = np.uint64(page * PAGE - first)
        if timed:
            times = np.uint64(at + _TIME)
            for q in range(lanes(gate)):
                u = np.uint64(q)
                time, value = words[times + u], gate[j + u]
                gate[j + u] = value if (time >= early) & (time <= late) else OUT
        if topic >= 0:
            _keep(small, 4 * at + _TOPIC, _BYTE, topic, _EQUAL, gate, j)
        if emotion >= 0:
            _keep(small, 4 * at + _EMOTION, _BYTE, emotion, _EQUAL, gate, j)
        if kind >= 0:
            _keep(small, 4 * at + _KIND, _KIND_MASK, kind, _EQUAL, gate, j)
        if placed and place_of[p] >= -1:
            _keep(halves, 2 * at + _PLACE, _ALL, np.int64(place_of[p]), _EQUAL, gate, j)
        if acted and actor_of[p] >= -1:
            _keep(words, at + _ACTOR, _ALL, np.int64(actor_of[p]), _EQUAL, gate, j)
        if without != 0:
            _keep(halves, 2 * at + _TAGS, without, _NONE, _EQUAL, gate, j)
        if tags != 0:
            _keep(halves, 2 * at + _TAGS, tags, _NONE, _DIFFERENT, gate, j)
        if urgent != 0:
            _keep(halves, 2 * at + _TAGS, urgent, _NONE, _DIFFERENT, gate, j)
        if sign != 0:
            codes = np.uint64(4 * at + _VALENCE)
            for q in range(lanes(gate)):
                u = np.uint64(q)
                valence, value = _32(np.int8(small[codes + u])), gate[j + u]
                gate[j + u] = value if valence * _32(sign) > 0 else OUT


@inner
def _keep(column, begin, mask, number, equal, gate, j):  # type: ignore[no-untyped-def]
    """Exclude memories of a page unless the masked bits of a column equal a number, or differ."""
    values, bits, code = np.uint64(begin), _32(mask), _32(number)
    for q in range(lanes(gate)):
        u = np.uint64(q)
        value = gate[j + u]
        gate[j + u] = value if ((_32(column[values + u]) & bits) == code) == equal else OUT
