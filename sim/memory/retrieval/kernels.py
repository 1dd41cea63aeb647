"""The fast compiled pass: score and rank the memories of a range of agents.

For each agent the pages are read once into scratch rows (relevance, continuation, the values of
the named actor and date, and the sum of recency and importance), padded at both ends so that
neighbours need no edge cases. A second loop without branches completes the score, a third marks
memories that the filter excludes, and those above a bound are ranked. Scratch
rows are allocated once per call, not once per agent.

No loop holds the interpreter lock, and rows are independent: threads take ranges of rows.
"""

from functools import partial

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.extending import intrinsic

from memopolis.sim.chance_kernels import uniform_one
from memopolis.sim.memory.retrieval.filter import ALWAYS
from memopolis.sim.memory.retrieval.terms.relevance import (
    add_relevance,
    fill_cues,
    fill_own,
    is_cued,
    scratch_of,
)
from memopolis.sim.memory.retrieval.terms.term import LEAD
from memopolis.sim.memory.streams.encoding import KIND_BITS
from memopolis.sim.memory.streams.layout import OFFSETS, PAGE, places
from memopolis.sim.memory.streams.prefetch_kernels import LINE, first_word, lanes, prefetch_early

_TEXT, _ACCESSED, _TIME, _ACTOR = places("text", "accessed", "time", "actor")
_IMPORTANCE, _KIND, _TOPIC, _EMOTION = places("importance", "kind", "topic", "emotion")
_VALENCE, _PLACE, _TAGS, _ID = places("valence", "place", "tags", "id")

# The product of two int32 is an int64 to numba: cut back at each step, so that loops vectorise.
# Indices are unsigned for the same reason; views of arrays would count references, in atomic steps.
# A value is read before the condition that may replace it, for the same reason.
# Functions are inlined, since a call takes longer than some loops: it copies all fields of arrays.
_32 = np.int32
OUT = np.float32(-np.inf)
_LEAST = np.finfo(np.float32).min
_0, _HALF, _1 = np.float32(0), np.float32(0.5), np.float32(1)
_HALVINGS, _SPARE, _HIGHEST = 12, 3, np.float32(1024)
_GROUPS_PER_RESULT = 3  # with more groups, fewer memories beyond the k best reach the bound
_FIRST_TICK, _LAST_TICK = ALWAYS
BITS = 64  # memories whose comparisons with a bound are in one word
_FEW = 64  # greatest number of memories that are compared in pairs
LANES = 16  # keys that are compared at once
_NO_KEY = np.int64(-(2**63))
_BELOW_SIGN = np.int32(2**31 - 1)  # reverses the order of the bits of negative scores
# The pages of agents are scattered, so they are prefetched while the agent before is scored.
AHEAD = 4  # pages by which an agent that has none before it prefetches its own
_SOON = 3  # agents by which the places of an agent's pages are prefetched
# Words of a page that recency, importance and neighbours read.
SCORED = OFFSETS["kind"] // 4 + PAGE // 4
CUED = _TIME + PAGE  # words of a page that the named actor and date read, too


@njit(cache=True, nogil=True, inline="always")
def prefetch_pages(view, row, begin, end, length):  # type: ignore[no-untyped-def]
    """Prefetch the first words of some pages of an agent, which scoring reads."""
    table, words, _, _ = view
    for page in range(begin, end):
        at = first_word(table, row, page)
        for word in range(0, length, LINE):
            prefetch_early(words, at + word)  # type: ignore[call-arg]
        # Pages do not begin where lines begin.
        prefetch_early(words, at + length - 1)  # type: ignore[call-arg]


@njit(cache=True, nogil=True, inline="always")
def fill_base(  # type: ignore[no-untyped-def]
    view, row, first, count, now, column, recency, step, w0, w1, text, age, score, on
):  # fmt: skip
    """Fill text numbers, the sum of recency and importance, and which memories continue others.

    `on` is -1 where a memory continues the one before. `age` is scratch.
    """
    table, words, halves, small = view
    oldest, size = np.int32(len(recency) - 1), lanes(score)
    begin, end = first // PAGE, (count + PAGE - 1) // PAGE
    for page in range(begin, end):
        at = first_word(table, row, page)
        j = np.uint64(LEAD + page * PAGE - first)
        texts, since = np.uint64(at + _TEXT), np.uint64(at + column)
        for q in range(size):
            u = np.uint64(q)
            text[j + u] = words[texts + u]
            age[j + u] = min(max(_32(now - words[since + u]), _32(0)), oldest)
        codes, kinds = np.uint64(2 * at + _IMPORTANCE), np.uint64(4 * at + _KIND)
        for q in range(size):
            u = np.uint64(q)
            on[j + u] = -_32(_32(small[kinds + u]) >> _32(7))
            score[j + u] = np.float32(halves[codes + u]) * step * w1
    # After all pages: to load a vector of values that were just stored one by one is slow.
    for page in range(begin, end):
        j = np.uint64(LEAD + page * PAGE - first)
        for q in range(PAGE):
            u = j + np.uint64(q)
            score[u] = recency[np.uint64(age[u])] * w0 + score[u]


