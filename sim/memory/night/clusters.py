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

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.cluster_columns import (
    NONE,
    Clustering,
    cluster_numbers,
    cluster_shares,
    clustered_to,
    founders_by_row,
    hits_by_row,
    share_type,
)
from memopolis.sim.memory.retrieval.recalling import queries_of
from memopolis.sim.memory.vectors.text_likeness import Ragged, groups, stored_texts
from memopolis.sim.whole_numbers import whole_number

if TYPE_CHECKING:
    from memopolis.sim.memory.streams.stream import Streams

IntArray = NDArray[np.int64]

_MOST_HITS = np.iinfo(np.uint16).max


@dataclass(frozen=True, eq=False)
class Cluster:
    """A cluster of one agent: a number (reused once it is empty), founder, hits, and members."""

    number: int
    founder: int
    hits: int
    ids: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class _State:
    """Clusters of some agents, as arrays that are not shared with the streams.

    Attributes:
        rows: Rows of the agents, shape (n,).
        first: Id of each agent's oldest memory, shape (n,).
        stored: Texts of all their memories, agent by agent, oldest first.
        cluster: Cluster of each memory, `NONE` for none, shape (m,).
        share: Its share of the squared length of its cluster's sum, shape (m,).
        founder: Id of the memory that founded each cluster, -1 for none, shape (n, clusters).
        hits: How often each cluster was returned, shape (n, clusters).
        done: First id that was not clustered yet, shape (n,).
    """

    rows: IntArray
    first: IntArray
    stored: Ragged
    cluster: NDArray[np.uint8]
    share: NDArray[Any]
    founder: NDArray[np.int32]
    hits: NDArray[np.uint16]
    done: NDArray[np.int32]

    def members(self, i: int, number: int) -> NDArray[np.int32]:
        """Return the ids of the members of a cluster of the i-th agent, oldest first."""
        own = self.cluster[self.stored.starts[i] : self.stored.starts[i + 1]]
        ids: NDArray[np.int32] = (np.flatnonzero(own == number) + self.first[i]).astype(np.int32)
        return ids


@dataclass(frozen=True, eq=False)
class Nearest:
    """Clusters nearest to a query of each agent, nearest first.

    Attributes:
        rows: Rows of the agents, shape (n,).
        numbers: Numbers of clusters, -1 for none, int16, shape (n, top).
        cosines: Cosines of query and centroid, 0 for none, float32, shape (n, top).
        founders: Memories that founded them, -1 for none, int32, shape (n, top).
        hits: How often they were returned, including this time, int32, shape (n, top).
    """

    rows: IntArray
    numbers: NDArray[np.int16]
    cosines: NDArray[np.float32]
    founders: NDArray[np.int32]
    hits: NDArray[np.int32]
    _state: _State = field(repr=False)

    def members(self, i: int, j: int) -> NDArray[np.int32]:
        """Return the ids of the members of the i-th agent's j-th cluster, oldest first."""
        number = int(self.numbers[i, j])
        return np.empty(0, np.int32) if number < 0 else self._state.members(i, number)


def cluster(memory: Memory, rows: ArrayLike, settings: Clustering | None = None) -> None:
    """Cluster the memories that have left the short term since the last call.

    `settings` default to `memory.layer_settings`; `max_clusters` is fixed by the first use.
    """
    memory.settle()
    settings = settings or memory.layer_settings
    _store(memory.streams, _update(memory, np.asarray(rows, np.int64), settings))


def nearest(
    memory: Memory,
    rows: ArrayLike,
    queries: str | Sequence[str],
    top: int = 3,
    *,
    each: ArrayLike | None = None,
    settings: Clustering | None = None,
    observed: bool = False,
) -> Nearest:
    """Return the clusters nearest to a query, after clustering what is due.

    Queries are given as in `CohortLayers.mid`. For an observer, nothing is stored, and no hit is
    counted. `settings` default to `memory.layer_settings`. There are none for a query without a
    vector, and ties go to the lower number.
    """
    settings = settings or memory.layer_settings
    most = min(whole_number("top", top, least=1), NONE)
    agents = np.asarray(rows, np.int64)
    texts, query = queries_of(queries, each, len(agents))
    memory.settle()
    state = _update(memory, agents, settings)
    numbers, cosines = _nearest(memory, state, texts, query, top=most, most=settings.max_clusters)
    valid = numbers >= 0
    at = np.maximum(numbers, 0)
    if not observed:
        _store(memory.streams, state)
        owners = np.broadcast_to(agents[:, None], at.shape)
        count_hits(memory, owners[valid], at[valid], settings)
        state.hits[:] = hits_by_row(memory.streams, settings.max_clusters)[agents]
    places = np.arange(len(agents))[:, None]
    founders = np.where(valid, state.founder[places, at], -1).astype(np.int32)
    hits = np.where(valid, state.hits[places, at], 0).astype(np.int32)
    return Nearest(agents, numbers, cosines, founders, hits, state)


