"""What agents recall for a decision, and expectations from such experience.

An agent that recalls nothing keeps a neutral expectation of 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter
from memopolis.sim.memory.streams.recollection import Recalled
from memopolis.sim.population import Cohort

type Floats = NDArray[np.floating]
type Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Experience:
    """Recalled memories and what decisions weigh them by, each of shape (agents, k).

    Attributes:
        recalled: Ids and scores.
        topic: Numbers of topics, -1 where there are fewer memories.
        valence: In [-1, 1], 0 where there are fewer.
        importance: In [0, 1], 0 where there are fewer.
        confidence: In [0, 1], 0 where there are fewer.
        topics: Number of each topic by name.
    """

    recalled: Recalled
    topic: NDArray[np.int32]
    valence: Floats
    importance: Floats
    confidence: Floats
    topics: Mapping[str, int]

    @classmethod
    def recall(
        cls,
        agents: Cohort,
        query: str,
        *,
        k: int,
        profile: str = "act",
        where: Filter = NO_FILTER,
    ) -> Self:
        """Recall the memories of each agent that match a query best.

        Args:
            agents: The agents.
            query: Search query.
            k: Maximum number of memories per agent.
            profile: Retrieval profile.
            where: Conditions that memories must meet.
        """
        stream = agents.memory.stream
        recalled = stream.search(query, k=k, profile=profile, where=where)
        values = (
            np.nan_to_num(stream.column(name, recalled.ids))
            for name in ("valence", "importance", "confidence")
        )
        topics = agents.population.memory.topic_numbers
        return cls(recalled, stream.column("topic", recalled.ids), *values, topics)

    def about(self, *topics: str) -> Mask:
        """Return which memories have one of the topics, shape (agents, k)."""
        numbers = [self.topics[name] for name in topics if name in self.topics]
        return np.isin(self.topic, numbers) & (self.recalled.ids >= 0)

    def mean(self, *topics: str) -> NDArray[np.float32]:
        """Return the mean valence of memories of some topics, see `weigh_experience`."""
        return weigh_experience(
            self.valence, self.recalled.scores, self.importance, self.about(*topics)
        )

    def share(self, *topics: str) -> NDArray[np.float32]:
        """Return the share of recalled memories of some topics, 0 without any memory."""
        count = self.recalled.counts
        return (self.about(*topics).sum(axis=1) / np.maximum(count, 1)).astype(np.float32)

    def evidence(self, *topics: str) -> NDArray[np.int32]:
        """Return the ids of memories of some topics, -1 elsewhere, shape (agents, k)."""
        return np.where(self.about(*topics), self.recalled.ids, -1).astype(np.int32)


def weigh_experience(
    valence: Floats, score: Floats, importance: Floats, relevant: Mask
) -> NDArray[np.float32]:
    """Compute the mean experience of each agent.

    Args:
        valence: How good each recalled event was, in [-1, 1], shape (agents, k).
        score: Retrieval score, >= 0, shape (agents, k).
        importance: In [0, 1], shape (agents, k).
        relevant: Whether each memory concerns the expectation, shape (agents, k).

    Returns:
        In [-1, 1], 0 without relevant memories, shape (agents,).

    Source:
        Learning from experience, in which expectations are weighted means of experienced
        outcomes and recent ones weigh more: Malmendier and Nagel 2011, doi:10.1093/qje/qjq004,
        and 2016, doi:10.1093/qje/qjv037 (recalled). Weights from retrieval replace their weights
        by age; this is the project's choice.
    """
    weight = np.where(relevant, score * importance, 0.0)
    total = weight.sum(axis=1)
    mean = (weight * valence).sum(axis=1) / np.where(total > 0, total, 1)
    return np.clip(mean, -1, 1).astype(np.float32)
