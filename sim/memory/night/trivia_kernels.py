"""A compiled pass over whole streams: trivial memories and their exact repeats."""

import numpy as np
from numba import njit

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.night.replay_kernels import strength_at
from memopolis.sim.memory.streams.layout import CONTINUES, PAGE, PAGE_BYTES, PAGE_WORDS, places
from memopolis.sim.memory.streams.prefetch_kernels import (
    first_word,
    prefetch_early,
    prefetch_stream,
)
from memopolis.sim.memory.streams.slot_kernels import byte_of, half_of, word_of

_ACCESSED, _TAGS, _KIND, _ACCESSES, _TIME = places("accessed", "tags", "kind", "accesses", "time")
_VALENCE, _CONFIDENCE, _TEXT, _ACTOR = places("valence", "confidence", "text", "actor")
_PLACE, _IMPORTANCE, _TOPIC, _EMOTION = places("place", "importance", "topic", "emotion")
(_ID,) = places("id")
_PAGE = np.int64(PAGE)
_CONTINUES = np.uint8(CONTINUES)
_UKIND, _UIMPORTANCE, _UEMOTION = map(np.uint64, (_KIND, _IMPORTANCE, _EMOTION))
_LATE = np.int64(2**62)  # later than any tick


@inner
def _find_trivial(  # type: ignore[no-untyped-def]
    view, occasions, row, stop, limits, strength, ids, slots, minor
):
    """Find the trivial memories of an agent, newest first; return their number.

    The loop over all memories has no branches, and unsigned indices, which need no check. `minor`
    is scratch for the memories of a page.
    """
    table, words, halves, small = view
    times, spans = occasions
    count = 0
    continued = np.uint8(0)
    for page in range((stop - 1) // PAGE, -1, -1):
        at = first_word(table, row, page) // PAGE_WORDS
        if len(times):
            prefetch_early(times, at * PAGE)  # type: ignore[call-arg]
            prefetch_early(spans, at * PAGE)
        matches = np.uint64(0)
        for q in range(min(stop - page * PAGE, _PAGE) - 1, -1, -1):
            byte, half = np.uint64(at * PAGE_BYTES + q), np.uint64(at * (PAGE_BYTES // 2) + q)
            kind = small[byte + _UKIND]
            # Neither a thought, nor a memory that continues another one.
            other = kind | continued | small[byte + _UEMOTION]
            minor[matches] = q
            is_minor = halves[half + _UIMPORTANCE] <= limits.importance
            matches += np.uint64((other == 0) & is_minor)
            continued = kind & _CONTINUES
        for q in minor[:matches]:
            ids[count], slots[count] = words[at * PAGE_WORDS + q + _ID], at * PAGE + q
            count += int(strength_at(view, at, q, strength) < limits.emotion)
    return count


@inner
def _leave_out(keys, p, ids, slots, n):  # type: ignore[no-untyped-def]
    """Remove memories of an agent whose keys are among sorted ones; return how many remain."""
    left = 0
    for k in range(n):
        key = p << 32 | ids[k]
        at = np.searchsorted(keys, key)
        ids[left], slots[left] = ids[k], slots[k]
        left += int(at == len(keys) or keys[at] != key)
    return left


@inner
def _group(words, halves, small, slots, newest, cells, stamps, stamp):  # type: ignore[no-untyped-def]
    """Find the newest of the memories with the same topic, text, actor and place, by index.

    `cells` and `stamps` are a hash table, whose size is a power of two above the number of
    memories: the index of a memory, and the agent that filled the cell.
    """
    for k in range(len(slots)):
        text, actor = words[word_of(slots[k]) + _TEXT], words[word_of(slots[k]) + _ACTOR]
        place, topic = halves[half_of(slots[k]) + _PLACE], small[byte_of(slots[k]) + _TOPIC]
        mixed = np.int64(text) * 2_654_435_761 + np.int64(actor) * 40_503 + np.int64(place) * 97
        mixed += np.int64(topic)
        cell = (mixed ^ (mixed >> 15)) & (len(cells) - 1)
        newest[k] = k
        while stamps[cell] == stamp:
            slot = slots[cells[cell]]
            if (
                words[word_of(slot) + _TEXT] == text
                and words[word_of(slot) + _ACTOR] == actor
                and halves[half_of(slot) + _PLACE] == place
                and small[byte_of(slot) + _TOPIC] == topic
            ):
                newest[k] = cells[cell]
                break
            cell = (cell + 1) & (len(cells) - 1)
        else:
            stamps[cell], cells[cell] = stamp, k


@njit(cache=True, nogil=True, inline="always")
def _add(words, halves, small, times, spans, slot, kept, sums, g):  # type: ignore[no-untyped-def]
    """Add a memory to the sums of its group, and write greatest values and all tags to the newest.

    `sums` are number of occasions, tick of the first, valence, confidence and accesses.
    """
    byte = byte_of(slot)
    number, first = np.int64(1), np.int64(words[word_of(slot) + _TIME])
    if len(spans):
        number, first = np.int64(times[slot]), first - np.int64(spans[slot])
    sums[g, 0] += number
    sums[g, 1] = min(sums[g, 1], first)
    sums[g, 2] += number * np.int64(np.int8(small[byte + _VALENCE]))
    sums[g, 3] += number * np.int64(small[byte + _CONFIDENCE])
    sums[g, 4] += small[byte + _ACCESSES]
    word, half = word_of(kept) + _ACCESSED, half_of(kept) + _IMPORTANCE
    words[word] = max(words[word], words[word_of(slot) + _ACCESSED])
    halves[half] = max(halves[half], halves[half_of(slot) + _IMPORTANCE])
    halves[half_of(kept) + _TAGS] |= halves[half_of(slot) + _TAGS]


@njit(cache=True, nogil=True, inline="always")
def _write_means(small, slots, sums, begin, end):  # type: ignore[no-untyped-def]
    """Write means over occasions, halves rounded up, and accesses to the newest of each group."""
    for g in range(begin, end):
        byte, count = byte_of(slots[g]), sums[g, 0]
        small[byte + _VALENCE] = np.uint8((2 * sums[g, 2] + count) // (2 * count))
        small[byte + _CONFIDENCE] = (2 * sums[g, 3] + count) // (2 * count)
        small[byte + _ACCESSES] = min(sums[g, 4], 255)


@njit(cache=True, nogil=True)
def merge(view, occasions, counts, rows, queued, limits, strength):  # type: ignore[no-untyped-def]
    """Merge repeats of trivial memories.

    Keys are index into `rows` << 32 | id; memories with the sorted keys `queued` are not trivial.
    Returns the keys of merged memories and of those that they were merged into, agent by agent;
    and the slots of the latter, with number of occasions and first tick, (m, 2).
    """
    _, words, halves, small = view
    times, spans = occasions
    most, longest = np.int64(1), np.int64(1)
    for row in rows:
        most, longest = most + counts[row], max(longest, np.int64(counts[row]))
    merged = np.empty(most, np.int64)
    gone, groups = 0, 0
    ids, slots, newest, sizes, group = np.empty((5, longest), np.int64)
    minor = np.empty(PAGE, np.int64)
    most_groups = most // limits.repeats
    kept, kept_slots = np.empty((2, most_groups), np.int64)
    sums = np.empty((most_groups, 5), np.int64)
    cells, stamps = np.empty(4 * longest, np.int64), np.full(4 * longest, -1, np.int64)
    for p in range(len(rows)):
        if p + 1 < len(rows):
            prefetch_stream(view, counts, rows[p + 1])
        stop = np.int64(counts[rows[p]])
        n = _find_trivial(view, occasions, rows[p], stop, limits, strength, ids, slots, minor)
        if len(queued):
            n = _leave_out(queued, p, ids, slots, n)
        size = 2
        while size < 2 * n:
            size *= 2
        _group(words, halves, small, slots[:n], newest, cells[:size], stamps, p)
        sizes[:n] = 0
        for k in range(n):
            sizes[newest[k]] += 1
        before = groups
        for k in range(n):
            if sizes[newest[k]] < limits.repeats:
                continue
            if newest[k] == k:
                group[k], kept[groups], kept_slots[groups] = groups, p << 32 | ids[k], slots[k]
                sums[groups] = 0
                sums[groups, 1] = _LATE
                groups += 1
            g = group[newest[k]]
            _add(words, halves, small, times, spans, slots[k], kept_slots[g], sums, g)
            if newest[k] != k:
                merged[gone] = p << 32 | ids[k]
                gone += 1
        _write_means(small, kept_slots, sums, before, groups)
    return merged[:gone], kept[:groups], kept_slots[:groups], sums[:groups, :2]
