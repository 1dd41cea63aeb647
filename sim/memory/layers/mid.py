"""Mid term: what fell out of the short term, in clusters by meaning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.layers.layer import Layer
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.streams.cohort_stream import CohortStream
from memopolis.sim.memory.streams.recollection import Recollections
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.night import clusters
    from memopolis.sim.memory.retrieval.asking import Queries

IntArray = NDArray[np.int64]

ORDER = "recall"
"""Profile that tells which members of a cluster fit a query best."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories of one agent that speak of the same.

    Attributes:
        id: Its name: the id of the memory that founded it.
        hits: How often it was returned to a query of the agent.
        match: Cosine of the query and the centroid; nan where there was no query.
        memories: Its members, oldest first.
    """

    id: int
    hits: int
    match: float
    memories: Recollections

    def __str__(self) -> str:
        return str(self.memories)


@dataclass(frozen=True, slots=True)
class Matches:
    """What of the mid term matches a query, not yet written out.

    Attributes:
        clusters: Ids of each cluster's members, oldest first; the best cluster first.
        best: Ids of all of them, those that fit the query best first.
    """

    clusters: tuple[tuple[int, ...], ...] = ()
    best: tuple[int, ...] = ()


def nearest(
    memory: "Memory",
    rows: IntArray,
    query: "Queries",
    top: int,
    *,
    each: NDArray[np.integer] | None = None,
    observed: bool = False,
) -> "clusters.Nearest":
    """Find the clusters nearest to a query; each counts a hit unless an observer asks.

    Args:
        memory: Where the memories are.
        rows: Rows of the agents, shape (n,).
        query: One query, or several.
        top: Most clusters an agent, >= 1.
        each: Which query each agent asks, shape (n,).
        observed: Whether an observer asks.
    """
    from memopolis.sim.memory.night import clusters

    memory.settle()
    settings = memory.layer_settings.clustering
    return clusters.nearest(
        memory, rows, query, top, each=each, settings=settings, observed=observed
    )


def matches(memory: "Memory", row: int, query: str, *, observed: bool = False) -> Matches:
    """Find the clusters that a context takes: those of the memories that fit the query best.

    A question asks for one thing, a centroid is near to much: by its best member a cluster is
    found more often than by its centroid. Each counts a hit unless an observer asks.

    Args:
        memory: Where the memories are.
        row: Row of the agent.
        query: What is asked.
        observed: Whether an observer asks.
    """
    from memopolis.sim.memory.night import clusters

    settings = memory.layer_settings.clustering
    every = clusters.clusters_of(memory, row, settings=settings, observed=observed)
    members = {one.number: tuple(one.ids.tolist()) for one in every}
    home = {number: cluster for cluster, ids in members.items() for number in ids}
    if not home:
        return Matches()
    # Looked at, not recalled: only what comes into the context is.
    stream = CohortStream(memory, np.array([row]), observed=True)
    ranked = stream.search(query, k=memory.streams.limit, profile=ORDER).ids[0].tolist()
    fitting = [number for number in ranked if number in home]
    top = list(dict.fromkeys(home[n] for n in fitting))[: memory.layer_settings.top_k]
    if not observed:
        clusters.count_hits(memory, np.full(len(top), row), np.array(top, np.int64), settings)
    return Matches(
        tuple(members[cluster] for cluster in top),
        tuple(number for number in fitting if home[number] in top),
    )


class MidTerm(Layer[Cluster]):
    """The clusters of one agent, oldest founder first; called with a query, the nearest ones."""

    __slots__ = ()

    def __call__(self, query: str, top: int | None = None) -> list[Cluster]:
        """Recall the clusters nearest to a query.

        Each counts a hit, and its members an access, unless an observer asks.

        Args:
            query: What is asked.
            top: Most clusters; `LayerSettings.top_k` if left out.

        Returns:
            The clusters, best first.
        """
        memory, rows = self._memory, np.array([self._row])
        most = memory.layer_settings.top_k if top is None else top
        found = nearest(memory, rows, query, most, observed=self._observed)
        made = []
        for at in np.flatnonzero(found.founders[0] >= 0).tolist():
            ids = found.members(0, at)
            told = tell(memory, self._row, ids.tolist())
            founder, hits = int(found.founders[0, at]), int(found.hits[0, at])
            made.append(Cluster(founder, hits, float(found.cosines[0, at]), told))
            if not self._observed:
                recalling.book(memory, rows, ids.astype(np.int32).reshape(1, -1))
        return made

    def _all(self) -> list[Cluster]:
        from memopolis.sim.memory.night import clusters

        memory, row = self._memory, self._row
        memory.settle()
        settings = memory.layer_settings.clustering
        every = clusters.clusters_of(memory, row, settings=settings, observed=self._observed)
        return [
            Cluster(one.founder, one.hits, float("nan"), tell(memory, row, one.ids.tolist()))
            for one in sorted(every, key=lambda one: one.founder)
        ]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or "Nothing"
