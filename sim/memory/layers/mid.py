"""Mid term: memories that have left the short term, in clusters of similar meaning."""

from dataclasses import dataclass

import numpy as np

from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.entries import Layer
from memopolis.sim.memory.night import clusters
from memopolis.sim.memory.retrieval import recalling
from memopolis.sim.memory.streams.recollection import Recollections, format_memories


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories of one agent with similar meanings."""

    id: int  # id of the memory that founded it
    hits: int  # how often it was returned for a query of the agent
    match: float  # cosine of query and centroid; nan without a query
    memories: Recollections  # its members, oldest first

    def __str__(self) -> str:
        return str(self.memories)


def rank_memories(
    memory: Memory, row: int, query: str, *, observed: bool = False
) -> tuple[int, ...]:
    """Return the ids of all memories of an agent, the best for a context first.

    The clusters of the best memories count a hit unless `observed`.
    """
    # Observed: only the memories that enter the context count as accessed.
    ranked = recalling.search(
        memory, np.array([row]), query, memory.streams.limit, profile="recall", observed=True
    )
    best = tuple(number for number in ranked.ids[0].tolist() if number >= 0)
    every = clusters.clusters_of(memory, row, observed=observed)
    if not observed:
        home = {number: one.number for one in every for number in one.ids.tolist()}
        top = list(dict.fromkeys(home[number] for number in best if number in home))
        top = top[: memory.layer_settings.top_k]
        clusters.count_hits(memory, np.full(len(top), row), np.array(top, np.int64))
    return best


class MidTerm(Layer[Cluster]):
    """The clusters of one agent, oldest founder first; called with a query, the nearest ones."""

    __slots__ = ()

    def __call__(self, query: str, top: int | None = None) -> list[Cluster]:
        """Recall the clusters nearest to a query, best first, `LayerSettings.top_k` by default.

        Each cluster counts a hit and its members an access, unless an observer searches.
        """
        memory, row = self._memory, self._row
        top = memory.layer_settings.top_k if top is None else top
        recalled = []
        for one, cosine in clusters.nearest(memory, row, query, top, observed=self._observed):
            hits = one.hits if self._observed else one.hits + 1
            members = format_memories(memory, row, one.ids.tolist())
            recalled.append(Cluster(one.founder, hits, cosine, members))
            if not self._observed:
                recalling.record_access(memory, np.array([row]), one.ids.reshape(1, -1))
        return recalled

    def _all(self) -> list[Cluster]:
        memory, row = self._memory, self._row
        every = clusters.clusters_of(memory, row, observed=self._observed)
        return [
            Cluster(
                one.founder, one.hits, float("nan"), format_memories(memory, row, one.ids.tolist())
            )
            for one in sorted(every, key=lambda one: one.founder)
        ]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or "Nothing"
