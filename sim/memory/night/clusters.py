"""Clusters: memories that have left an agent's short term, grouped by meaning.

A memory that has left the short term joins the cluster with the nearest centroid if their
cosine is above the threshold, and founds a cluster otherwise. Once all cluster numbers are in
use it joins the nearest cluster whatever the cosine. A text without a vector belongs to no
cluster. Evicted and forgotten memories leave their cluster, and the number of an empty cluster
is free for another one.

The centroid, the mean of the members' unit vectors, is never computed: the cosine of a vector
v with the sum S of the members is v.S / |S|, and both v.S and |S| are sums of whole-number
cosines between texts. So the clusters of an agent do not depend on the cohort. Daily passes
and one pass at the end give the same clusters unless a member is removed in between.

Source: PMemo's mid-term memory: threshold 0.7, at most 100 clusters, the best 3 returned.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import whole_number
from memopolis.sim.arrays import Array, Bools, Int32, Int64, UInt8, UInt16
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.streams.cluster_columns import (
    NONE,
    STALE,
    cluster_numbers,
    cluster_shares,
    clustered_to,
    founders_by_row,
    hits_by_row,
    share_type,
)
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.vectors.embedders.protocol import CODES
from memopolis.sim.memory.vectors.text_likeness import Ragged, code_table, groups


@dataclass(frozen=True, eq=False)
class Cluster:
    """A cluster of one agent."""

    number: int  # its number, which is reused once it is empty
    founder: int  # id of the memory that founded it
    hits: int  # how often it was returned before
    ids: Int32  # ids of its members, oldest first
    share: int  # squared length of the sum of its members, in the unit of a cosine's code


@dataclass(frozen=True, eq=False)
class _State:
    """Clusters of some agents, as arrays that are not shared with the streams."""

    rows: Int64  # rows of the agents, shape (n,)
    stored: Ragged  # texts of all their memories, agent by agent, oldest first
    slots: Int64  # slots of these memories, shape (m,)
    ids: Int32  # ids of these memories, shape (m,)
    cluster: UInt8  # cluster of each memory, `NONE` for none, shape (m,)
    share: Array  # its share of the squared length of its cluster's sum, shape (m,)
    # Id of the memory that founded each cluster, -1 for none, shape (n, clusters).
    founder: Int32
    hits: UInt16  # how often each cluster was returned, shape (n, clusters)
    done: Int32  # first id that was not clustered yet, shape (n,)


def cluster(memory: Memory, rows: ArrayLike) -> None:
    """Cluster the memories that have left the short term since the last call."""
    memory.settle()
    _store(memory.streams, _update(memory, np.asarray(rows, np.int64)))


def clusters_of(memory: Memory, row: int, *, observed: bool = False) -> list[Cluster]:
    """Return all clusters of an agent by number, with what is due, stored unless observed."""
    memory.settle()
    state = _update(memory, np.array([row], np.int64))
    if not observed:
        _store(memory.streams, state)
    clusters = []
    for number in np.unique(state.cluster[state.cluster != NONE]).tolist():
        members = np.flatnonzero(state.cluster == number)
        ids = state.ids[members]
        share = int(state.share[members].sum(dtype=np.int64))
        founder, hits = int(state.founder[0, number]), int(state.hits[0, number])
        clusters.append(Cluster(number, founder, hits, ids, share))
    return clusters


def nearest(
    memory: Memory, row: int, query: str, top: int, *, observed: bool = False
) -> list[tuple[Cluster, float]]:
    """Return the clusters of an agent nearest to a query, each with its cosine."""
    most = whole_number("top", top, least=1)
    clusters = clusters_of(memory, row, observed=observed)
    vector = memory.vectors.of_queries([query])
    if not clusters or not vector.any():
        return []
    streams, cosines = memory.streams, []
    for own in clusters:
        members = memory.vectors.rounded(streams.get("text", row, own.ids))
        norm = float(own.share) * CODES
        dot = int(code_table(vector, members)[0].sum(dtype=np.int64))
        cosines.append(dot / math.sqrt(norm) if norm > 0 else 0.0)
    order = np.argsort(-np.array(cosines), kind="stable")[:most].tolist()
    return [(clusters[at], cosines[at]) for at in order]


def hits_of(memory: Memory, rows: ArrayLike) -> Int32:
    """Return how often each cluster was returned, int32, shape (n, max_clusters)."""
    agents = np.asarray(rows, np.int64)
    if not memory.streams.has_column("cluster_hits"):
        return np.zeros((len(agents), memory.layer_settings.max_clusters), np.int32)
    column = memory.streams.sides.agents["cluster_hits"]
    hits: Int32 = column.reshape(len(column), -1)[agents].astype(np.int32)
    return hits


def _update(memory: Memory, rows: Int64) -> _State:
    """Return the clusters after all due memories have joined, without storing them."""
    from memopolis.sim.memory.night import kernels

    settings = memory.layer_settings
    state = _read(memory.streams, rows, settings.max_clusters)
    stored = state.stored
    due = np.maximum(memory.streams.next[rows] - settings.short_term_size, state.done)
    needed = _find_due(state, due)
    state.done[:] = due
    at = np.flatnonzero(needed)
    if not len(at):
        return state
    starts = np.searchsorted(at, stored.starts)
    places = at - np.repeat(stored.starts[:-1], np.diff(starts))
    queries = Ragged(stored.values[at], starts)
    threshold = settings.similarity_threshold
    if threshold is None:
        threshold = memory.thresholds.cluster
    for group in groups(memory.vectors, queries, stored):
        agents = slice(group.begin, group.end)
        query_part = slice(starts[group.begin], starts[group.end])
        stored_part = slice(stored.starts[group.begin], stored.starts[group.end])
        kernels.join(
            group.similarity, group.queries.values, group.queries.starts, places[query_part],
            group.stored.values, group.stored.starts, state.cluster[stored_part],
            state.share[stored_part], float(threshold), state.ids[stored_part],
            state.founder[agents], state.hits[agents],
        )  # fmt: skip
    return state


def _find_due(state: _State, due: Int64) -> Bools:
    """Return which memories join a cluster or need their share, by the first ids that do not join.

    All shares of a cluster with a share `STALE` are computed again, and become `STALE`.
    """
    owners = np.repeat(np.arange(len(state.rows)), state.stored.lengths)
    needed = (state.ids >= state.done[owners]) & (state.ids < due[owners])
    is_member = state.cluster != NONE
    clusters = owners << 8 | state.cluster
    stale = is_member & (state.share == STALE)
    if stale.any():
        stale = is_member & np.isin(clusters, np.unique(clusters[stale]))
        state.share[stale] = STALE
    return np.asarray(needed | stale)


def _read(streams: Streams, rows: Int64, most: int) -> _State:
    """Return the stored clusters without creating their columns."""
    slots, starts = streams.live(rows)
    stored, ids = Ragged(streams.at("text", slots), starts), streams.at("id", slots)
    if not streams.has_column("cluster"):
        return _State(
            rows, stored, slots, ids, np.full(len(slots), NONE, np.uint8),
            np.zeros(len(slots), share_type(streams)), np.full((len(rows), most), -1, np.int32),
            np.zeros((len(rows), most), np.uint16), np.zeros(len(rows), np.int32),
        )  # fmt: skip
    cluster, share = cluster_numbers(streams)[slots], cluster_shares(streams)[slots]
    founder, hits = founders_by_row(streams, most)[rows], hits_by_row(streams, most)[rows]
    done = clustered_to(streams)[rows]
    return _State(rows, stored, slots, ids, cluster, share, founder, hits, done)


def _store(streams: Streams, state: _State) -> None:
    """Store clusters in the side columns of the streams."""
    most = state.founder.shape[1]
    cluster_numbers(streams)[state.slots] = state.cluster
    cluster_shares(streams)[state.slots] = state.share
    founders_by_row(streams, most)[state.rows] = state.founder
    hits_by_row(streams, most)[state.rows] = state.hits
    clustered_to(streams)[state.rows] = state.done
