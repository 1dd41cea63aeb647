"""The knowledge map: what is listed, how far it goes, and that it is only looked at."""

import networkx as nx
import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory import knowledge
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.clusters import Cluster

STORIES = (
    "The storm tore off the roof.",
    "The roof was repaired.",
    "The repair was expensive.",
    "My cat is ill.",
)


@pytest.fixture
def memory() -> Memory:
    memory = Memory(2)
    for text in STORIES:
        memory.stream.add("disaster", text)
    memory.flush()
    return memory


def chained(monkeypatch: pytest.MonkeyPatch, weights: dict[tuple[int, int], float]) -> None:
    """Let these be the links, instead of those by likeness."""
    links: dict[int, list[tuple[int, float]]] = {}
    for (one, other), weight in weights.items():
        links.setdefault(one, []).append((other, weight))
        links.setdefault(other, []).append((one, weight))
    monkeypatch.setattr(knowledge, "_links", lambda *_: links)
    cluster = Cluster(number=0, founder=0, hits=0, ids=np.array([0, 1], np.int32), share=0)
    monkeypatch.setattr(knowledge, "clusters_of", lambda *_, **__: [cluster])


def test_scores_fall_along_links(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    chained(monkeypatch, {(0, 1): 0.8, (1, 2): 0.5, (2, 3): 0.9})
    graph = memory[0].knowledge.map("storm")
    scores = {one: graph.nodes[one]["score"] for one in graph}
    # The first holds the word; 0.8 of it reaches the second and half of that the third; the
    # fourth lies three links away.
    assert scores == pytest.approx({0: 1.0, 1: 0.8, 2: 0.4})
    assert {one: graph.nodes[one]["depth"] for one in graph} == {0: 0, 1: 1, 2: 2}
    assert sorted(graph.edges) == [(0, 1), (1, 2)]
    assert graph.edges[1, 2]["weight"] == 0.5


def test_depth_and_minimum_score_can_be_set(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    chained(monkeypatch, {(0, 1): 0.8, (1, 2): 0.5, (2, 3): 0.9})
    known = memory[0].knowledge
    assert set(known.map("storm", depth=0)) == {0}
    assert set(known.map("storm", depth=1)) == {0, 1}
    assert set(known.map("storm", depth=9)) == {0, 1, 2, 3}
    assert set(known.map("storm", least=0.41)) == {0, 1}
    assert set(known.map("storm", least=0.8)) == {0, 1}


def test_a_node_has_the_score_of_its_best_path(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    chained(monkeypatch, {(0, 1): 0.4, (0, 2): 0.9, (1, 2): 0.7, (2, 3): 0.1})
    graph = memory[0].knowledge.map("storm")
    # The second is reached at once by a weak link: breadth first, it keeps that score.
    assert graph.nodes[1]["score"] == pytest.approx(0.4)
    assert sorted(graph.edges) == [(0, 1), (0, 2), (1, 2)]


def test_nodes_describe_their_memory(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    chained(monkeypatch, {(0, 1): 0.8})
    graph = memory[0].knowledge.map("storm")
    assert graph.graph == {"topic": "storm"}
    node = graph.nodes[0]
    assert node["text"] == STORIES[0]
    assert node["topic"] == "disaster"
    assert {one: graph.nodes[one]["cluster"] for one in graph} == {0: 0, 1: 0}


def test_a_linked_memory_about_the_topic_keeps_its_own_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = Memory(1)
    for number in range(7):
        memory[0].stream.add("x", f"Storm {number}.")
        memory.now += 1
    chained(monkeypatch, {(6, 0): 0.5})
    graph = memory[0].knowledge.map("storm")
    # The newest five are the best, and the oldest is found by its link.
    assert set(graph) == {0, 2, 3, 4, 5, 6}
    assert graph.nodes[0]["score"] == 1.0


def test_similar_memories_are_linked() -> None:
    memory = Memory(1)
    for number in range(30):
        memory[0].stream.add("x", f"The storm tore {number} trees down in our street.")
        memory[0].stream.add("x", f"I bought {number} loaves of bread.")
    before = memory.state()
    graph = memory[0].knowledge.map("storm")
    assert 5 <= len(graph) <= 30
    assert all("storm" in text for _, text in graph.nodes(data="text"))
    assert all(0 < weight <= 1 for *_, weight in graph.edges(data="weight"))
    after = memory.state()
    assert set(before) == set(after)
    assert all(np.array_equal(values, after[name]) for name, values in before.items())
    memory.stream.related([[1]])
    assert nx.utils.graphs_equal(graph, memory[0].knowledge.map("storm"))


def test_memories_before_the_short_term_have_a_cluster_without_a_night() -> None:
    memory = Memory(1)
    for number in range(35):
        what = "The storm tore {} trees down." if number < 9 else "I bought {} loaves of bread."
        memory[0].stream.add("x", what.format(number))
    graph = memory[0].knowledge.map("storm")
    assert {founder for _, founder in graph.nodes(data="cluster")} == {0}


def test_an_unknown_topic_has_an_empty_map(memory: Memory) -> None:
    assert len(memory[0].knowledge.map("zebra")) == 0
    assert len(Memory(1)[0].knowledge.map("storm")) == 0


def test_wrong_arguments_are_refused(memory: Memory) -> None:
    with pytest.raises(ParameterError, match="depth"):
        memory[0].knowledge.map("storm", depth=-1)
    with pytest.raises(ParameterError, match="least"):
        memory[0].knowledge.map("storm", least=2.0)


def test_a_map_ends_without_further_links(memory: Memory) -> None:
    assert nx.utils.graphs_equal(
        memory[0].knowledge.map("storm", depth=2**60), memory[0].knowledge.map("storm", depth=9)
    )
