"""Find, decode and prefetch memories, which are in scattered pages, in compiled loops."""

from functools import partial

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from memopolis.sim.memory.streams.layout import (
    CODE_OF_ONE,
    COLUMNS,
    OFFSETS,
    PAGE,
    PAGE_BYTES,
    PAGE_WORDS,
    places,
)
from memopolis.sim.numba_internals import cgutils, ir

LINE = 16  # words of a line of the cache
_IMPORTANCE, _CONFIDENCE, _VALENCE, _TIME = places("importance", "confidence", "valence", "time")
_IMPORTANT, _CERTAIN, _PLEASANT = (
    np.float32(CODE_OF_ONE[name]) for name in ("importance", "confidence", "valence")
)
AGENTS_AHEAD = 8  # agents by which recalled memories are prefetched, since pages are scattered


@intrinsic
def prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Ask for `array[index]` to be brought into the cache; changes nothing else."""
    return types.void(array, types.intp), partial(_generate, 3)


@intrinsic
def prefetch_early(typing_context, array, index):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Prefetch into the second level of the cache; filling the first would delay other loads."""
    return types.void(array, types.intp), partial(_generate, 2)


def _generate(locality, context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    place = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
    word = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
    function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
        builder.module, kind, "llvm.prefetch.p0"
    )
    # Read, the locality, data.
    builder.call(function, [place, word(0), word(locality), word(1)])
    return context.get_dummy_value()


@njit(cache=True, nogil=True, inline="always")
def first_word(table, row, page):  # type: ignore[no-untyped-def]
    """Return where a page of an agent begins, by its number among the pages of the agent."""
    return np.int64(table[row, np.uint64(page)]) * PAGE_WORDS


@njit(cache=True, nogil=True, inline="always")
def lanes(values):  # type: ignore[no-untyped-def]
    """Return PAGE, which LLVM knows only as a bound, so that it vectorises without unrolling."""
    return min(PAGE, len(values))


@njit(cache=True, nogil=True, inline="always")
def slot_at(table, row, i):  # type: ignore[no-untyped-def]
    """Return the slot of memory i of an agent."""
    index = np.uint64(i)
    page = np.int64(table[row, index // np.uint64(PAGE)])
    return page * PAGE + np.int64(index % np.uint64(PAGE))


@njit(cache=True, nogil=True, inline="always")
def word_of(slot):  # type: ignore[no-untyped-def]
    """Return where the first word of a memory is."""
    return slot // PAGE * PAGE_WORDS + slot % PAGE


@njit(cache=True, nogil=True, inline="always")
def half_of(slot):  # type: ignore[no-untyped-def]
    """Return where the first half word of a memory is."""
    return slot // PAGE * (PAGE_BYTES // 2) + slot % PAGE


@njit(cache=True, nogil=True, inline="always")
def byte_of(slot):  # type: ignore[no-untyped-def]
    """Return where the first byte of a memory is."""
    return slot // PAGE * PAGE_BYTES + slot % PAGE


@njit(cache=True, nogil=True, inline="always")
def importance_of(halves, slot):  # type: ignore[no-untyped-def]
    """Return the importance of a memory, float32, 0..1."""
    return np.float32(halves[half_of(slot) + _IMPORTANCE]) / _IMPORTANT


@njit(cache=True, nogil=True, inline="always")
def confidence_of(small, slot):  # type: ignore[no-untyped-def]
    """Return the confidence of a memory, float32, 0..1."""
    return np.float32(small[byte_of(slot) + _CONFIDENCE]) / _CERTAIN


@njit(cache=True, nogil=True, inline="always")
def valence_of(words, small, slot, now, left):  # type: ignore[no-untyped-def]
    """Return the valence of a memory, float32, -1..1, of which a share is left.

    `now` and `left` are those of a `Fading`: unpacked here, references would be counted.
    """
    stored = np.float32(np.int8(small[byte_of(slot) + _VALENCE])) / _PLEASANT
    age = max(np.int64(now) - np.int64(words[word_of(slot) + _TIME]), 0)
    age = min(age, left.shape[1] - 1)
    return stored * left[np.uint64(stored > 0), np.uint64(age)]


@njit(cache=True, nogil=True)
def prefetch_stream(view, count, row):  # type: ignore[no-untyped-def]
    """Prefetch all memories of an agent into the second level of the cache."""
    table, words, _, _ = view
    for page in range((np.int64(count[row]) + PAGE - 1) // PAGE):
        at = first_word(table, row, page)
        for word in range(0, PAGE_WORDS, LINE):
            prefetch_early(words, at + word)  # type: ignore[call-arg]


def strides(*names: str) -> tuple[tuple[int, int], ...]:
    """Return where columns begin in a page, and the size of their values, in bytes."""
    return tuple((OFFSETS[name], COLUMNS[name].itemsize) for name in names)


@njit(cache=True, nogil=True)
def prefetch_values(words, slots, columns):  # type: ignore[no-untyped-def]
    """Prefetch the values of some columns, given by `strides`, of memories, -1 for none."""
    for slot in slots:
        page, q = max(slot, 0) // PAGE, max(slot, 0) % PAGE
        for begin, size in columns:
            prefetch(words, (page * PAGE_BYTES + begin + q * size) // 4)  # type: ignore[call-arg]
