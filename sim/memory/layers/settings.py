"""What the layers of a memory are made with."""

import math
from dataclasses import dataclass

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.night.clustering import Clustering


@dataclass(frozen=True, slots=True)
class LayerSettings:
    """How the layers of a memory are cut.

    Attributes:
        short_term_size: Memories of the short term, the newest, >= 1.
        similarity_threshold: Cosine above which a memory joins a cluster, 0..1; None for
            the one that fits the memory's embedder.
        max_clusters: Most clusters of an agent, 1..255.
        hit_threshold: A cluster returned more often than this becomes a key memory, >= 0.
        top_k: Clusters that a query returns, >= 1.
        summary_interval: Memories that a summary covers, >= 1.
        max_summary_length: Most characters of a summary or a gist, >= 1.
        long_term_size: Most summaries that a context takes, the newest; >= 0.
        max_summaries: Most summaries an agent keeps, the oldest goes out first; >= 1.

    Raises:
        ParameterError: If a value is out of range.

    Source:
        PMemo's defaults; the last two are this project's, illustrative: without a bound the
        summaries of a long life would fill every context and grow for ever.
    """

    short_term_size: int = 20
    similarity_threshold: float | None = None
    max_clusters: int = 100
    hit_threshold: int = 10
    top_k: int = 3
    summary_interval: int = 10
    max_summary_length: int = 200
    long_term_size: int = 3
    max_summaries: int = 1000

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(
                    f"{name} is {value!r}; a whole number of at least {least} is needed"
                )
        if self.max_clusters > 255:
            raise ParameterError(f"max_clusters is {self.max_clusters}; at most 255 are kept")
        limit = self.similarity_threshold
        if limit is not None and not (math.isfinite(limit) and 0 <= limit <= 1):
            raise ParameterError(
                f"similarity_threshold is {limit}; a number of 0..1 or None is needed"
            )

    @property
    def clustering(self) -> Clustering:
        """How the layers gather memories in clusters."""
        return Clustering(
            short_term_size=self.short_term_size,
            threshold=self.similarity_threshold,
            max_clusters=self.max_clusters,
        )


_LEAST = {
    "short_term_size": 1, "max_clusters": 1, "hit_threshold": 0, "top_k": 1,
    "summary_interval": 1, "max_summary_length": 1, "long_term_size": 0, "max_summaries": 1,
}  # fmt: skip
