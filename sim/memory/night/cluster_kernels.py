"""Compiled loops over clusters: members that leave or join.

The squared length of a cluster's sum is the sum of its members' shares. A member's share is
its product with itself plus twice its product with each newer member. So removing the
oldest member only removes its share; removing another member, or changing its text, requires
shares of the cluster to be computed again (`mark_stale`).
"""

import numpy as np
from numba import njit

from memopolis.sim.inner_kernels import inner
from memopolis.sim.memory.streams.cluster_columns import NONE, STALE
from memopolis.sim.memory.vectors.embedders.rounding import CODES
from memopolis.sim.memory.vectors.text_likeness_kernels import line_of, longest

_AT_ONCE = 64  # new members of an agent before all members are sorted again


@njit(cache=True, nogil=True)
def find_index(ids, starts, least):  # type: ignore[no-untyped-def]
    """Return the index of each agent's first memory whose id is at least a number, (n,)."""
    index = np.empty(len(least), np.int64)
    for p in range(len(least)):
        index[p] = np.searchsorted(ids[starts[p] : starts[p + 1]], least[p])
    return index


@njit(cache=True, nogil=True)
def find_due(starts, begin, end, cluster, share):  # type: ignore[no-untyped-def]
    """Find whose cosines are needed.

    `starts` is where each agent's memories begin. Memories from `begin` to `end` of an agent may
    join a cluster. Shares of a cluster that has a share `STALE` are computed again, and become
    `STALE`. Returns whether each memory joins a cluster or needs its share, shape (m,).
    """
    needed = np.zeros(len(cluster), np.bool_)
    stale = np.zeros(NONE + 1, np.bool_)
    for p in range(len(starts) - 1):
        stale[:] = False
        some = False
        for k in range(starts[p], starts[p + 1]):
            if cluster[k] != NONE and share[k] == STALE:
                stale[cluster[k]] = True
                some = True
        if some:
            for k in range(starts[p], starts[p + 1]):
                if cluster[k] != NONE and stale[cluster[k]]:
                    share[k] = STALE
                    needed[k] = True
        for k in range(starts[p] + begin[p], starts[p] + end[p]):
            needed[k] = True
    return needed


@inner
def _renew_shares(similarity, queries, a0, places, stored, start, n, cluster, share, line):  # type: ignore[no-untyped-def]
    """Compute the stale shares of an agent's members."""
    for q in range(len(places)):
        x = places[q]
        if cluster[x] == NONE:
            continue
        line_of(similarity, queries[a0 + q], stored, start, n, line)
        total = np.int64(line[x])
        for j in range(x + 1, n):
            if cluster[j] == cluster[x]:
                total += 2 * np.int64(line[j])
        share[x] = total


@inner
def _choose(dot, root, count, used, threshold):  # type: ignore[no-untyped-def]
    """Return the cluster that a memory joins, and whether the memory founds it."""
    nearest, best = -1, -np.inf
    free = used if used < len(root) else -1
    for c in range(used - 1, -1, -1):
        if count[c] == 0:
            free = c
            continue
        cosine = dot[c] / root[c] if root[c] > 0.0 else 0.0
        if cosine >= best:
            nearest, best = c, cosine
    if free >= 0 and not best > threshold:
        return free, True
    return nearest, False


@inner
def _root(norm):  # type: ignore[no-untyped-def]
    """Return the length of a cluster's sum, in the unit of a cosine's code; 0 if empty."""
    return np.sqrt(np.float64(norm) * CODES) if norm > 0 else 0.0


@inner
def _sort(stored, start, n, cluster, share, members):  # type: ignore[no-untyped-def]
    """Sort an agent's members by cluster into `members`; return their number."""
    begins, place, text, shares = members
    begins[:] = 0
    for j in range(n):
        begins[cluster[j] + 1] += 1
    for c in range(NONE + 1):
        begins[c + 1] += begins[c]
    for j in range(n):
        c = cluster[j]
        if c != NONE:
            at = begins[c]
            begins[c] = at + 1
            place[at], text[at], shares[at] = j, stored[start + j], share[j]
    for c in range(NONE, 0, -1):
        begins[c] = begins[c - 1]
    begins[0] = 0
    return begins[NONE]


@inner
def _sum(line):  # type: ignore[no-untyped-def]
    """Sum cosines; a separate function so that the loop is vectorised."""
    total = np.int32(0)
    for j in range(len(line)):
        total = np.int32(total + np.int32(line[j]))
    return total


@inner
def _add_twice(line, shares):  # type: ignore[no-untyped-def]
    """Add twice the cosines to the shares."""
    for j in range(len(line)):
        shares[j] += 2 * np.int32(line[j])


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
    size = longest(stored_starts) + 1
    line = np.empty(size, np.int16)
    norm, root = np.empty(most, np.int64), np.empty(most, np.float64)
    count, dot = np.empty(most, np.int32), np.empty(most, np.int64)
    begins = np.empty(NONE + 2, np.int64)
    place, text = np.empty(size, np.int32), np.empty(size, stored.dtype)
    shares = np.empty(size, share.dtype)
    members = (begins, place, text, shares)
    for p in range(len(query_starts) - 1):
        a0, a1 = query_starts[p], query_starts[p + 1]
        if a0 == a1:
            continue
        start, n = stored_starts[p], stored_starts[p + 1] - stored_starts[p]
        own_cluster, own_share = cluster[start : start + n], share[start : start + n]
        _renew_shares(
            similarity, queries, a0, places[a0:a1], stored, start, n, own_cluster, own_share, line
        )
        many = _sort(stored, start, n, own_cluster, own_share, members)
        ordered = many
        used = 0
        dot[:] = 0
        for c in range(most):
            count[c] = begins[c + 1] - begins[c]
            if count[c]:
                used = c + 1
            norm[c] = 0
            for k in range(begins[c], begins[c + 1]):
                norm[c] += np.int64(shares[k])
            root[c] = _root(norm[c])
        for a in range(a0, a1):
            x = places[a]
            if own_cluster[x] != NONE:
                continue
            text[many] = stored[start + x]
            line_of(similarity, queries[a], text, 0, many + 1, line)
            if line[many] <= 0:
                continue  # a text without a vector
            for c in range(used):
                dot[c] = _sum(line[begins[c] : begins[c + 1]])
            for k in range(ordered, many):
                dot[own_cluster[place[k]]] += np.int64(line[k])
            c, is_new = _choose(dot, root, count, used, threshold)
            if is_new:
                founder[p, c] = ids[start + x]
                hits[p, c] = 0
                used = max(used, c + 1)
            else:
                _add_twice(line[begins[c] : begins[c + 1]], shares[begins[c] : begins[c + 1]])
                for k in range(ordered, many):
                    if own_cluster[place[k]] == c:
                        shares[k] += 2 * np.int32(line[k])
            # A new cluster is empty: its product with the memory is 0.
            norm[c] += np.int64(line[many]) + 2 * dot[c]
            root[c] = _root(norm[c])
            count[c] += 1
            own_cluster[x] = c
            place[many], shares[many] = x, np.int32(line[many])
            many += 1
            if many == ordered + _AT_ONCE:
                for k in range(many):
                    own_share[place[k]] = shares[k]
                many = _sort(stored, start, n, own_cluster, own_share, members)
                ordered = many
        for k in range(many):
            own_share[place[k]] = shares[k]
