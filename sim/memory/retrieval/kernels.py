"""The compiled search: score and rank the memories of a range of agents, by any terms.

For each agent the pages are read once into scratch rows (text numbers, ages, importance, whether a
memory continues the one before). The steps of the score follow, one per term: each fills a row, and
adds it to the score with its weight. Recency, importance and relevance, which most profiles weigh,
are added without a row of their own. Terms that are rescaled or multiplied are combined after all
rows are filled. Finally the memories that
the filter excludes are marked, and the best are kept.

No loop holds the interpreter lock, and rows are independent: threads take ranges of agents.
"""

import numpy as np
from numba import njit

from memopolis.sim.chance_kernels import uniform_one
from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.retrieval.address_kernels import byte_at, single_at
from memopolis.sim.memory.retrieval.filter import ALWAYS
from memopolis.sim.memory.retrieval.ranking_kernels import BITS, OUT, keep_best
from memopolis.sim.memory.retrieval.terms import term as codes
from memopolis.sim.memory.retrieval.terms.coverage import ALL, NEAR, fill_coverage
from memopolis.sim.memory.retrieval.terms.relevance import (
    add_relevance,
    fill_answers,
    fill_cues,
    fill_own,
    is_cued,
)
from memopolis.sim.memory.retrieval.terms.strength import STEP
from memopolis.sim.memory.retrieval.terms.term import EDGE
from memopolis.sim.memory.retrieval.terms.text_table import fill_lent
from memopolis.sim.memory.streams.encoding import KIND_BITS
from memopolis.sim.memory.streams.layout import OFFSETS, PAGE, places
from memopolis.sim.memory.streams.page_kernels import LINE as CACHE_LINE
from memopolis.sim.memory.streams.page_kernels import first_word, lanes, prefetch_early
from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts

_TEXT, _TIME, _IMPORTANCE, _KIND, _ID = places("text", "time", "importance", "kind", "id")
_ACTOR, _TOPIC, _EMOTION, _VALENCE = places("actor", "topic", "emotion", "valence")
_PLACE, _TAGS = places("place", "tags")

# Numba widens the product of two int32 to int64: cut back at each step, so that loops vectorise.
# Indices are unsigned for the same reason; views of arrays would count references, in atomic steps.
# A value is read before the condition that may replace it, for the same reason.
# Functions are inlined, since a call takes longer than some loops: it copies all fields of arrays.
_32 = np.int32
_0, _HALF, _1 = np.float32(0), np.float32(0.5), np.float32(1)
# The pages of agents are scattered, so they are prefetched while the agent before is scored.
_AHEAD = 4  # pages by which an agent that has none before it prefetches its own
_SOON = 3  # agents by which the places of an agent's pages are prefetched
# Words of a page that recency, importance, neighbours and results read.
_SCORED = OFFSETS["id"] // 4 + PAGE
_CUED = _TIME + PAGE  # words of a page that the named actor and date read, too
_START = np.int64(0)  # a plain 0 would be a type of its own, and compile callees again
_FIRST_TICK, _LAST_TICK = ALWAYS
# Constants of one type: each plain number would be a type of its own, and compile `_keep` again.
_ALL, _BYTE, _KIND_MASK, _NONE = np.int64(-1), np.int64(255), np.int64(KIND_BITS), np.int64(0)
_EQUAL, _DIFFERENT = np.bool_(True), np.bool_(False)  # noqa: FBT003  no types of their own
INTEGERS, FLOATS = 8, 4  # scratch rows, besides those of M and of terms
TEXT, DECAY, FACTOR = range(3)  # roles of terms in a product


