"""Settings of the layers of a memory."""

from dataclasses import dataclass

from memopolis.sim.arguments import check_flag, check_range, whole_number


@dataclass(frozen=True, slots=True)
class LayerSettings:
    """Settings of the layers of a memory.

    Source:
        PMemo's defaults. Those from `long_term_size` on are this project's and illustrative:
        without limits, the summaries and key memories of a long life would fill every context.
    """

    short_term_size: int = 20  # memories in the short term, which are in no cluster yet; >= 0
    # Cosine above which a memory joins a cluster, 0..1; None for the threshold of the memory's
    # embedder.
    similarity_threshold: float | None = None
    max_clusters: int = 100  # most clusters of an agent, 1..255
    hit_threshold: int = 10  # a cluster returned more often than this becomes a key memory, >= 0
    top_k: int = 3  # clusters that a query returns, >= 1
    summary_interval: int = 10  # memories that a summary covers, >= 1
    max_summary_length: int = 200  # most characters of a summary or a gist, >= 1
    long_term_size: int = 3  # most summaries in a context, the newest ones; >= 0
    max_summaries: int = 1000  # most summaries of an agent; the oldest is dropped first; >= 1
    # Most key memories that were not pinned, for each person who said them; >= 1.
    max_key_memories: int = 12
    # Whether statements of persons about themselves become key memories, outside a society.
    statements: bool = True
    # Actors whose memories may become key memories, -1 for memories without one; None for all.
    key_actors: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least=least))
        check_flag("statements", self.statements)
        if self.key_actors is not None:
            numbers = (whole_number("key_actors", actor, least=-1) for actor in self.key_actors)
            object.__setattr__(self, "key_actors", tuple(numbers))
        check_range("max_clusters", self.max_clusters, 1, 255)
        if self.similarity_threshold is not None:
            check_range("similarity_threshold", self.similarity_threshold)


_LEAST = {
    "short_term_size": 0, "max_clusters": 1, "hit_threshold": 0, "top_k": 1,
    "summary_interval": 1, "max_summary_length": 1, "long_term_size": 0, "max_summaries": 1,
    "max_key_memories": 1,
}  # fmt: skip
