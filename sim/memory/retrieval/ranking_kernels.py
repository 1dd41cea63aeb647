"""Rank scores: the ids, slots and scores of the k best memories of an agent.

Memories below a bound are left out first. Comparisons of many scores with a bound become bits of
words, since a branch for each memory would be predicted wrongly, which costs more than reading a
page.
"""

from functools import partial

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.streams.layout import PAGE, PAGE_WORDS, places
from memopolis.sim.memory.streams.page_kernels import first_word
from memopolis.sim.numba_internals import ir, trailing_zeros

_ACCESSED, _ID = places("accessed", "id")
# Numba widens the product of two int32 to int64: cut back at each step, so that loops vectorise.
_32 = np.int32
OUT = np.float32(-np.inf)  # score of a memory that is left out
_LEAST = np.finfo(np.float32).min
_0, _HALF, _1 = np.float32(0), np.float32(0.5), np.float32(1)
_HALVINGS, _SPARE, _HIGHEST = 12, 3, np.float32(1024)
_GROUPS_PER_RESULT = 3  # with more groups, fewer memories beyond the k best reach the bound
BITS = 64  # memories whose comparisons with a bound are in one word
_FEW = 64  # greatest number of memories that are compared in pairs
LANES = 16  # keys that are compared at once
_NO_KEY = np.int64(-(2**63))
_BELOW_SIGN = np.int32(2**31 - 1)  # reverses the order of the bits of negative scores


