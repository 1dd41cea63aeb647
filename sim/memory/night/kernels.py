"""Compiled loops of a night: clusters, related memories, duplicates, repeats, due memories.

The squared length of a cluster's sum is the sum of its members' shares. A member's share is its
product with itself plus twice its product with each newer member. So removing the oldest member
only removes its share; removing another member, or changing its text, requires shares of the
cluster to be computed again (`mark_stale`).
"""

import numpy as np
from numba import njit

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.streams.cluster_columns import NONE as NO_CLUSTER
from memopolis.sim.memory.streams.layout import CONTINUES, PAGE, PAGE_BYTES, PAGE_WORDS, places
from memopolis.sim.memory.streams.page_kernels import byte_of, half_of, prefetch_stream, word_of
from memopolis.sim.memory.vectors.embedders.protocol import CODES
from memopolis.sim.memory.vectors.text_likeness_kernels import line_of, longest

# Unsigned indices need no check.
_ACCESSED, _TIME, _TAGS = map(np.uint64, places("accessed", "time", "tags"))
_ID, _ACCESSES, _TOPIC = map(np.uint64, places("id", "accesses", "topic"))
_VALENCE, _CONFIDENCE = map(np.uint64, places("valence", "confidence"))
_KIND, _EMOTION, _IMPORTANCE = map(np.uint64, places("kind", "emotion", "importance"))
_TEXT, _ACTOR, _PLACE = map(np.uint64, places("text", "actor", "place"))
_CONTINUES = np.uint8(CONTINUES)
_ZERO, _ONE = np.float32(0), np.float32(1)
_PAGE = np.int64(PAGE)
# Weights of the priority; that of the confidence is in its table.
_CONSOLIDATION, _STRENGTH = np.float32(0.3), np.float32(0.3)
_FARTHEST = 65535  # greatest distance of a related memory


@inner
def _renew_shares(similarity, queries, a0, places, stored, start, n, cluster, share, line):  # type: ignore[no-untyped-def]
    """Compute the stale shares of an agent's members."""
    for q in range(len(places)):
        x = places[q]
        if cluster[x] == NO_CLUSTER:
            continue
        line_of(similarity, queries[a0 + q], stored, start, n, line)
        total = np.int64(line[x])
        for j in range(x + 1, n):
            if cluster[j] == cluster[x]:
                total += 2 * np.int64(line[j])
        share[x] = total


@inner
def _choose(dot, norm, count, threshold):  # type: ignore[no-untyped-def]
    """Return the cluster that a memory joins, and whether the memory founds it."""
    nearest, best, free = -1, -np.inf, -1
    for c in range(len(count)):
        if count[c] == 0:
            free = c if free < 0 else free
            continue
        # The length of the sum of the members, in the unit of a cosine's code.
        cosine = dot[c] / np.sqrt(np.float64(norm[c]) * CODES) if norm[c] > 0 else 0.0
        if cosine > best:
            nearest, best = c, cosine
    if free >= 0 and not best > threshold:
        return free, True
    return nearest, False


@njit(cache=True, nogil=True)
def join(  # type: ignore[no-untyped-def]
    similarity, queries, query_starts, places, stored, stored_starts, cluster, share, threshold,
    ids, founder, hits,
):  # fmt: skip
    """Add memories to clusters, oldest first.

    `queries` are the texts of these memories, agent by agent from `query_starts` on, and `places`
    their indices among the agent's memories; `stored` are the texts of all memories, agent by agent
    from `stored_starts` on. `cluster`, `share`, `founder` and `hits` (0 for a new cluster) are
    changed in place. A memory joins the nearest cluster if its cosine is above `threshold`. `ids`
    are the ids of all memories.
    """
    most = founder.shape[1]
    line = np.empty(longest(stored_starts), np.int16)
    # Number of members, squared length of their sum, and its product with a memory, by cluster.
    count, norm, dot = np.empty((3, NO_CLUSTER + 1), np.int64)
    for p in range(len(query_starts) - 1):
        a0, a1 = query_starts[p], query_starts[p + 1]
        if a0 == a1:
            continue
        start, n = stored_starts[p], stored_starts[p + 1] - stored_starts[p]
        own_cluster, own_share = cluster[start : start + n], share[start : start + n]
        _renew_shares(
            similarity, queries, a0, places[a0:a1], stored, start, n, own_cluster, own_share, line
        )
        count[:], norm[:] = 0, 0
        for j in range(n):
            count[own_cluster[j]] += 1
            norm[own_cluster[j]] += np.int64(own_share[j])
        for a in range(a0, a1):
            x = places[a]
            if own_cluster[x] != NO_CLUSTER:
                continue
            line_of(similarity, queries[a], stored, start, n, line)
            if line[x] <= 0:
                continue  # a text without a vector
            dot[:] = 0
            for j in range(n):
                dot[own_cluster[j]] += np.int64(line[j])
            c, is_new = _choose(dot[:most], norm[:most], count[:most], threshold)
            if is_new:
                founder[p, c] = ids[start + x]
                hits[p, c] = 0
            else:
                for j in range(n):
                    if own_cluster[j] == c:
                        own_share[j] += 2 * np.int32(line[j])
            # A new cluster is empty: its product with the memory is 0.
            norm[c] += np.int64(line[x]) + 2 * dot[c]
            count[c] += 1
            own_cluster[x], own_share[x] = c, np.int32(line[x])


