"""What one agent and a cohort know about their memories; reading changes nothing.

A map is built breadth first from the five best memories about a topic, along links between related
memories. The score of a memory is its share of the topic or, if greater, the score of the memory it
was reached from times their cosine. Memories below the least score are left out.

Source:
    memtool (five memories, depth 2, least score 0.3); the decay along links is this project's.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memopolis.sim.arguments import INT64, check_range, check_type, whole_number
from memopolis.sim.memory.interface import AgentView, CohortView, Memory
from memopolis.sim.memory.knowledge.assess import (
    Assessment,
    Assessments,
    assess,
    assess_agent,
    find_about,
    topic_shares,
)
from memopolis.sim.memory.night.clusters import clusters_of
from memopolis.sim.memory.night.related import links
from memopolis.sim.memory.night.replay import Due, Review, due
from memopolis.sim.memory.retrieval.recollection import Recollection, format_memories

if TYPE_CHECKING:
    import networkx as nx

ROOTS = 5  # memories that a map starts from

Links = dict[int, list[tuple[int, float]]]


def _links(memory: Memory, row: int) -> Links:
    """Return the related memories of each memory with their cosines, in both directions."""
    first, second = links(memory, row, observed=True)
    texts = memory.streams.get("text", row, np.stack([first, second]))
    weights = memory.vectors.likeness(texts[0], texts[1]) if len(first) else np.zeros(0)
    linked: Links = defaultdict(list)
    rows = zip(first.tolist(), second.tolist(), weights.tolist(), strict=True)
    for one, other, weight in rows:
        linked[one].append((other, weight))
    return linked


def _walk(
    memory: Memory,
    row: int,
    topic: str,
    roots: dict[int, float],
    links: Links,
    *,
    depth: int,
    least: float,
) -> dict[int, tuple[float, int]]:
    """Return score and depth of every memory in the map, found level by level."""
    listed = {number: (score, 0) for number, score in roots.items()}
    level = roots
    for step in range(1, depth + 1):
        reached: dict[int, float] = {}
        for one, score in level.items():
            for other, weight in links.get(one, ()):
                if other not in listed:
                    reached[other] = max(reached.get(other, 0.0), score * weight)
        level = _scored(memory, row, topic, reached, least)
        if not level:
            break
        listed |= {number: (score, step) for number, score in level.items()}
    return listed


def _scored(
    memory: Memory, row: int, topic: str, reached: dict[int, float], least: float
) -> dict[int, float]:
    """Return the scores of the reached memories that are high enough."""
    if not reached:
        return {}
    numbers = np.array(sorted(reached))
    texts = memory.streams.get("text", row, numbers)
    shares = topic_shares(memory, topic, texts[None])[0].tolist()
    scores = {n: max(reached[n], s) for n, s in zip(numbers.tolist(), shares, strict=True)}
    return {number: score for number, score in scores.items() if score >= least}


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
        import networkx as nx

        memory, row = self._memory, self._row
        depth = whole_number("depth", depth, least=0, most=INT64[1])
        check_range("least", least)
        check_type("topic", topic, str, "a str")
        best = find_about(memory, np.array([row]), topic, ROOTS, bar=least)
        is_root = best.ids[0] >= 0
        roots = zip(best.ids[0][is_root].tolist(), best.scores[0][is_root].tolist(), strict=True)
        related = _links(memory, row) if is_root.any() else {}
        listed = _walk(memory, row, topic, dict(roots), related, depth=depth, least=least)
        graph: nx.Graph[int] = nx.Graph(topic=topic)
        every = clusters_of(memory, row, observed=True) if listed else []
        founders = {number: one.founder for one in every for number in one.ids.tolist()}
        for one in format_memories(memory, row, sorted(listed)):
            score, steps = listed[one.id]
            cluster = founders.get(one.id, -1)
            graph.add_node(
                one.id, text=one.text, topic=one.topic, score=score, depth=steps, cluster=cluster
            )
        for number in sorted(listed):
            near = ((other, weight) for other, weight in related.get(number, ()) if number < other)
            graph.add_weighted_edges_from((number, o, w) for o, w in near if o in listed)
        return graph

    def review(self, k: int = 10, how: Review | None = None) -> list[DueMemory]:
        """List the memories that are due for review, at most k, the most overdue first."""
        reviews = due(self._memory, self._rows, k, how)
        priority, overdue = reviews.priority[0].tolist(), reviews.overdue[0].tolist()
        ranks = [p * (1 + days) for p, days in zip(priority, overdue, strict=True)]
        memories = format_memories(self._memory, self._row, reviews.ids[0].tolist(), ranks)
        # Due memories come first, so the lists agree up to the end of the shorter one.
        return [DueMemory(*each) for each in zip(memories, priority, overdue, strict=False)]