@njit(cache=True, nogil=True, inline="always")
def _skip_pages(view, row, count, early):  # type: ignore[no-untyped-def]
    """Return the index where the oldest page with a memory from a tick on begins, if in order."""
    table, words, _, _ = view
    page = max(count - 1, 0) // PAGE
    while page > 0 and words[first_word(table, row, page) + _TIME] >= early:
        page -= 1
    return page * PAGE


@njit(cache=True, nogil=True, inline="always")
def exclude(view, p, row, first, count, filters, score):  # type: ignore[no-untyped-def]
    """Exclude memories that do not pass the filter, in one short loop per condition."""
    table, words, halves, small = view
    topic, kind, emotion, tick0, tick1, tags, urgent, without, sign = filters[:9]
    placed, acted, place_of, actor_of = filters[9:]
    early, late = _32(tick0), _32(tick1)
    timed = early > _FIRST_TICK or late < _LAST_TICK
    for page in range(first // PAGE, (count + PAGE - 1) // PAGE):
        at = first_word(table, row, page)
        j = np.uint64(LEAD + page * PAGE - first)
        if timed:
            times = np.uint64(at + _TIME)
            for q in range(lanes(score)):
                u = np.uint64(q)
                time, value = words[times + u], score[j + u]
                score[j + u] = value if (time >= early) & (time <= late) else OUT
        if topic >= 0:
            _keep(small, 4 * at + _TOPIC, 255, topic, score, j)
        if emotion >= 0:
            _keep(small, 4 * at + _EMOTION, 255, emotion, score, j)
        if kind >= 0:
            _keep(small, 4 * at + _KIND, KIND_BITS, kind, score, j)
        if placed and place_of[p] >= -1:
            _keep(halves, 2 * at + _PLACE, -1, place_of[p], score, j)
        if acted and actor_of[p] >= -1:
            _keep(words, at + _ACTOR, -1, actor_of[p], score, j)
        if without != 0:
            _keep(halves, 2 * at + _TAGS, without, 0, score, j)
        if tags != 0:
            _drop(halves, 2 * at + _TAGS, tags, score, j)
        if urgent != 0:
            _drop(halves, 2 * at + _TAGS, urgent, score, j)
        if sign != 0:
            codes = np.uint64(4 * at + _VALENCE)
            for q in range(lanes(score)):
                u = np.uint64(q)
                valence, value = _32(np.int8(small[codes + u])), score[j + u]
                score[j + u] = value if valence * _32(sign) > 0 else OUT


@njit(cache=True, nogil=True)
def _keep(column, begin, mask, number, score, j):  # type: ignore[no-untyped-def]
    """Keep the memories of a page if the masked bits of a column equal a number."""
    values, bits, code = np.uint64(begin), _32(mask), _32(number)
    for q in range(lanes(score)):
        u = np.uint64(q)
        value = score[j + u]
        score[j + u] = value if (_32(column[values + u]) & bits) == code else OUT


@njit(cache=True, nogil=True)
def _drop(column, begin, mask, score, j):  # type: ignore[no-untyped-def]
    """Drop the memories of a page if none of the bits of a mask is set."""
    values, bits = np.uint64(begin), _32(mask)
    for q in range(lanes(score)):
        u = np.uint64(q)
        value = score[j + u]
        score[j + u] = value if (_32(column[values + u]) & bits) != 0 else OUT


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
def _group(own, n, k, best):  # type: ignore[no-untyped-def]
    """Fill `best` with the best score of each group of memories, and return how many there are.

    Memories whose indices have the same remainder form a group. Where memories are few, each is a
    group of its own. Groups fill whole words.
    """
    groups = BITS
    while groups < _GROUPS_PER_RESULT * k:
        groups *= 2
    if 2 * groups > n:
        groups = (n + BITS - 1) // BITS * BITS
    for q in range(min(groups, n)):
        best[np.uint64(q)] = own[np.uint64(q)]
    for q in range(n, groups):
        best[np.uint64(q)] = OUT
    for begin in range(groups, n, BITS):
        # A constant number of scores is much faster.
        if begin + BITS <= n:
            _join(best, begin % groups, own, begin, BITS)
        else:
            _join(best, begin % groups, own, begin, n - begin)
    return groups


@njit(cache=True, nogil=True, inline="always")
def _join(best, to, own, begin, number):  # type: ignore[no-untyped-def]
    """Replace the best scores of groups from `to` on by scores from `begin` on that are better."""
    for q in range(number):
        u = np.uint64(to) + np.uint64(q)
        one, other = best[u], own[np.uint64(begin) + np.uint64(q)]
        best[u] = max(other, one)


@njit(cache=True, nogil=True, inline="always")
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
def _reached_last(own, begin, n, bound):  # type: ignore[no-untyped-def]
    """As `_reached`, for the last, fewer than `BITS` scores."""
    bits = np.uint64(0)
    for q in range(n - begin):
        u = np.uint64(q)
        bits |= np.uint64(own[np.uint64(begin) + u] >= bound) << u
    return bits


@njit(cache=True, nogil=True, inline="always")
def keep_best(view, row, first, n, score, ids, values, picked, best, keys):  # type: ignore[no-untyped-def]
    """Keep the k best; ties go to the later access, then to the higher id.

    Memories below a bound are left out first. If k groups reach a bound, so do k memories. Those
    that reach it are bits of words: a branch for each memory would be predicted wrongly, which
    costs more than reading a page. A key is the score, as a whole number in the same order, and
    the last access.

    `picked`, shape (3, n), int32, `best`, shape (n + BITS,), float32, and `keys`, shape
    (n + LANES,), int64, are scratch.
    """
    table, words, _, _ = view
    k = len(ids)
    own = score[LEAD : LEAD + n]
    bound = _bound(best, _group(own, n, k, best), k) if n > k else _LEAST
    left = 0
    for begin in range(0, n, BITS):
        if begin + BITS <= n:
            reached: np.uint64 = _reached(own, begin, bound)  # type: ignore[call-arg]
        else:
            reached = _reached_last(own, begin, n, bound)
        while reached != np.uint64(0):
            u, q = np.uint64(left), np.uint64(begin) + trailing_zeros(reached)  # type: ignore[call-arg]
            i = np.uint64(first) + q
            at = np.uint64(first_word(table, row, i // np.uint64(PAGE)) + _ACCESSED)
            score_bits = np.float32(own[q] + _0).view(np.int32)  # -0.0 becomes 0.0
            upper = np.int64(score_bits ^ ((score_bits >> _32(31)) & _BELOW_SIGN))
            keys[u] = (upper << 32) + words[at + i % np.uint64(PAGE)]
            picked[0, u] = q
            left += 1
            reached &= reached - np.uint64(1)
    count = min(left, k)
    if left <= _FEW:
        _rank(left, picked, keys)
    else:
        _insert(left, k, picked, keys)
    for c in range(count):
        u = np.uint64(picked[1, np.uint64(c)])
        values[np.uint64(c)] = own[u]
        i = np.uint64(first) + u
        at = np.uint64(first_word(table, row, i // np.uint64(PAGE)) + _ID)
        ids[np.uint64(c)] = words[at + i % np.uint64(PAGE)]


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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _draw(view, row, n, now, key, score):  # type: ignore[no-untyped-def]
    table, words, _, _ = view
    for q in range(n):
        number = words[first_word(table, row, q // PAGE) + _ID + q % PAGE]
        score[LEAD + q] = np.float32(uniform_one(key[0], key[1], row, now, number))


@njit(cache=True, nogil=True)
def _longest(begin, end, rows, counts):  # type: ignore[no-untyped-def]
    longest = np.int64(0)
    for p in range(begin, end):
        longest = max(longest, counts[rows[p]])
    return longest


@njit(cache=True, nogil=True)
def search(begin, end, rows, counts, view, query, source, *others):  # type: ignore[no-untyped-def]
    """Search the memories of `rows[begin:end]`; arguments as in `_search_rows`."""
    length = _longest(begin, end, rows, counts) + 2 * LEAD + BITS
    scratch = (
        np.zeros(length, np.int32), np.zeros(length, np.int32), np.zeros(length, np.int32),
        np.zeros(length, np.float32), np.zeros(length, np.int32), np.empty((3, length), np.int32),
        np.empty(length, np.float32), np.empty(length, np.int64),
    )  # fmt: skip
    pieces = scratch_of(source)  # type: ignore[no-untyped-call]
    _search_rows(scratch, pieces, begin, end, rows, counts, view, query, source, *others)


# Without reference counts of views, which are atomic: they took a tenth of a search.
@njit(cache=True, nogil=True, _nrt=False)  # type: ignore[call-overload]
def _search_rows(  # type: ignore[no-untyped-def]
    scratch, pieces, begin, end, rows, counts, view, query, source, plan, w2, shares,
    filtered, filters, drawn, key, ids, values,
):  # fmt: skip
    """Search the memories of `rows[begin:end]`.

    Args:
        scratch: Arrays longer than the longest stream.
        pieces: Scratch of `fill_own`.
        begin: First index into `rows`.
        end: Index after the last.
        rows: Rows of agents, int64, shape (n,).
        counts: Number of memories of each agent, int32, shape (agents,).
        view: Page table of the streams, and their pages as words, half words and bytes.
        query: Row of `source` of each agent's query, int32, shape (n,).
        source: Table R[query, text], uint16, or `Pairs` to compute R of each memory.
        plan: now, word where recency's column begins, recency table, importance of a code of 1,
            their two weights, whether neighbours, actor or date count, whether actor or date
            count, the named actors, int32, shape (n, w), first and last tick of the named
            date, int32, each of shape (n,), and the tick after which memories are in order.
        w2: Weight of relevance, float32.
        shares: Values of a neighbour one and two away, of the named actor and the named
            date, int32.
        filtered: Whether `filters` apply.
        filters: As from `EncodedFilter.packed`.
        drawn: Whether random draws replace the score.
        key: Key of the draws.
        ids: Result, int32 filled with -1, shape (n, k).
        values: Result, float32 filled with 0, shape (n, k).
    """
    text, on, cue, score, relevance, picked, best, keys = scratch
    now, column, recency, step, w0, w1, full, cued, named, date0, date1, unordered = plan
    early = _32(filters[3])
    # The relevance of a memory may depend on older ones.
    skips = early > unordered and not full
    for p in range(begin, end):
        row = rows[p]
        count, first = np.int64(counts[row]), np.int64(0)
        if skips:
            first = _skip_pages(view, row, count, early)
        n = count - first
        # Loops over whole pages and words have no remainder, which is slow.
        whole, padded = (n + PAGE - 1) // PAGE * PAGE, (n + BITS - 1) // BITS * BITS
        # The last agent prefetches its own pages.
        after, ahead = (p + 1, 0) if p + 1 < end else (p, AHEAD)
        soon = rows[min(p + _SOON, end - 1)]
        prefetch_early(view[0], soon * view[0].shape[1])  # type: ignore[call-arg]
        prefetch_early(counts, soon)
        count_after = np.int64(counts[rows[after]])
        page = np.int64(ahead)
        if skips:
            page = max(page, count_after // PAGE - 1)
        asks = cued and is_cued(named[after], date0[after], date1[after])
        size = CUED if asks or skips else SCORED
        prefetch_pages(view, rows[after], page, (count_after + PAGE - 1) // PAGE, size)
        fill_base(
            view, row, first, count, now, column, recency, step, w0, w1, text, relevance, score, on
        )
        if cued:
            fill_cues(view, row, count, named[p], date0[p], date1[p], shares, cue)
        if drawn:
            _draw(view, row, n, now, key, score)
        elif w2 > 0:
            fill_own(source, query[p], text, LEAD, n + LEAD, pieces, relevance)
            on[LEAD + n : LEAD + whole] = 0
            add_relevance(whole, relevance, on, cue, score, w2, full, shares)
        if filtered:
            exclude(view, p, row, first, count, filters, score)
        score[LEAD + n : LEAD + padded] = OUT
        keep_best(view, row, first, padded, score, ids[p], values[p], picked, best, keys)


@njit(cache=True, nogil=True)
def draws(rows, tick, ids, key):  # type: ignore[no-untyped-def]
    """Draw one uniform number per memory, as the random policy does, float32."""
    out = np.empty(len(rows), np.float32)
    for i in range(len(rows)):
        out[i] = np.float32(uniform_one(key[0], key[1], rows[i], tick, ids[i]))
    return out