@njit(cache=True, nogil=True)
def relate(  # type: ignore[no-untyped-def]
    similarity, order, queries, agent, place, stored, stored_starts, low, high, back
):
    """Find the memories most similar to some, among the earlier ones of the same agent.

    `queries` are the texts of these memories, `agent` and `place` the index of the agent and among
    its memories; `order` only affects speed. Cosines from `low` to below `high` are related, ties
    go to the newer. `back` is the result, how many ids earlier each is, 0 for none, uint16, shape
    (m, most).
    """
    line = np.empty(longest(stored_starts), np.int16)
    most = back.shape[1]
    best = np.empty(most, np.int16)
    for q in range(len(order)):
        a = order[q]
        x = place[a]
        line_of(similarity, queries[a], stored, stored_starts[agent[a]], x, line)
        count, least = 0, np.int64(low)
        for j in range(x - 1, max(x - _FARTHEST, 0) - 1, -1):
            code = line[j]
            if code < least or code >= high:
                continue
            at = min(count, most - 1)
            while at > 0 and best[at - 1] < code:
                best[at], back[a, at] = best[at - 1], back[a, at - 1]
                at -= 1
            best[at], back[a, at] = code, x - j
            count = min(count + 1, most)
            if count == most:
                least = np.int64(best[most - 1]) + 1


@njit(cache=True, nogil=True)
def most_alike(similarity, queries, stored, stored_starts, least, places):  # type: ignore[no-untyped-def]
    """Find the candidate most similar to one text per agent, -1 for none; ties go to the newer."""
    line = np.empty(longest(stored_starts), np.int16)
    for p in range(len(places)):
        n = stored_starts[p + 1] - stored_starts[p]
        line_of(similarity, queries[p], stored, stored_starts[p], n, line)
        best = least
        for j in range(n):
            if line[j] >= best:
                best = line[j]
                places[p] = j


@njit(cache=True, nogil=True)
def repeats(similarity, queries, stored, starts, topics, least, at_least, heads):  # type: ignore[no-untyped-def]
    """Group near duplicates of one topic, starting with the memory that has most of them.

    `queries` and `stored` are the texts of all memories, as rows and columns of `similarity`.
    `heads` is the result: the index (among the agent's memories) of the most central memory of each
    memory's group, -1 for a memory in no group, shape (m,).
    """
    size = longest(starts)
    line = np.empty(size, np.int16)
    near = np.empty(size, np.int32)
    for p in range(len(starts) - 1):
        start, n = starts[p], starts[p + 1] - starts[p]
        own_heads, topic = heads[start : start + n], topics[start : start + n]
        near[:n] = 0
        for x in range(n):
            line_of(similarity, queries[start + x], stored, start, x + 1, line)
            for j in range(x):
                if line[j] >= least and topic[j] == topic[x]:
                    near[j] += 1
                    near[x] += 1
        while True:
            head = -1
            for x in range(n):
                if (
                    near[x] + 1 >= at_least
                    and own_heads[x] < 0
                    and (head < 0 or near[x] >= near[head])
                ):
                    head = x
            if head < 0:
                break
            line_of(similarity, queries[start + head], stored, start, n, line)
            for j in range(n):
                if own_heads[j] < 0 and topic[j] == topic[head] and (line[j] >= least or j == head):
                    own_heads[j] = head
            for x in range(n):
                if own_heads[x] == head:
                    line_of(similarity, queries[start + x], stored, start, n, line)
                    for j in range(n):
                        if j != x and line[j] >= least and topic[j] == topic[x]:
                            near[j] -= 1


