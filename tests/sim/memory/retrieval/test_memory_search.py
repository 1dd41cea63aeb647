"""One search over status and stream: one space, one order, and only what is returned is booked."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.status.schema import Schema


class Letters:
    """An embedder by hand: how often a text holds a, b and c."""

    dimensions = 3

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([[text.count(x) for x in "abc"] for text in texts], np.float32)
        counts = counts.reshape(-1, 3)
        norm = np.sqrt((counts * counts).sum(axis=1, keepdims=True))
        return (counts / np.where(norm > 0, norm, 1)).astype(np.float32)


def memory(agents: int = 3, embedder: Any = None) -> Memory:
    schema = Schema()
    for name, value in (("first", "a"), ("second", "b")):
        schema.declare(name, value, embed=True, template="{value}")
    return Memory(agents, schema=schema, embedder=embedder or Letters())


def test_attributes_and_memories_are_ranked_together() -> None:
    kept = memory()
    for text in ("ab", "b", "aab"):
        kept[0].stream.add("x", text)
    results = kept[0].search("a", k=4)
    assert [(f.source, f.text, f.id, f.name) for f in results] == [
        ("status", "a", -1, "first"),
        ("stream", "aab", 2, ""),
        ("stream", "ab", 0, ""),
        ("status", "b", -1, "second"),
    ]
    # Of (1, 0, 0) and (1, 0, 0), (2, 1, 0), (1, 1, 0), (0, 1, 0).
    assert [f.score for f in results] == pytest.approx([1, 2 / 5**0.5, 0.5**0.5, 0], abs=0.01)


def test_the_same_text_scores_alike_wherever_it_stands() -> None:
    kept = memory()
    kept[0].status["first"] = "aabcc"
    kept[0].stream.add("x", "aabcc")
    first, second = kept[0].search("abc", k=2)
    assert (first.source, second.source) == ("status", "stream")
    assert first.score == pytest.approx(second.score, abs=0.001)


def test_results_print_as_a_mind_reads_them() -> None:
    kept = memory()
    kept[0].stream.add("x", "ab")
    lines = str(kept[0].search("a", k=2)).splitlines()
    assert lines == ["- a", "- [x]: ab [day: 0, time: 00:00:00, location: unknown]"]
    assert str(Memory(1)[0].search("a")) == "Nothing"
    assert kept[0].search("a", only="first", where=Filter(topic="none of these"))[0].name == "first"


def test_one_and_many_find_the_same() -> None:
    kept = memory(4)
    everyone = kept.of(np.arange(4))
    everyone.status["second"] = np.array(["a", "abc", "b", "bba"])
    for texts in (["ab", "b", "c", "abb"], ["cab", "ccc", "a", "aab"]):
        everyone.stream.add("x", texts)
    many = kept.of([3, 1, 0, 2]).search("aab", k=3)
    assert many.ids.shape == many.attributes.shape == many.scores.shape == (4, 3)
    assert many.counts.tolist() == [3, 3, 3, 3]
    for place, row in enumerate([3, 1, 0, 2]):
        alone = kept[row].search("aab", k=3)
        assert [f.id for f in alone] == many.ids[place].tolist()
        names = [many.names[at] if at >= 0 else "" for at in many.attributes[place]]
        assert [f.name for f in alone] == names
        assert [np.float32(f.score) for f in alone] == many.scores[place].tolist()


def test_one_query_per_agent_with_fewer_results_than_k() -> None:
    kept = memory(2)
    kept[1].stream.add("x", "c")
    many = kept.of([0, 1]).search(["b", "c"], k=5)
    assert many.attributes[:, :2].tolist() == [[1, 0], [-1, 0]]
    assert many.ids.tolist() == [[-1] * 5, [0] + [-1] * 4]
    assert many.counts.tolist() == [2, 3]
    assert many.scores[:, 3:].tolist() == [[0, 0]] * 2


def test_only_returned_memories_are_accessed() -> None:
    kept = memory()
    kept[0].stream.add("x", "ab")
    kept[0].stream.add("x", "abc")
    kept.now = 9
    assert [f.id for f in kept[0].search("a", k=2)] == [-1, 0]
    assert kept[0].stream.column("accesses", [0, 1]).tolist() == [1, 0]
    assert kept[0].stream.column("accessed", [0, 1]).tolist() == [9, 0]


def test_observing_does_not_record_access() -> None:
    kept = memory()
    kept[0].stream.add("x", "a")
    kept[0].observed.search("a")
    kept.observed.of([0]).search("a")
    assert kept[0].stream.column("accesses", [0]).tolist() == [0]


def test_filters_apply_to_memories() -> None:
    kept = memory()
    kept[0].stream.add("x", "a", place=1, importance=0.1)
    kept[0].stream.add("y", "ab", valence=-0.5, tags="urgent")
    kept.now = 48
    kept[0].stream.add("x", "abc", kind="thought", emotion="Fear")

    def ids(**where: Any) -> list[int]:
        return [f.id for f in kept[0].search("a", k=9, only=(), where=Filter(**where))]

    assert ids() == [0, 1, 2]
    assert ids(topic="x") == [0, 2]
    assert ids(days=(2, 2)) == [2]
    assert ids(place=1) == [0]
    assert ids(kind="thought") == [2]
    assert ids(emotion="Fear") == [2]
    assert ids(tags="urgent") == [1]
    assert ids(sign="negative") == [1]


def test_agents_do_not_find_memories_of_others() -> None:
    kept = memory()
    kept[1].stream.add("x", "a")
    kept[1].status["second"] = "a"
    assert [(f.name, f.text) for f in kept[0].search("a")] == [("first", "a"), ("second", "b")]


def test_the_recall_policy_applies_to_searches_of_the_agent() -> None:
    kept = memory()
    kept[0].stream.add("x", "a")
    kept.now = 1
    kept.recall = "none"
    assert [f.source for f in kept[0].search("a")] == ["status", "status"]
    assert [f.source for f in kept[0].observed.search("a", k=1, only=())] == ["stream"]


@pytest.mark.parametrize("k", [0, -1])
def test_k_must_be_at_least_one(k: int) -> None:
    with pytest.raises(ParameterError, match="k is"):
        memory()[0].search("a", k=k)


def test_only_accepts_embedded_names() -> None:
    with pytest.raises(UnknownNameError, match="no attribute 'third'"):
        memory()[0].search("a", only="third")


def test_a_search_finds_by_meaning() -> None:
    schema = Schema()
    schema.declare("worry", "the storm", embed=True, template="I fear {value}")
    schema.declare("name", "Ann", embed=True)
    ann = Memory(1, schema=schema)[0]
    ann.stream.add("home", "Had breakfast")
    ann.stream.add("news", "A storm comes to the coast")
    results = ann.search("what storm do I fear", k=2)
    assert {f.text for f in results} == {"I fear the storm", "A storm comes to the coast"}
