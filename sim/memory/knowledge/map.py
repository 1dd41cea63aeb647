"""Knowledge map: what an agent knows about a topic, and what hangs together with it.

Breadth first from the five best memories about the topic along links between related
memories. A memory's score is the share of the topic that it holds or, if that is more, the
score of the memory it was reached from times their cosine; those below the least score are
not listed and lead no further.

Source:
    memtool (five memories, depth 2, least score 0.3); how a score falls along a link is this
    project's.
"""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.knowledge.relevant import best, shares
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

    from memopolis.sim.memory.memory import Memory

ROOTS = 5
"""Memories that a map begins from."""

Links = dict[int, list[tuple[int, float]]]


def knowledge_map(
    memory: "Memory", row: int, topic: str, *, depth: int = 2, least: float = 0.3
) -> "nx.Graph[int]":
    """Draw up what an agent knows about a topic, without touching its memories.

    Args:
        memory: Where they are.
        row: Row of the agent.
        topic: The topic, in words.
        depth: Links between a memory and one of the five it began from, at most, >= 0.
        least: Least score of a memory, 0..1.

    Returns:
        A networkx graph. Its nodes are ids of memories with the attributes text, score,
        topic, depth and cluster (id of the memory that founded the cluster, -1 for none);
        its edges are links between listed memories, with their cosine as weight; its own
        attribute `topic` is the topic asked.

    Raises:
        ParameterError: If a number is out of range.
    """
    import networkx as nx

    if depth < 0:
        raise ParameterError(f"depth is {depth}; a number >= 0 is needed")
    if not 0 <= least <= 1:
        raise ParameterError(f"least is {least}; it lies between 0 and 1")
    found = best(memory, np.array([row]), topic, ROOTS, bar=least)
    roots = found.ids[0] >= 0
    begun = zip(found.ids[0][roots].tolist(), found.scores[0][roots].tolist(), strict=True)
    links = _links(memory, row) if roots.any() else {}
    listed = _walk(memory, row, topic, dict(begun), links, depth=depth, least=least)
    graph: nx.Graph[int] = nx.Graph(topic=topic)
    graph.add_nodes_from(_nodes(memory, row, listed))
    for one in sorted(listed):
        near = ((other, weight) for other, weight in links.get(one, ()) if one < other)
        graph.add_weighted_edges_from((one, o, w) for o, w in near if o in listed)
    return graph


def _links(memory: "Memory", row: int) -> Links:
    """Related memories of each memory with their cosines, in both directions."""
    from memopolis.sim.memory.night.related import links

    first, second = links(memory, row, observed=True)
    texts = memory.streams.get("text", row, np.stack([first, second]))
    weights = memory.vectors.likeness(texts[0], texts[1]) if len(first) else np.zeros(0)
    found: Links = defaultdict(list)
    rows = zip(first.tolist(), second.tolist(), weights.tolist(), strict=True)
    for one, other, weight in rows:
        found[one].append((other, weight))
    return found


def _walk(
    memory: "Memory",
    row: int,
    topic: str,
    begun: dict[int, float],
    links: Links,
    *,
    depth: int,
    least: float,
) -> dict[int, tuple[float, int]]:
    """Score and depth of every memory listed, level by level."""
    listed = {number: (score, 0) for number, score in begun.items()}
    level = begun
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
    memory: "Memory", row: int, topic: str, reached: dict[int, float], least: float
) -> dict[int, float]:
    """Scores of the memories reached that are high enough."""
    if not reached:
        return {}
    numbers = np.array(sorted(reached))
    texts: NDArray[np.int32] = memory.streams.get("text", row, numbers)
    held = shares(memory, topic, texts[None])[0].tolist()
    scores = {n: max(reached[n], s) for n, s in zip(numbers.tolist(), held, strict=True)}
    return {number: score for number, score in scores.items() if score >= least}


def _nodes(
    memory: "Memory", row: int, listed: dict[int, tuple[float, int]]
) -> list[tuple[int, dict[str, Any]]]:
    """Listed memories with their attributes, by id."""
    if not listed:
        return []
    founder = _founders(memory, row)
    return [
        (
            one.id,
            {
                "text": one.text,
                "topic": one.topic,
                "score": listed[one.id][0],
                "depth": listed[one.id][1],
                "cluster": founder.get(one.id, -1),
            },
        )
        for one in tell(memory, row, sorted(listed))
    ]


def _founders(memory: "Memory", row: int) -> dict[int, int]:
    """Founder of each memory's cluster."""
    from memopolis.sim.memory.night.clusters import clusters_of

    settings = memory.layer_settings.clustering
    every = clusters_of(memory, row, settings=settings, observed=True)
    return {int(number): cluster.founder for cluster in every for number in cluster.ids}