def _compare(context, builder, signature, arguments, lanes):  # type: ignore[no-untyped-def]
    """Return which of some values of an array are at least another one, as bits of a number."""
    kind, word = signature.args[0].dtype, ir.IntType(32)
    values, begin, bound = arguments
    data = context.make_array(signature.args[0])(context, builder, values).data
    vector = ir.VectorType(context.get_value_type(kind), lanes)
    place = builder.bitcast(builder.gep(data, [begin]), vector.as_pointer())
    first = builder.insert_element(vector(ir.Undefined), bound, word(0))
    every = builder.shuffle_vector(first, first, ir.VectorType(word, lanes)([0] * lanes))
    is_float = isinstance(kind, types.Float)
    compare = builder.fcmp_ordered if is_float else builder.icmp_signed
    reach = compare(">=", builder.load(place, align=kind.bitwidth // 8), every)
    return builder.bitcast(reach, ir.IntType(lanes))


@intrinsic
def _reached(typing_context, scores, begin, bound):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Return which of `BITS` scores from `begin` on are at least a bound, as bits of a word."""
    signature = types.uint64(scores, types.intp, types.float32)
    return signature, partial(_compare, lanes=BITS)


@intrinsic
def _count(typing_context, values, begin, bound):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Count the `BITS` scores or `LANES` keys from `begin` on that are at least a bound."""
    lanes = BITS if isinstance(values.dtype, types.Float) else LANES

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        reach = _compare(context, builder, signature, arguments, lanes)  # type: ignore[no-untyped-call]
        return builder.zext(builder.ctpop(reach), ir.IntType(64))

    return types.int64(values, types.intp, values.dtype), generate


@njit(cache=True, nogil=True, inline="always")
def keep_best(  # type: ignore[no-untyped-def]
    view, row, first, n, score, ids, slots, values, picked, best, keys
):
    """Keep the k best memories; ties go to the later access, then to the later memory.

    If k groups of memories reach a bound, so do k memories. A key is the score, as a whole number
    in the same order, and the last access.

    Args:
        view: Page table of the streams, and their pages as words, half words and bytes.
        row: Row of the agent.
        first: Index of its memory with the first score, a multiple of `PAGE`.
        n: Number of scores, a multiple of `BITS`.
        score: Scores, `OUT` of memories that are left out or missing, float32.
        ids: Result, best first, -1 where there are fewer, int32, shape (k,).
        slots: Slots of the result, -1 where there are fewer, int64, shape (k,).
        values: Scores of the result, 0 where there are fewer, float32, shape (k,).
        picked: Scratch, int32, shape (3, n).
        best: Scratch, float32, shape (n + BITS,).
        keys: Scratch, int64, shape (n + LANES,).
    """
    table, words, _, _ = view
    k = len(ids)
    bound = _bound(best, _group(score, n, k, best), k) if n > k else _LEAST
    left: np.int64 = np.int64(0)
    for begin in range(0, n, BITS):
        reached: np.uint64 = _reached(score, begin, bound)  # type: ignore[call-arg]
        while reached != np.uint64(0):
            u, q = np.uint64(left), np.uint64(begin) + trailing_zeros(reached)
            i = np.uint64(first) + q
            at = np.uint64(first_word(table, row, i // np.uint64(PAGE)) + _ACCESSED)
            score_bits = np.float32(score[q] + _0).view(np.int32)  # -0.0 becomes 0.0
            upper = np.int64(score_bits ^ ((score_bits >> _32(31)) & _BELOW_SIGN))
            keys[u] = (upper << 32) + words[at + i % np.uint64(PAGE)]
            picked[0, u] = q
            left += 1
            reached &= reached - np.uint64(1)
    count: np.int64 = min(left, np.int64(k))
    if left <= _FEW:
        _rank(left, picked, keys)
    else:
        _insert(left, k, picked, keys)
    for c in range(count):
        q = np.uint64(picked[1, np.uint64(c)])
        i = np.uint64(first) + q
        page = np.uint64(table[row, i // np.uint64(PAGE)])
        at = page * np.uint64(PAGE_WORDS) + np.uint64(_ID)
        values[np.uint64(c)] = score[q]
        ids[np.uint64(c)] = words[at + i % np.uint64(PAGE)]
        slots[np.uint64(c)] = page * np.uint64(PAGE) + i % np.uint64(PAGE)
    for c in range(count, k):
        ids[np.uint64(c)], slots[np.uint64(c)], values[np.uint64(c)] = -1, -1, _0


@njit(cache=True, nogil=True, inline="always")
def _group(score, n, k, best):  # type: ignore[no-untyped-def]
    """Fill `best` with the best score of each group of memories, and return how many there are.

    Memories whose indices have the same remainder form a group. Where memories are few, each is a
    group of its own. Groups fill whole words.
    """
    groups = BITS
    while groups < _GROUPS_PER_RESULT * k:
        groups *= 2
    if 2 * groups > n:
        groups = n
    for q in range(groups):
        best[np.uint64(q)] = score[np.uint64(q)]
    for begin in range(groups, n, BITS):
        to = begin % groups
        for q in range(BITS):
            u = np.uint64(to) + np.uint64(q)
            one, other = best[u], score[np.uint64(begin) + np.uint64(q)]
            best[u] = max(other, one)
    return groups


@inner
def _reach(score, n, bound):  # type: ignore[no-untyped-def]
    """Count the scores that are at least a bound."""
    count = _32(0)
    for begin in range(0, n, BITS):
        count = _32(count + _count(score, begin, bound))  # type: ignore[call-arg]
    return count


@njit(cache=True, nogil=True, inline="always")
def _bound(score, n, k):  # type: ignore[no-untyped-def]
    """Return a number that at least k scores reach, and few others."""
    if _reach(score, n, _0) < k:
        return _LEAST
    low, high = _0, _1
    while _reach(score, n, high) >= k and high < _HIGHEST:
        low, high = high, high + high
    for _ in range(_HALVINGS):
        middle = (low + high) * _HALF
        count = _reach(score, n, middle)
        if count < k:
            high = middle
        else:
            low = middle
            if count <= k + _SPARE:
                break
    return low


@njit(cache=True, nogil=True, inline="always")
def _rank(count, picked, keys):  # type: ignore[no-untyped-def]
    """Write the indices of few memories to `picked[1]`, best first, without branches."""
    for c in range(LANES):
        keys[np.uint64(count + c)] = _NO_KEY
    for c in range(count):
        picked[2, np.uint64(c)] = 0
    for c in range(count):
        key, rank = keys[np.uint64(c)], _32(-1)
        for begin in range(0, count, LANES):
            rank = _32(rank + _count(keys, begin, key))  # type: ignore[call-arg]
        # Memories with equal keys share a rank, the last one of theirs; higher ids precede.
        equal = picked[2, np.uint64(rank)]
        picked[2, np.uint64(rank)] = equal + 1
        picked[1, np.uint64(rank - equal)] = picked[0, np.uint64(c)]


@inner
def _insert(count, k, picked, keys):  # type: ignore[no-untyped-def]
    """Write the indices of the k best of many memories to `picked[1]`, best first."""
    for c in range(count):
        key, place = keys[c], min(c, k)
        while place > 0 and key >= keys[place - 1]:
            keys[place] = keys[place - 1]
            picked[1, place] = picked[1, place - 1]
            place -= 1
        keys[place] = key
        picked[1, place] = picked[0, c]