# Without reference counts of views, which are atomic: they took a tenth of a search.
@njit(cache=True, nogil=True, _nrt=False)  # type: ignore[call-overload]
def search(  # type: ignore[no-untyped-def]
    begin, end, rows, count, view, now, recency, scoring, sources, cues, extra, filters, draw,
    scratch, ids, slots, values,
):  # fmt: skip
    """Search the memories of `rows[begin:end]`.

    Args:
        begin: First index into `rows`.
        end: Index after the last.
        rows: Rows of agents, int64, shape (n,).
        count: Number of memories of each agent, int32, shape (agents,).
        view: Page table of the streams, and their pages as words, half words and bytes.
        now: Tick of the search.
        recency: Recency of each age in ticks, float32.
        scoring: A `plan.Scoring`.
        sources: As from `plan.Plan`.
        cues: As from `plan.Plan`.
        extra: Values of terms that are no code, float32, shape (terms, m), and where those of each
            agent begin, int64, shape (end - begin + 1,).
        filters: Whether a filter applies, the tick after which memories are in order of time, and
            numbers as from `EncodedFilter.packed`.
        draw: Whether random draws replace the score, and two words of their key.
        scratch: As from `plan.Plan.scratch`.
        ids: Result, best first, -1 where there are fewer, int32, shape (n, k).
        slots: Their slots, -1 where there are fewer, int64, shape (n, k).
        values: Their scores, 0 where there are fewer, float32, shape (n, k).
    """
    column, shares, full, cued, is_own_read, is_related, apart, rescaled, steps, weights = scoring
    query, lines, pairs = sources
    named, date0, date1 = cues
    separate, starts = extra
    filtered, unordered, conditions = filters
    drawn, key0, key1 = draw
    integers, floats, keys, matches, word_of = scratch
    text, age, on, own, cue = integers[0], integers[1], integers[2], integers[3], integers[4]
    picked, columns = integers[5:8], integers[INTEGERS:]
    base, score, gate, best = floats[0], floats[1], floats[2], floats[3]
    early, tick = _32(conditions[3]), _32(now)
    # The score of a memory may depend on older ones.
    skips = filtered and early > unordered and not is_related
    for p in range(begin, end):
        row = rows[p]
        stop = np.int64(count[row])
        first = _skip_pages(view, row, stop, early) if skips else np.int64(0)
        n = stop - first
        # Loops over whole pages and words have no remainder, which is slow.
        whole, padded = (n + PAGE - 1) // PAGE * PAGE, (n + BITS - 1) // BITS * BITS
        # The last agent prefetches its own pages.
        after, ahead = (p + 1, 0) if p + 1 < end else (p, _AHEAD)
        soon = rows[min(p + _SOON, end - 1)]
        prefetch_early(view[0], soon * view[0].shape[1])  # type: ignore[call-arg]
        prefetch_early(count, soon)
        stop_after = np.int64(count[rows[after]])
        page = max(ahead, stop_after // PAGE - 1) if skips else ahead
        c = after if len(named) > 1 else 0
        asks = cued and is_cued(named[c], date0[c], date1[c])
        size = _CUED if asks or skips else _SCORED
        _prefetch_pages(view, rows[after], page, (stop_after + PAGE - 1) // PAGE, size)

        oldest = len(recency) - 1
        _read_pages(
            view, row, first, stop, tick, column, oldest, weights[1, 0], text, age, base, on
        )  # fmt: skip
        on[EDGE] = 0
        on[EDGE + n] = 0
        if filtered or apart:
            gate[:whole] = _0
        if filtered:
            _exclude(view, p, row, first, stop, conditions, gate)
        if drawn:
            _draw(view, row, first, n, now, key0, key1, score)
        elif apart:
            score[:whole] = _0
        else:
            w0 = weights[0, 0]
            for q in range(whole):
                u = np.uint64(q)
                score[u] = recency[np.uint64(age[u])] * w0 + base[u]
        for q in range(n, whole):
            text[np.uint64(q)] = 0
        asked = query[p] if len(query) > 1 else query[0]
        own_line, match_line, pair_row = lines[0, asked], lines[1, asked], np.int64(lines[2, asked])
        if is_own_read or len(columns):
            missing = len(columns) > 0 and match_line == 0
            if missing or (is_own_read and own_line == 0):
                relevances_of_texts(pairs, pair_row, text, _START, n, word_of, matches, own[EDGE:])
            if is_own_read and own_line != 0:
                fill_own(own_line, text, whole, own[EDGE:])
            if len(columns):
                _fill_matches(pairs, pair_row, match_line, matches, text, n, columns)
        if cued:
            c = p if len(named) > 1 else 0
            fill_cues(view, row, first, stop, named[c], date0[c], date1[c], shares, cue[EDGE:])

        elif full:
            cue[EDGE : EDGE + n] = 0
        for s in range(len(steps)):
            code, slot, weight = steps[s, 0], steps[s, 1], weights[2 + s, 0]
            term = floats[FLOATS + s if apart else FLOATS]
            if code == codes.RELEVANCE:
                total = term if apart else score
                if apart:
                    term[:n] = _0
                    weight = _1
                add_relevance(n, own, on, cue, total, weight, full, shares)
                if not apart:
                    continue
            elif code == codes.RECENCY:
                for q in range(n):
                    term[q] = recency[np.uint64(age[q])]
            elif code == codes.IMPORTANCE:
                _copy(base, _START, n, term)
            elif code in (codes.WINDOW, codes.SESSION):
                reach = ALL if code == codes.SESSION else NEAR
                fill_coverage(pairs, pair_row, columns, on, n, reach, picked[0], picked[1], term)
            elif code == codes.ANSWER:
                fill_answers(own[EDGE:], lines[slot, asked], text, on[EDGE:], n, term)
            elif code == codes.LINE:
                _fill_line(lines[slot, asked], text, n, term)
            elif code == codes.LENT:
                _fill_line(lines[slot, asked], text, n, best)
                fill_lent(best, on[EDGE:], n, term)
            else:
                _copy(separate[slot], starts[p - begin] + first, n, term)
            if not apart:
                _add(term, weight, n, score)
        if apart and not drawn:
            _combine(steps, weights, n, gate, rescaled, floats[FLOATS:], score)
        if filtered:
            for q in range(n):
                value = score[q]
                score[q] = value if gate[q] == _0 else OUT
        score[n:padded] = OUT
        keep_best(view, row, first, padded, score, ids[p], slots[p], values[p], picked, best, keys)


@njit(cache=True, nogil=True, inline="always")
def _prefetch_pages(view, row, begin, end, length):  # type: ignore[no-untyped-def]
    """Prefetch the first words of some pages of an agent, which scoring reads."""
    table, words, _, _ = view
    for page in range(begin, end):
        at = first_word(table, row, page)
        for word in range(0, length, CACHE_LINE):
            prefetch_early(words, at + word)  # type: ignore[call-arg]
        # Pages do not begin where lines begin.
        prefetch_early(words, at + length - 1)  # type: ignore[call-arg]


@njit(cache=True, nogil=True, inline="always")
def _skip_pages(view, row, stop, early):  # type: ignore[no-untyped-def]
    """Return where the oldest page with a memory from a tick on begins, if in order of time."""
    table, words, _, _ = view
    page = max(stop - 1, 0) // PAGE
    while page > 0 and words[first_word(table, row, page) + _TIME] >= early:
        page -= 1
    return page * PAGE


@njit(cache=True, nogil=True, inline="always")
def _read_pages(  # type: ignore[no-untyped-def]
    view, row, first, stop, now, column, oldest, weight, text, age, base, on
):
    """Fill text numbers, ages, weighted importance, and which memories continue others."""
    table, words, halves, small = view
    most, size = _32(oldest), lanes(base)
    for page in range(first // PAGE, (stop + PAGE - 1) // PAGE):
        at = first_word(table, row, page)
        j = np.uint64(page * PAGE - first)
        texts, since = np.uint64(at + _TEXT), np.uint64(at + column)
        for q in range(size):
            u = np.uint64(q)
            text[j + u] = words[texts + u]
            age[j + u] = min(max(_32(now - words[since + u]), _32(0)), most)
        importances, kinds = np.uint64(2 * at + _IMPORTANCE), np.uint64(4 * at + _KIND)
        edge = j + np.uint64(EDGE)
        for q in range(size):
            u = np.uint64(q)
            on[edge + u] = -_32(_32(small[kinds + u]) >> _32(7))
            base[j + u] = np.float32(halves[importances + u]) * STEP * weight


@njit(cache=True, nogil=True, inline="always")
def _exclude(view, p, row, first, stop, filters, gate):  # type: ignore[no-untyped-def]
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
            valences = np.uint64(4 * at + _VALENCE)
            for q in range(lanes(gate)):
                u = np.uint64(q)
                valence, value = _32(np.int8(small[valences + u])), gate[j + u]
                gate[j + u] = value if valence * _32(sign) > 0 else OUT


@inner
def _keep(column, begin, mask, number, equal, gate, j):  # type: ignore[no-untyped-def]
    """Exclude memories of a page unless the masked bits of a column equal a number, or differ."""
    values, bits, code = np.uint64(begin), _32(mask), _32(number)
    for q in range(lanes(gate)):
        u = np.uint64(q)
        value = gate[j + u]
        gate[j + u] = value if ((_32(column[values + u]) & bits) == code) == equal else OUT


@inner
def _draw(view, row, first, n, now, key0, key1, score):  # type: ignore[no-untyped-def]
    """Draw the score of each memory, reproducibly by its id and the tick."""
    table, words, _, _ = view
    for q in range(n):
        at = first_word(table, row, (first + q) // PAGE) + _ID + q % PAGE
        score[q] = np.float32(uniform_one(key0, key1, row, now, words[at]))


@inner
def _fill_matches(pairs, pair_row, line, matches, text, n, columns):  # type: ignore[no-untyped-def]
    """Fill M of the pieces of a query, from the line of all texts or as computed by pairs."""
    width = pairs.first[pair_row + 1] - pairs.first[pair_row]
    for piece in range(width):
        column = columns[piece, EDGE:]
        if line != 0:
            for q in range(n):
                at = np.uint64(text[q]) * np.uint64(width) + np.uint64(piece)
                column[q] = byte_at(line, at)
        else:
            for q in range(n):
                column[q] = matches[q, piece]


@inner
def _copy(values, begin, n, term):  # type: ignore[no-untyped-def]
    """Fill a term with n values of a row from `begin` on."""
    own = values[begin:]
    for q in range(n):
        term[q] = own[q]


@inner
def _fill_line(line, text, n, term):  # type: ignore[no-untyped-def]
    """Fill a term that depends on the text alone."""
    for q in range(n):
        term[q] = single_at(line, np.uint64(text[q]))


@inner
def _add(term, weight, n, score):  # type: ignore[no-untyped-def]
    """Add a weighted term to the score; a missing value counts 0."""
    for q in range(n):
        value = _0 if np.isnan(term[q]) else term[q]
        score[q] = score[q] + value * weight


@inner
def _combine(steps, weights, n, gate, rescaled, terms, score):  # type: ignore[no-untyped-def]
    """Rescale or multiply the terms of an agent, which steps list in the order of their roles."""
    started = False
    for s in range(len(steps)):
        role, other, term = steps[s, 2], steps[s, 3], terms[s]
        if rescaled:
            _rescale(n, gate, term)
        for q in range(n):
            term[q] = _0 if np.isnan(term[q]) else term[q]
        if role != TEXT and not started and not rescaled:
            score[:n] = _1
        started = True
        weight, alone = weights[2 + s, 0], weights[2 + s, 1]
        if role == TEXT or rescaled:
            for q in range(n):
                own = alone if other >= 0 and not terms[max(other, 0), q] > _0 else weight
                score[q] = score[q] + term[q] * own
        elif role == DECAY:
            for q in range(n):
                score[q] = score[q] * term[q]
        else:
            for q in range(n):
                score[q] = score[q] * (_1 + (term[q] - _HALF) * weight)
    if not started and not rescaled:
        score[:n] = _1


@inner
def _rescale(n, gate, term):  # type: ignore[no-untyped-def]
    """Rescale a term to 0..1 over the memories that pass; missing values become 0."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    for q in range(n):
        if gate[q] == _0 and not np.isnan(term[q]):
            low = min(low, term[q])
            high = max(high, term[q])
    for q in range(n):
        x = term[q]
        if np.isnan(x) or gate[q] != _0:
            term[q] = _0
        elif low == high:
            term[q] = _HALF
        else:
            term[q] = (x - low) / (high - low)


@njit(cache=True, nogil=True)
def draws(rows, tick, ids, key):  # type: ignore[no-untyped-def]
    """Draw one uniform number per memory, as the random policy does, float32."""
    out = np.empty(len(rows), np.float32)
    for i in range(len(rows)):
        out[i] = np.float32(uniform_one(key[0], key[1], rows[i], tick, ids[i]))
    return out
