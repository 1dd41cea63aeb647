"""Prefetch parts of arrays in compiled loops that read memories in scattered pages."""

from functools import partial

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from memopolis.sim.memory.streams.layout import COLUMNS, OFFSETS, PAGE, PAGE_BYTES, PAGE_WORDS

LINE = 16  # words of a line of the cache
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