def clusters_of(
    memory: Memory, row: int, *, settings: Clustering | None = None, observed: bool = False
) -> list[Cluster]:
    """Return all clusters of an agent by number, after clustering what is due.

    For an observer, nothing is stored. `settings` default to `memory.layer_settings`.
    """
    memory.settle()
    state = _update(memory, np.array([row], np.int64), settings or memory.layer_settings)
    if not observed:
        _store(memory.streams, state)
    numbers = np.unique(state.cluster[state.cluster != NONE]).tolist()
    return [
        Cluster(n, int(state.founder[0, n]), int(state.hits[0, n]), state.members(0, n))
        for n in numbers
    ]


def hits_of(
    memory: Memory, rows: ArrayLike, settings: Clustering | None = None
) -> NDArray[np.int32]:
    """Return how often each cluster was returned, int32, shape (n, max_clusters)."""
    agents = np.asarray(rows, np.int64)
    if not memory.streams.has_column("cluster_hits"):
        settings = settings or memory.layer_settings
        return np.zeros((len(agents), settings.max_clusters), np.int32)
    column = memory.streams.sides.agents["cluster_hits"]
    hits: NDArray[np.int32] = column.reshape(len(column), -1)[agents].astype(np.int32)
    return hits


def count_hits(
    memory: Memory, rows: IntArray, numbers: IntArray, settings: Clustering | None = None
) -> None:
    """Count a hit of each cluster given by row and number, both of shape (m,)."""
    hits = hits_by_row(memory.streams, (settings or memory.layer_settings).max_clusters)
    places, counts = np.unique(rows * hits.shape[1] + numbers, return_counts=True)
    agents, which = places // hits.shape[1], places % hits.shape[1]
    hits[agents, which] = np.minimum(hits[agents, which] + counts, _MOST_HITS)


def _update(memory: Memory, rows: IntArray, settings: Clustering) -> _State:
    """Return the clusters after all due memories have joined, without storing them."""
    from memopolis.sim.memory.night import cluster_kernels as kernels

    state = _read(memory.streams, rows, settings.max_clusters)
    due = np.maximum(memory.streams.next[rows] - settings.short_term_size, state.done)
    begin = np.maximum(state.done, state.first) - state.first
    end = np.maximum(due - state.first, begin)
    state.done[:] = due
    stored = state.stored
    needed = kernels.find_due(stored.values, stored.starts, begin, end, state.cluster, state.share)
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
            state.share[stored_part], float(threshold), state.first[agents],
            state.founder[agents], state.hits[agents],
        )  # fmt: skip
    return state


def _read(streams: "Streams", rows: IntArray, most: int) -> _State:
    """Return the stored clusters without creating their columns."""
    from memopolis.sim.memory.night import cluster_kernels as kernels

    first = streams.first(rows).astype(np.int64)
    stored = stored_texts(streams, rows)
    cluster = np.full(len(stored.values), NONE, np.uint8)
    share = np.zeros(len(stored.values), share_type(streams))
    if not streams.has_column("cluster"):
        return _State(
            rows, first, stored, cluster, share, np.full((len(rows), most), -1, np.int32),
            np.zeros((len(rows), most), np.uint16), np.zeros(len(rows), np.int32),
        )  # fmt: skip
    where = (streams.table, rows, first, stored.starts)
    kernels.copy_column(*where, cluster_numbers(streams), cluster, store=False)
    kernels.copy_column(*where, cluster_shares(streams), share, store=False)
    founder, hits = founders_by_row(streams, most)[rows], hits_by_row(streams, most)[rows]
    return _State(rows, first, stored, cluster, share, founder, hits, clustered_to(streams)[rows])


def _store(streams: "Streams", state: _State) -> None:
    """Store clusters in the side columns of the streams."""
    from memopolis.sim.memory.night import cluster_kernels as kernels

    most = state.founder.shape[1]
    where = (streams.table, state.rows, state.first, state.stored.starts)
    kernels.copy_column(*where, cluster_numbers(streams), state.cluster, store=True)
    kernels.copy_column(*where, cluster_shares(streams), state.share, store=True)
    founders_by_row(streams, most)[state.rows] = state.founder
    hits_by_row(streams, most)[state.rows] = state.hits
    clustered_to(streams)[state.rows] = state.done


def _nearest(
    memory: Memory,
    state: _State,
    texts: Sequence[str],
    query: IntArray,
    *,
    top: int,
    most: int,
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    from memopolis.sim.memory.night import cluster_kernels as kernels

    numbers = np.full((len(query), top), -1, np.int16)
    cosines = np.zeros((len(query), top))
    vectors = memory.vectors.of_queries(texts)
    has_vector = vectors.any(axis=1)[query]
    queries = Ragged(query.astype(np.int32), np.arange(len(query) + 1))
    members = np.where(state.cluster == NONE, np.int32(-1), state.stored.values)
    stored = Ragged(members, state.stored.starts)
    for group in groups(memory.vectors, queries, stored, vectors):
        agents = slice(group.begin, group.end)
        stored_part = slice(stored.starts[group.begin], stored.starts[group.end])
        kernels.nearest(
            group.similarity, group.queries.values, group.stored.values, group.stored.starts,
            state.cluster[stored_part], state.share[stored_part], most,
            numbers[agents], cosines[agents],
        )  # fmt: skip
    numbers[~has_vector] = -1
    cosines[~has_vector] = 0
    return numbers, cosines.astype(np.float32)
