"""Clusters: memories that fell out of an agent's short term, gathered by meaning.

An entry that is no longer among the newest joins the cluster whose centroid is nearest, if
its cosine with it is above the threshold, else it founds one. Once all numbers are taken,
it joins the nearest whatever the cosine. A text of which the embedder knows nothing lies in
no direction and belongs to no cluster. Members that are evicted or forgotten leave their
cluster; without members its number is free for another.

The centroid is the mean of the members' unit vectors, which is never worked out: the
cosine of a vector v with the sum S of the members is v.S / |S|, and both v.S and |S| are sums
of cosines between texts, in whole numbers. So an agent has the same clusters alone as in a
cohort. Passes day by day and one pass at the end give the same as long as no member goes in
between: who went before the pass has no say in it.

Source: PMemo's mid-term memory: threshold 0.7, at most 100 clusters, the best 3 returned.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.night.clustering import (
    NONE,
    Clustering,
    ClusterState,
    caught_up,
    hits_by_row,
    keep,
)
from memopolis.sim.memory.retrieval.asking import queries_of
from memopolis.sim.memory.vectors.text_likeness import Runs, groups

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

__all__ = [
    "Cluster",
    "Clustering",
    "Nearest",
    "cluster",
    "clusters_of",
    "count_hits",
    "hits_of",
    "nearest",
]

IntArray = NDArray[np.int64]

_MOST_HITS = np.iinfo(np.uint16).max

_DEFAULTS = Clustering()


@dataclass(frozen=True, eq=False)
class Cluster:
    """A cluster of an agent.

    Attributes:
        number: Its number, which is used again for another once all members are gone.
        founder: Id of the memory that founded it: its name in the agent's life.
        hits: How often it was returned to the agent.
        ids: Ids of its members, oldest first, int32.
    """

    number: int
    founder: int
    hits: int
    ids: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Nearest:
    """Clusters nearest to a query of each agent, nearest first.

    Attributes:
        rows: Rows of the agents, shape (n,).
        numbers: Numbers of clusters, -1 for none, int16, shape (n, top).
        cosines: Of query and centroid, 0 for none, float32, shape (n, top).
        founders: Memories that founded them, -1 for none, int32, shape (n, top).
        hits: How often they were returned, this time included, int32, shape (n, top).
    """

    rows: IntArray
    numbers: NDArray[np.int16]
    cosines: NDArray[np.float32]
    founders: NDArray[np.int32]
    hits: NDArray[np.int32]
    _state: ClusterState = field(repr=False)

    def members(self, i: int, j: int) -> NDArray[np.int32]:
        """Ids of the members of the j-th cluster of the i-th agent, oldest first."""
        number = int(self.numbers[i, j])
        return np.empty(0, np.int32) if number < 0 else self._state.members(i, number)


def cluster(memory: "Memory", rows: ArrayLike, settings: Clustering = _DEFAULTS) -> None:
    """Gather all that has fallen out of the short term since the last time.

    Args:
        memory: Where they are.
        rows: Rows of the agents.
        settings: How; `max_clusters` stays as it was when first used.
    """
    memory.settle()
    state = caught_up(memory, np.asarray(rows, np.int64), settings)
    keep(memory, state, settings)


def nearest(
    memory: "Memory",
    rows: ArrayLike,
    queries: str | Sequence[str],
    top: int = 3,
    *,
    each: ArrayLike | None = None,
    settings: Clustering = _DEFAULTS,
    observed: bool = False,
) -> Nearest:
    """Give the clusters nearest to a query, after gathering what is due.

    Args:
        memory: Where they are.
        rows: Rows of the agents, shape (n,).
        queries: One query for all, or several.
        top: Most clusters given, >= 1.
        each: Which query each agent asks, shape (n,); agent i asks query i if left out.
        settings: How memories are gathered.
        observed: Whether an observer asks, who sees the same but leaves nothing behind; else
            each cluster given counts as a hit.

    Returns:
        The clusters; none for a query of which the embedder knows nothing. Ties go to the
        lower number.

    Raises:
        ParameterError: If `top` is below 1, or queries and agents do not fit together.
    """
    if top < 1:
        raise ParameterError(f"top is {top}; at least 1 cluster is needed")
    who = np.asarray(rows, np.int64)
    texts, query = queries_of(queries, each, len(who))
    memory.settle()
    state = caught_up(memory, who, settings)
    numbers, cosines = _nearest(memory, state, texts, query, top=top, most=settings.max_clusters)
    there = numbers >= 0
    at = np.maximum(numbers, 0)
    if not observed:
        keep(memory, state, settings)
        count_hits(memory, np.broadcast_to(who[:, None], at.shape)[there], at[there], settings)
        state.hits[:] = hits_by_row(memory, settings)[who]
    places = np.arange(len(who))[:, None]
    founders = np.where(there, state.founder[places, at], -1).astype(np.int32)
    hits = np.where(there, state.hits[places, at], 0).astype(np.int32)
    return Nearest(who, numbers, cosines, founders, hits, state)


def clusters_of(
    memory: "Memory", row: int, *, settings: Clustering = _DEFAULTS, observed: bool = False
) -> list[Cluster]:
    """Give all clusters of an agent by number, after gathering what is due.

    Args:
        memory: Where they are.
        row: Row of the agent.
        settings: How memories are gathered.
        observed: Whether an observer asks, who leaves nothing behind.
    """
    memory.settle()
    state = caught_up(memory, np.array([row], np.int64), settings)
    if not observed:
        keep(memory, state, settings)
    numbers = np.unique(state.cluster[state.cluster != NONE]).tolist()
    return [
        Cluster(n, int(state.founder[0, n]), int(state.hits[0, n]), state.members(0, n))
        for n in numbers
    ]


def hits_of(
    memory: "Memory", rows: ArrayLike, settings: Clustering = _DEFAULTS
) -> NDArray[np.int32]:
    """How often each cluster of each agent was returned, int32, shape (n, max_clusters)."""
    who = np.asarray(rows, np.int64)
    if not memory.streams.has_column("cluster_hits"):
        return np.zeros((len(who), settings.max_clusters), np.int32)
    known = memory.streams.sides.agents["cluster_hits"]
    hits: NDArray[np.int32] = known.reshape(len(known), -1)[who].astype(np.int32)
    return hits


def _nearest(
    memory: "Memory",
    state: ClusterState,
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
    says = vectors.any(axis=1)[query]
    asked = Runs(query.astype(np.int32), np.arange(len(query) + 1))
    members = np.where(state.cluster == NONE, np.int32(-1), state.held.values)
    held = Runs(members, state.held.starts)
    for group in groups(memory.vectors, asked, held, vectors):
        agents = slice(group.begin, group.end)
        holding = slice(held.starts[group.begin], held.starts[group.end])
        kernels.nearest(
            group.form, group.asked.values, group.held.values, group.held.starts,
            state.cluster[holding], state.share[holding], most,
            numbers[agents], cosines[agents],
        )  # fmt: skip
    numbers[~says] = -1
    cosines[~says] = 0
    return numbers, cosines.astype(np.float32)


def count_hits(memory: "Memory", rows: IntArray, numbers: IntArray, settings: Clustering) -> None:
    """Count a hit of each cluster named by row and number, both of shape (m,)."""
    hits = hits_by_row(memory, settings)
    places, counts = np.unique(rows * hits.shape[1] + numbers, return_counts=True)
    who, which = places // hits.shape[1], places % hits.shape[1]
    hits[who, which] = np.minimum(hits[who, which] + counts, _MOST_HITS)
