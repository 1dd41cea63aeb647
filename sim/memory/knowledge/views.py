"""Views on what agents know, for one and for many. Looking at it changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.knowledge.assess import Assessing, Assessments, assess
from memopolis.sim.memory.knowledge.assessment import Assessment, written
from memopolis.sim.memory.knowledge.map import knowledge_map
from memopolis.sim.memory.night.replay import Due, Review, due
from memopolis.sim.memory.streams.recollection import Recollection
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    import networkx as nx

    from memopolis.sim.memory.memory import Memory


@dataclass(frozen=True, slots=True)
class DueMemory:
    """A memory that is due for review.

    Attributes:
        memory: It, written out; its score is what it was ranked by.
        priority: What it is worth rehearsing for, 0..1.
        overdue: Days since it was due.
    """

    memory: Recollection
    priority: float
    overdue: float


class AgentKnowledge:
    """What one agent knows."""

    __slots__ = ("_memory", "_row")

    def __init__(self, memory: "Memory", row: int) -> None:
        self._memory = memory
        self._row = row

    def assess(self, topic: str, how: Assessing | None = None) -> Assessment:
        """Tell how well the agent knows a topic.

        Args:
            topic: The topic, in words.
            how: Weights and bounds.
        """
        how = how or Assessing()
        one = assess(self._memory, np.array([self._row]), topic, how)
        return written(self._memory, topic, one, how)

    def map(self, topic: str, *, depth: int = 2, least: float = 0.3) -> "nx.Graph[int]":
        """Draw up what the agent knows about a topic, and what hangs together with it.

        Args:
            topic: The topic, in words.
            depth: Links from the five best memories to a listed one, at most.
            least: Least score of a listed memory, 0..1.

        Returns:
            A networkx graph, as `knowledge_map` says.
        """
        return knowledge_map(self._memory, self._row, topic, depth=depth, least=least)

    def review(self, k: int = 10, how: Review | None = None) -> list[DueMemory]:
        """List what is due for review, most pressing first; at most k memories."""
        found = due(self._memory, np.array([self._row]), k, how)
        worth, late = found.priority[0].tolist(), found.overdue[0].tolist()
        ranks = [p * (1 + days) for p, days in zip(worth, late, strict=True)]
        told = tell(self._memory, self._row, found.ids[0].tolist(), ranks)
        # Those due come first, so what is written out lies at the same places.
        return [DueMemory(*each) for each in zip(told, worth, late, strict=False)]


class CohortKnowledge:
    """What some agents know."""

    __slots__ = ("_memory", "_rows")

    def __init__(self, memory: "Memory", rows: NDArray[np.int64]) -> None:
        self._memory = memory
        self._rows = rows

    def assess(self, topic: str | Sequence[str], how: Assessing | None = None) -> Assessments:
        """Tell how well each agent knows a topic, as arrays.

        Args:
            topic: One topic in words, or one an agent.
            how: Weights and bounds.
        """
        return assess(self._memory, self._rows, topic, how)

    def map(self, topic: str, *, depth: int = 2, least: float = 0.3) -> "list[nx.Graph[int]]":
        """Draw up what each agent knows about a topic; arguments as in `AgentKnowledge.map`."""
        return [
            knowledge_map(self._memory, row, topic, depth=depth, least=least)
            for row in self._rows.tolist()
        ]

    def review(self, k: int = 10, how: Review | None = None) -> Due:
        """Find what is due for review, as arrays of shape (n, k)."""
        return due(self._memory, self._rows, k, how)
