"""The side columns of the streams in which clusters are stored, and the hits of clusters."""

import numpy as np

from memopolis.sim.arrays import Array, Int64
from memopolis.sim.memory.streams.stream import Streams

NONE = 255  # cluster number of a memory that is in no cluster
STALE = -(2**31)  # share of a member that has to be computed again


def cluster_numbers(streams: Streams) -> Array:
    """Return the cluster of each memory by slot, `NONE` for none, to be changed in place."""
    return streams.memory_column("cluster", np.uint8, fill=NONE)


def cluster_shares(streams: Streams) -> Array:
    """Return each memory's share of its cluster's squared length, to be changed in place."""
    return streams.memory_column("cluster_share", share_type(streams))


def share_type(streams: Streams) -> type[np.int32 | np.int64]:
    """Return the type that holds the sum of a memory's cosines with all others of its agent."""
    return np.int32 if streams.limit <= 30_000 else np.int64


def founders_by_row(streams: Streams, max_clusters: int) -> Array:
    """Return the founder of each cluster, -1 for none, to be changed in place."""
    column = streams.agent_column("cluster_founder", np.int32, fill=-1, width=max_clusters)
    return column.reshape(-1, max_clusters)


def hits_by_row(streams: Streams, max_clusters: int) -> Array:
    """Return how often each cluster was returned, to be changed in place."""
    column = streams.agent_column("cluster_hits", np.uint16, width=max_clusters)
    return column.reshape(-1, max_clusters)


def clustered_to(streams: Streams) -> Array:
    """Return the first id of each agent that was not clustered yet, to be changed in place."""
    return streams.agent_column("clustered_to", np.int32)


def mark_stale(streams: Streams, rows: Int64, slots: Int64) -> None:
    """Mark the shares that removing memories changes, given by rows of agents and slots.

    A share contains products with newer members, so those of older members change.
    """
    if not streams.has_column("cluster"):
        return
    column, shares = cluster_numbers(streams), cluster_shares(streams)
    numbers = column[slots]
    is_member = numbers != NONE
    removed = rows[is_member] << 8 | numbers[is_member]
    clusters, inverse = np.unique(removed, return_inverse=True)
    if not len(clusters):
        return
    newest = np.full(len(clusters), -1, np.int64)
    np.maximum.at(newest, inverse, streams.at("id", slots[is_member]))
    agents = np.unique(rows[is_member])
    owners, ids, stored = streams.listed(agents)
    keys = agents[owners] << 8 | column[stored]
    place = np.minimum(np.searchsorted(clusters, keys), len(clusters) - 1)
    changed = (clusters[place] == keys) & (ids < newest[place])
    shares[stored[changed]] = STALE


def count_hits(streams: Streams, rows: Int64, slots: Int64, most: int) -> None:
    """Count a hit of each cluster that a recall touched, at most the `most` first of an agent.

    `slots` are those of the recalled memories, best first, -1 where there are fewer, shape (n, k).
    """
    some = np.flatnonzero(clustered_to(streams)[rows] > 0)
    if not len(some):
        return
    slots = slots[some]
    numbers = np.where(slots >= 0, cluster_numbers(streams)[slots], NONE)
    is_member = numbers != NONE
    keys = (rows[some, None] << 8 | numbers)[is_member]
    distinct, first = np.unique(keys, return_index=True)
    agents = distinct >> 8
    order = np.lexsort((first, agents))
    rank = np.arange(len(order)) - np.searchsorted(agents, agents)
    hit = distinct[order[rank < most]]
    column = streams.sides.agents["cluster_hits"]
    hits = column.reshape(len(column), -1)
    counts = hits[hit >> 8, hit & NONE]
    hits[hit >> 8, hit & NONE] = np.minimum(counts.astype(np.int64) + 1, np.iinfo(np.uint16).max)
