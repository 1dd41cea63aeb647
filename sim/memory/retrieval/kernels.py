"""The fast compiled pass: score and rank the memories of a range of agents.

For each agent the pages are read once into scratch rows (relevance, continuation, the values of
the named actor and date, and the sum of recency and importance), padded at both ends so that
neighbours need no edge cases. A second loop without branches completes the score, a third marks
memories that the filter excludes, and the k best are kept by insertion, newest first. Scratch
rows are allocated once per call, not once per agent.

No loop holds the interpreter lock, and rows are independent: threads take ranges of rows.
"""

import numpy as np
from numba import njit

from memopolis.sim.chance_kernels import uniform_one
from memopolis.sim.memory.retrieval.filter import ALWAYS
from memopolis.sim.memory.retrieval.terms.relevance import (
    add_relevance,
    fill_continues,
    fill_cues,
    fill_own,
)
from memopolis.sim.memory.retrieval.terms.term import LEAD
from memopolis.sim.memory.streams.encoding import KIND_BITS
from memopolis.sim.memory.streams.layout import FORGOTTEN, OFFSETS, PAGE, PAGE_BYTES, PAGE_WORDS
from memopolis.sim.memory.streams.prefetch_kernels import prefetch

_TEXT = OFFSETS["text"] // 4
_ACCESSED = OFFSETS["accessed"] // 4
_TIME = OFFSETS["time"] // 4
_ACTOR = OFFSETS["actor"] // 4
_IMPORTANCE = OFFSETS["importance"]
_KIND = OFFSETS["kind"]
_TOPIC = OFFSETS["topic"]
_EMOTION = OFFSETS["emotion"]
_VALENCE = OFFSETS["valence"]
_PLACE = OFFSETS["place"] // 2
_TAGS = OFFSETS["tags"] // 2

# The product of two int32 is an int64 to numba: cut back at each step, so that loops vectorise.
_32 = np.int32

OUT = np.float32(-np.inf)

_FIRST_TICK, _LAST_TICK = ALWAYS

# The pages of agents are scattered, so they are prefetched: the first four while the agent before
# is scored, and each later one four pages ahead.
_AHEAD = 4
_LINE = 16
"""Words of a line of the cache."""
_SCORED = OFFSETS["kind"] // 4 + PAGE // 4
"""Words of a page that recency, importance and neighbours read."""
_CUED = _TIME + PAGE
"""Words of a page that the named actor and date read, too."""


