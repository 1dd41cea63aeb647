"""What one agent and a cohort know about their memories; reading changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memopolis.sim.memory.interface import AgentView, CohortView
from memopolis.sim.memory.knowledge.assess import (
    Assessment,
    Assessments,
    assess,
    assess_agent,
)
from memopolis.sim.memory.knowledge.map import knowledge_map
from memopolis.sim.memory.night.replay import Due, Review, due
from memopolis.sim.memory.streams.recollection import Recollection, format_memories

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class DueMemory:
    """A memory that is due for review."""

    memory: Recollection  # the memory; its score is the value it was ranked by
    priority: float  # priority, 0..1
    overdue: float  # days since it was due


class CohortKnowledge(CohortView):
    """What some agents know."""

    def assess(self, topic: str | Sequence[str]) -> Assessments:
        """Assess how well each agent knows a topic in words, one or one per agent, as arrays."""
        return assess(self._memory, self._rows, topic)

    def review(self, k: int = 10, how: Review | None = None) -> Due:
        """Find the memories that are due for review, as arrays of shape (n, k)."""
        return due(self._memory, self._rows, k, how)


class AgentKnowledge(AgentView):
    """What one agent knows; see `CohortKnowledge`."""

    def assess(self, topic: str) -> Assessment:
        """Assess how well the agent knows a topic; as `CohortKnowledge.assess`."""
        return assess_agent(self._memory, self._row, topic)

    def map(self, topic: str, *, depth: int = 2, least: float = 0.3) -> "nx.Graph[int]":
        """Map what the agent knows about a topic in words, as a graph.

        Its nodes are ids of memories with text, score (>= `least`, 0..1), topic, depth (links to
        one of the five best, <= `depth`) and cluster (its founder, -1 for none); its edges are
        links between them, weighted by their cosine; its attribute `topic` is the topic.
        """
        return knowledge_map(self._memory, self._row, topic, depth=depth, least=least)

    def review(self, k: int = 10, how: Review | None = None) -> list[DueMemory]:
        """List the memories that are due for review, at most k, the most overdue first."""
        reviews = due(self._memory, self._rows, k, how)
        priority, overdue = reviews.priority[0].tolist(), reviews.overdue[0].tolist()
        ranks = [p * (1 + days) for p, days in zip(priority, overdue, strict=True)]
        memories = format_memories(self._memory, self._row, reviews.ids[0].tolist(), ranks)
        # Due memories come first, so the lists agree up to the end of the shorter one.
        return [DueMemory(*each) for each in zip(memories, priority, overdue, strict=False)]
