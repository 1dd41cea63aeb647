"""Settings of clusters, and the side columns of the streams in which clusters are stored."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.whole_numbers import whole_number

if TYPE_CHECKING:
    from memopolis.sim.memory.streams.stream import Streams

NONE = 255
"""Cluster number of a memory that is in no cluster."""

STALE = -(2**31)
"""Share of a member that has to be computed again."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """How memories are clustered.

    Attributes:
        short_term_size: Number of newest memories that are in no cluster yet, >= 0.
        similarity_threshold: Cosine above which a memory joins a cluster; None for the threshold of
            the memory's embedder.
        max_clusters: Most clusters of an agent, 1..255.
    """

    short_term_size: int = 20
    similarity_threshold: float | None = None
    max_clusters: int = 100

    def __post_init__(self) -> None:
        whole_number("short_term_size", self.short_term_size, least=0)
        whole_number("max_clusters", self.max_clusters, least=1, most=NONE)
        threshold = self.similarity_threshold
        if threshold is not None and not -1 <= threshold <= 1:
            raise ParameterError(f"similarity_threshold is {threshold}; allowed are -1 to 1")


def cluster_numbers(streams: "Streams") -> NDArray[Any]:
    """Return the cluster of each memory by slot, `NONE` for none, to be changed in place."""
    return streams.memory_column("cluster", np.uint8, fill=NONE)


def cluster_shares(streams: "Streams") -> NDArray[Any]:
    """Return each memory's share of its cluster's squared length, to be changed in place."""
    return streams.memory_column("cluster_share", share_type(streams))


def share_type(streams: "Streams") -> type[np.signedinteger[Any]]:
    """Return the type that holds the sum of a memory's cosines with all others of its agent."""
    return np.int32 if streams.limit <= 30_000 else np.int64


def founders_by_row(streams: "Streams", max_clusters: int) -> NDArray[Any]:
    """Return the founder of each cluster, -1 for none, to be changed in place."""
    column = streams.agent_column("cluster_founder", np.int32, fill=-1, width=max_clusters)
    return column.reshape(-1, max_clusters)


def hits_by_row(streams: "Streams", max_clusters: int) -> NDArray[Any]:
    """Return how often each cluster was returned, to be changed in place."""
    column = streams.agent_column("cluster_hits", np.uint16, width=max_clusters)
    return column.reshape(-1, max_clusters)


def clustered_to(streams: "Streams") -> NDArray[Any]:
    """Return the first id of each agent that was not clustered yet, to be changed in place."""
    return streams.agent_column("clustered_to", np.int32)