@njit(cache=True, nogil=True)
def consolidation_one(tables, accesses, age, idle, topic):  # type: ignore[no-untyped-def]
    """Compute consolidation of a memory, with the bits of `compute_consolidation`."""
    old = min(max(age, 0), len(tables.longevity) - 1)
    still = min(max(idle, 0), tables.freshness.shape[1] - 1)
    fresh = tables.freshness[tables.group[topic], still]
    return (tables.reach[accesses] + tables.longevity[old]) + fresh


@njit(cache=True, nogil=True)
def marks_of(tags, strength):  # type: ignore[no-untyped-def]
    """Return the row of `Strength.table` for a memory with some tags."""
    marks = int((tags & strength.positive) != 0) + 2 * int((tags & strength.negative) != 0)
    return marks + 4 * int((tags & strength.urgent) != 0)


@njit(cache=True, nogil=True)
def strength_at(view, at, q, strength):  # type: ignore[no-untyped-def]
    """Return the emotional strength of a memory, by its page and its place there."""
    _, _, halves, small = view
    marks = marks_of(halves[np.uint64(at * 2 * PAGE_WORDS + q) + _TAGS], strength)
    return strength.table[np.uint64(marks), small[np.uint64(at * PAGE_BYTES + q) + _VALENCE]]


@inner
def _find_trivial(view, row, stop, importance, emotion, strength, slots):  # type: ignore[no-untyped-def]
    """Find the trivial memories of an agent, oldest first, by slot; return their number."""
    table, _, halves, small = view
    count = 0
    for i in range(stop):
        page, q = np.int64(table[row, i // PAGE]), i % PAGE
        byte = np.uint64(page * PAGE_BYTES + q)
        later = min(i + 1, stop - 1)  # the newest memory continues itself at most
        after = np.uint64(np.int64(table[row, later // PAGE]) * PAGE_BYTES + later % PAGE)
        # Neither a thought, nor a memory that another one continues.
        other = small[byte + _KIND] | small[byte + _EMOTION] | (small[after + _KIND] & _CONTINUES)
        is_minor = halves[np.uint64(page * (PAGE_BYTES // 2) + q) + _IMPORTANCE] <= importance
        if other == 0 and is_minor and strength_at(view, page, q, strength) < emotion:
            slots[count] = page * PAGE + q
            count += 1
    return count


@inner
def _lead(view, slots, leader, sizes, cells, stamps, stamp):  # type: ignore[no-untyped-def]
    """Find the first of the memories with the same topic, text, actor and place, by index.

    `sizes` is their number. `cells` and `stamps` are a hash table, whose size is a power of two
    above the number of memories: the index of a memory, and the agent that filled the cell.
    """
    _, words, halves, small = view
    for k in range(len(slots)):
        text, actor = words[word_of(slots[k]) + _TEXT], words[word_of(slots[k]) + _ACTOR]
        place, topic = halves[half_of(slots[k]) + _PLACE], small[byte_of(slots[k]) + _TOPIC]
        mixed = np.int64(text) * 2_654_435_761 + np.int64(actor) * 40_503 + np.int64(place) * 97
        mixed += np.int64(topic)
        cell = (mixed ^ (mixed >> 15)) & (len(cells) - 1)
        leader[k], sizes[k] = k, 0
        while stamps[cell] == stamp:
            slot = slots[cells[cell]]
            if (
                words[word_of(slot) + _TEXT] == text
                and words[word_of(slot) + _ACTOR] == actor
                and halves[half_of(slot) + _PLACE] == place
                and small[byte_of(slot) + _TOPIC] == topic
            ):
                leader[k] = cells[cell]
                break
            cell = (cell + 1) & (len(cells) - 1)
        else:
            stamps[cell], cells[cell] = stamp, k
        sizes[leader[k]] += 1


@njit(cache=True, nogil=True)
def find_repeats(  # type: ignore[no-untyped-def]
    view, counts, rows, queued, repeats, importance, emotion, strength
):
    """Find trivial memories of which an agent has at least `repeats` equal ones.

    Keys are index into `rows` << 32 | id; memories with the sorted keys `queued` do not count.
    Returns the keys, slots and numbers of the groups of equal memories, int64, shape (m,), agent
    by agent, oldest first.
    """
    words = view[1]
    most, longest = np.int64(1), np.int64(1)
    for row in rows:
        most, longest = most + counts[row], max(longest, np.int64(counts[row]))
    keys, repeated, group = np.empty((3, most), np.int64)
    slots, leader, sizes, number = np.empty((4, longest), np.int64)
    cells, stamps = np.empty(4 * longest, np.int64), np.full(4 * longest, -1, np.int64)
    m, groups = 0, 0
    for p in range(len(rows)):
        if p + 1 < len(rows):
            prefetch_stream(view, counts, rows[p + 1])
        n = _find_trivial(
            view, rows[p], np.int64(counts[rows[p]]), importance, emotion, strength, slots
        )
        if len(queued):
            left = 0
            for k in range(n):
                key = p << 32 | np.int64(words[word_of(slots[k]) + _ID])
                at = np.searchsorted(queued, key)
                slots[left] = slots[k]
                left += int(at == len(queued) or queued[at] != key)
            n = left
        size = 2
        while size < 2 * n:
            size *= 2
        _lead(view, slots[:n], leader, sizes, cells[:size], stamps, p)
        for k in range(n):
            if sizes[leader[k]] < repeats:
                continue
            if leader[k] == k:
                number[k] = groups
                groups += 1
            keys[m], repeated[m] = p << 32 | np.int64(words[word_of(slots[k]) + _ID]), slots[k]
            group[m] = number[leader[k]]
            m += 1
    return keys[:m].copy(), repeated[:m].copy(), group[:m].copy()


@njit(cache=True, nogil=True)
def due(  # type: ignore[no-untyped-def]
    view, updates, counts, rows, now, tables, confidence, intervals, least, topic, days, strength,
    ids, worth, late,
):  # fmt: skip
    """Find each agent's due memories, as defined in `replay`: ids, priorities and days overdue.

    `confidence` and `intervals` are tables by code and by accesses; `least` is below 0 for the
    median priority, `topic` is below 0 for all topics, and `days` are those of a tick.
    """
    table, words, _, small = view
    longest = np.int64(0)
    for row in rows:
        longest = max(longest, np.int64(counts[row]))
    priority, waited = np.empty((2, longest), np.float32)
    number, topics = np.empty(longest, np.int32), np.empty(longest, np.uint8)
    rank = np.empty(ids.shape[1], np.float32)
    for p in range(len(rows)):
        stop = np.int64(counts[rows[p]])
        if p + 1 < len(rows):
            prefetch_stream(view, counts, rows[p + 1])
        n = 0
        for page in range((stop + PAGE - 1) // PAGE):
            at = np.int64(table[rows[p], page])
            for q in range(min(stop - page * PAGE, _PAGE)):
                word, byte = np.uint64(at * PAGE_WORDS + q), np.uint64(at * PAGE_BYTES + q)
                accesses, created = small[byte + _ACCESSES], words[word + _TIME]
                updated = max(created, updates[at * PAGE + q]) if len(updates) else created
                last = words[word + _ACCESSED] if accesses else updated
                known = confidence[small[byte + _CONFIDENCE]]
                known += _CONSOLIDATION * consolidation_one(
                    tables, accesses, now - created, now - updated, small[byte + _TOPIC]
                )
                priority[n] = known + _STRENGTH * strength_at(view, at, q, strength)
                waited[n] = np.float32(now - last) * days - intervals[accesses]
                if last > now:
                    waited[n] = _ZERO
                number[n], topics[n] = words[word + _ID], small[byte + _TOPIC]
                n += 1
        if not n:
            continue
        bar = least if least >= 0 else np.float32(np.median(priority[:n]))
        count = 0
        k = ids.shape[1]
        for j in range(n - 1, -1, -1):
            if waited[j] < 0 or priority[j] < bar or (topic >= 0 and topics[j] != topic):
                continue
            value = priority[j] * (_ONE + waited[j])
            place = min(count, k - 1)
            if count == k and value <= rank[place]:
                continue
            while place > 0 and rank[place - 1] < value:
                rank[place] = rank[place - 1]
                ids[p, place] = ids[p, place - 1]
                worth[p, place] = worth[p, place - 1]
                late[p, place] = late[p, place - 1]
                place -= 1
            rank[place] = value
            ids[p, place] = number[j]
            worth[p, place] = priority[j]
            late[p, place] = waited[j]
            count = min(count + 1, k)