@njit(cache=True, nogil=True)
def _prefetch_page(view, row, page, cued):  # type: ignore[no-untyped-def]
    """Prefetch the part of a page that scoring reads."""
    table, words, _, _ = view
    at = np.int64(table[row, page % table.shape[1]]) * PAGE_WORDS
    length = _CUED if cued else _SCORED
    for word in range(0, length, _LINE):
        prefetch(words, at + word)  # type: ignore[call-arg]
    # Pages do not begin where lines begin.
    prefetch(words, at + length - 1)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def _prefetch_agent(view, row, following, limit, cued):  # type: ignore[no-untyped-def]
    """Prefetch the oldest pages of an agent."""
    stop = np.int64(following[row])
    first = max(stop - limit, 0) // PAGE
    for page in range(first, min(first + _AHEAD, (stop + PAGE - 1) // PAGE)):
        _prefetch_page(view, row, page, cued)


@njit(cache=True, nogil=True)
def _base(view, row, first, stop, plan, text, score):  # type: ignore[no-untyped-def]
    """Fill text numbers and the sum of recency and importance, `OUT` for forgotten memories."""
    table, words, _, small = view
    now, column, recency, importance, w0, w1, _, cued, _, _, _, forgets = plan
    width = table.shape[1]
    oldest = np.int32(len(recency) - 1)
    pages_end = (stop + PAGE - 1) // PAGE
    for page in range(first // PAGE, pages_end):
        if page + _AHEAD < pages_end:
            _prefetch_page(view, row, page + _AHEAD, cued)
        at = np.int64(table[row, page % width])
        j = LEAD + page * PAGE - first
        texts = words[at * PAGE_WORDS + _TEXT :]
        since = words[at * PAGE_WORDS + column :]
        codes = small[at * PAGE_BYTES + _IMPORTANCE :]
        text_out = text[j:]
        score_out = score[j:]
        for q in range(PAGE):
            text_out[q] = texts[q]
        for q in range(PAGE):
            age = min(max(_32(now - since[q]), _32(0)), oldest)
            score_out[q] = recency[age] * w0 + importance[codes[q]] * w1
        if forgets:
            _keep(small, at * PAGE_BYTES + _KIND, FORGOTTEN, 0, score_out)


@njit(cache=True, nogil=True)
def exclude(view, p, row, first, stop, filters, score):  # type: ignore[no-untyped-def]
    """Exclude memories that do not pass the filter, in one short loop per condition."""
    table, words, halves, small = view
    topic, kind, emotion, tick0, tick1, tags, urgent, without, sign = filters[:9]
    forgets, placed, acted, place_of, actor_of = filters[9:]
    early, late = _32(tick0), _32(tick1)
    timed = early > _FIRST_TICK or late < _LAST_TICK
    width = table.shape[1]
    for page in range(first // PAGE, (stop + PAGE - 1) // PAGE):
        at = np.int64(table[row, page % width])
        out = score[LEAD + page * PAGE - first :]
        if timed:
            times = words[at * PAGE_WORDS + _TIME :]
            for q in range(PAGE):
                out[q] = out[q] if (times[q] >= early) & (times[q] <= late) else OUT
        if topic >= 0:
            _keep(small, at * PAGE_BYTES + _TOPIC, 255, topic, out)
        if emotion >= 0:
            _keep(small, at * PAGE_BYTES + _EMOTION, 255, emotion, out)
        if kind >= 0 or forgets:
            mask = (KIND_BITS if kind >= 0 else 0) | (FORGOTTEN if forgets else 0)
            _keep(small, at * PAGE_BYTES + _KIND, mask, max(kind, 0), out)
        if placed and place_of[p] >= -1:
            _keep(halves, at * 2 * PAGE_WORDS + _PLACE, -1, place_of[p], out)
        if acted and actor_of[p] >= -1:
            _keep(words, at * PAGE_WORDS + _ACTOR, -1, actor_of[p], out)
        if without != 0:
            _keep(halves, at * 2 * PAGE_WORDS + _TAGS, without, 0, out)
        if tags != 0:
            _drop(halves, at * 2 * PAGE_WORDS + _TAGS, tags, out)
        if urgent != 0:
            _drop(halves, at * 2 * PAGE_WORDS + _TAGS, urgent, out)
        if sign != 0:
            codes = small[at * PAGE_BYTES + _VALENCE :]
            for q in range(PAGE):
                out[q] = out[q] if _32(np.int8(codes[q])) * _32(sign) > 0 else OUT


@njit(cache=True, nogil=True)
def _keep(column, begin, mask, number, out):  # type: ignore[no-untyped-def]
    """Keep the memories of a page if the masked bits of a column equal a number."""
    values = column[begin:]
    bits, code = _32(mask), _32(number)
    for q in range(PAGE):
        out[q] = out[q] if (_32(values[q]) & bits) == code else OUT


@njit(cache=True, nogil=True)
def _drop(column, begin, mask, out):  # type: ignore[no-untyped-def]
    """Drop the memories of a page if none of the bits of a mask is set."""
    values = column[begin:]
    bits = _32(mask)
    for q in range(PAGE):
        out[q] = out[q] if (_32(values[q]) & bits) != 0 else OUT


@njit(cache=True, nogil=True)
def _accessed(view, row, i):  # type: ignore[no-untyped-def]
    table, words, _, _ = view
    at = np.int64(table[row, (i // PAGE) % table.shape[1]])
    return words[at * PAGE_WORDS + _ACCESSED + i % PAGE]


@njit(cache=True, nogil=True)
def keep_best(view, row, first, n, score, ids, values, recent):  # type: ignore[no-untyped-def]
    """Keep the k best by insertion; ties go to the later access, then to the higher id."""
    k = len(ids)
    count = 0
    lowest = OUT
    high = LEAD + n
    while high > LEAD:
        low = max(LEAD, high - PAGE)
        part = score[low:high]
        above = 0
        for q in range(len(part)):
            above += int(part[q] >= lowest)
        if above > 0:
            for q in range(high - 1, low - 1, -1):
                s = score[q]
                if s < lowest or s == OUT:
                    continue
                i = first + q - LEAD
                access = _accessed(view, row, i)
                place = min(count, k - 1)
                if count == k and s == lowest and access <= recent[place]:
                    continue
                while place > 0 and (
                    values[place - 1] < s or (values[place - 1] == s and recent[place - 1] < access)
                ):
                    values[place] = values[place - 1]
                    ids[place] = ids[place - 1]
                    recent[place] = recent[place - 1]
                    place -= 1
                values[place] = s
                ids[place] = i
                recent[place] = access
                count = min(count + 1, k)
                if count == k:
                    lowest = values[k - 1]
        high = low


@njit(cache=True, nogil=True)
def _draw(row, first, n, now, key, score):  # type: ignore[no-untyped-def]
    """Replace the score by random draws."""
    for q in range(n):
        score[LEAD + q] = np.float32(uniform_one(key[0], key[1], row, now, first + q))


@njit(cache=True, nogil=True)
def _longest(begin, end, rows, following, limit):  # type: ignore[no-untyped-def]
    longest = np.int64(0)
    for p in range(begin, end):
        longest = max(longest, following[rows[p]])
    return min(longest, limit)


@njit(cache=True, nogil=True)
def search(  # type: ignore[no-untyped-def]
    begin, end, rows, following, limit, view, query, source, plan, w2, shares,
    filtered, filters, drawn, key, ids, values,
):  # fmt: skip
    """Search the memories of `rows[begin:end]`.

    Args:
        begin: First index into `rows`.
        end: Index after the last.
        rows: Rows of agents, int64, shape (n,).
        following: Id of each agent's next memory, int32, shape (agents,).
        limit: Maximum number of memories per agent.
        view: Page table of the streams, and their pages as words, half words and bytes.
        query: Row of `source` of each agent's query, int32, shape (n,).
        source: Table R[query, text], uint16, or `Pairs` to compute R of each memory.
        plan: now, word where recency's column begins, recency table, importance table, their
            two weights, whether neighbours, actor or date count, whether actor or date count,
            the named actor and first and last tick of the named date, int32, each of shape
            (n,), and whether any memory was forgotten, unless `filters` apply.
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
    length = _longest(begin, end, rows, following, limit) + 2 * LEAD
    text = np.zeros(length, np.int32)
    on = np.zeros(length, np.int32)
    cue = np.zeros(length, np.int32)
    score = np.zeros(length, np.float32)
    relevance = np.zeros(length, np.int32)
    recent = np.zeros(ids.shape[1], np.int32)
    full, cued = plan[6], plan[7]
    for p in range(begin, end):
        row = rows[p]
        stop = np.int64(following[row])
        first = max(stop - limit, 0)
        n = stop - first
        if p + 1 < end:
            _prefetch_agent(view, rows[p + 1], following, limit, cued)
        _base(view, row, first, stop, plan, text, score)
        if full:
            fill_continues(view, row, first, stop, on)
        if cued:
            fill_cues(view, row, first, stop, plan[8][p], plan[9][p], plan[10][p], shares, cue)
        if drawn:
            _draw(row, first, n, plan[0], key, score)
        else:
            fill_own(source, query[p], text, LEAD, n + LEAD, relevance)  # type: ignore[no-untyped-call]
            add_relevance(n, relevance, on, cue, score, w2, full, shares)
        if filtered:
            exclude(view, p, row, first, stop, filters, score)
        keep_best(view, row, first, n, score, ids[p], values[p], recent)


@njit(cache=True, nogil=True)
def draws(rows, tick, ids, key):  # type: ignore[no-untyped-def]
    """Draw one uniform number per memory, as the random policy does, float32."""
    out = np.empty(len(rows), np.float32)
    for i in range(len(rows)):
        out[i] = np.float32(uniform_one(key[0], key[1], rows[i], tick, ids[i]))
    return out
