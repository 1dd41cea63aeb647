"""Attributes are found by what they say, for one agent and for many alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, StateError, UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.saving.carry import carry
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.vectors import embedding


class Letters:
    """An embedder by hand: how often a text holds a, b and c; it counts its calls."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @property
    def dimensions(self) -> int:
        return 3

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        counts = np.array([[text.count(x) for x in "abc"] for text in texts], np.float32)
        norm = np.sqrt((counts * counts).sum(axis=1, keepdims=True))
        return (counts / np.where(norm > 0, norm, 1)).astype(np.float32)


def memory(agents: int = 3, embedder: Any = None) -> Memory:
    schema = Schema()
    schema.declare("first", "a", embed=True, template="{value}")
    schema.declare("second", "b", embed=True, template="{value}")
    schema.declare("third", ["c"], embed=True, template="{value}")
    schema.declare("hidden", "a")
    return Memory(agents, schema=schema, embedder=embedder or Letters())


def test_the_nearest_attributes_come_first_with_their_cosine() -> None:
    one = memory()[0].status
    one["second"] = "ab"
    results = one.search("a", k=2)
    assert [(f.name, f.text, f.value) for f in results] == [
        ("first", "a", "a"),
        ("second", "ab", "ab"),
    ]
    # Of (1, 0, 0) and (1, 1, 0): 1 / sqrt(2), and 1.
    assert [f.score for f in results] == pytest.approx([1.0, 0.5**0.5], abs=1e-6)
    assert str(results) == "- a\n- ab"


def test_one_and_many_find_the_same() -> None:
    kept = memory(4)
    kept.of([0, 1, 2, 3]).status["second"] = np.array(["a", "abc", "b", "bba"])
    kept.of([1, 3]).status["third"] = np.array([["a", "b"], ["c", "c", "a"]], object)
    many = kept.of([3, 1, 0, 2]).status.search("aab", k=3)
    assert many.names == ("first", "second", "third")
    assert many.attributes.shape == many.scores.shape == (4, 3)
    for place, row in enumerate([3, 1, 0, 2]):
        alone = kept[row].status.search("aab", k=3)
        assert [f.name for f in alone] == [many.names[i] for i in many.attributes[place]]
        assert [np.float32(f.score) for f in alone] == many.scores[place].tolist()


def test_a_query_an_agent() -> None:
    many = memory(2).of([0, 1]).status.search(["b", "c"], k=1)
    assert many.attributes.tolist() == [[1], [2]]
    with pytest.raises(ParameterError, match="1 queries for 2 agents"):
        memory(2).of([0, 1]).status.search(["b"])


def test_missing_results_are_empty() -> None:
    many = memory(2).of([0, 1]).status.search("a", k=5)
    assert many.attributes[:, 3:].tolist() == [[-1, -1]] * 2
    assert many.scores[:, 3:].tolist() == [[0, 0]] * 2
    assert many.counts.tolist() == [3, 3]
    nothing = Memory(2)[0].status.search("a")
    assert (nothing, str(nothing)) == ([], "Nothing")


def test_a_text_without_a_vector_scores_nothing() -> None:
    one = memory()[0].status
    one["first"] = "zzz"
    assert {f.name: f.score for f in one.search("a")} == {"first": 0, "second": 0, "third": 0}
    assert all(f.score == 0 for f in one.search("zzz"))
    assert all(f.score == 0 for f in one.search(""))


def test_ties_go_by_order_of_declaration() -> None:
    one = memory()[0].status
    one.update({"first": "x", "second": "a", "third": ["a"]})
    assert [f.name for f in one.search("a")] == ["second", "third", "first"]


def test_a_search_can_be_limited_to_some_attributes() -> None:
    schema = Schema()
    schema.declare("mood", {"joy": "a", "fear": "b"}, embed=True)
    schema.declare("name", "a", embed=True)
    schema.declare("age", 3)
    one = Memory(1, schema=schema, embedder=Letters())[0].status
    assert {f.name for f in one.search("a", only="mood")} == {"mood.joy", "mood.fear"}
    assert [f.name for f in one.search("a", only=["name"])] == ["name"]
    assert one.search("a", only=()) == []
    with pytest.raises(UnknownNameError, match="no attribute 'nme'; there are: age"):
        one.search("a", only="nme")
    with pytest.raises(UnknownNameError, match="'age' is not declared with embed=True"):
        one.search("a", only=["name", "age"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("cook", "My first job is cook"),
        (3, "My first job is 3"),
        (0.1, "My first job is 0.1"),
        (True, "My first job is yes"),
        (["a", 2], "My first job is a, 2"),
        ({"b", "a"}, "My first job is a, b"),
        (None, "My first job is unknown"),
        ("{name}", "My first job is {name}"),
    ],
)
def test_values_are_described_by_their_template(value: Any, message: str) -> None:
    schema = Schema()
    schema.declare("first_job", value, embed=True)
    assert Memory(1, schema=schema)[0].status.search("job")[0].text == message


def test_coded_values_are_described_by_name() -> None:
    schema = Schema()
    schema.declare("stage", 1, embed=True, labels=("home", "away"), template="I am {value}")
    assert Memory(1, schema=schema)[0].status.search("where")[0].text == "I am away"


def test_results_are_read_only() -> None:
    one = memory()[0].status
    with pytest.raises(StateError, match="'third' is a copy"):
        one.search("c", k=1)[0].value.append("d")
    assert one["third"] == ["c"]


def test_an_attribute_that_an_agent_does_not_have_is_not_found() -> None:
    kept, other = memory(), Memory(2, embedder=Letters())
    carry(kept[0], other[1])
    assert other[1].status.search("a", k=3)[0].name == "first"
    assert other[0].status.search("a", k=3) == []
    assert other.of([0, 1]).status.search("a", k=3).counts.tolist() == [0, 3]


def test_each_distinct_text_is_embedded_once() -> None:
    letters = Letters()
    kept = memory(1000, letters)
    kept.of(np.arange(1000)).status["first"] = np.array(["a", "b"] * 500)
    kept.of(np.arange(1000)).status.search("a")
    kept.of(np.arange(500)).status.search("a")
    assert sorted(letters.seen) == ["a", "b", "c"]


def test_unused_attribute_texts_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "CACHED", 10)
    kept = memory()
    for number in range(100):
        kept[0].status["first"] = f"{'a' * number}b"
        assert kept[0].status.search("ab", k=1)[0].score > 0.7 or number < 1
    assert kept._columns.vectors is not None
    assert len(kept._columns.vectors[1]) <= 11


def test_a_search_finds_by_meaning() -> None:
    schema = Schema()
    schema.declare("home", "a house by the river", embed=True, template="I live in {value}")
    schema.declare("occupation", "nurse", embed=True)
    one = Memory(1, schema=schema)[0].status
    assert one.search("where do I live", k=1)[0].name == "home"
    assert one.search("my job as a nurse", k=1)[0].name == "occupation"


def test_k_must_be_at_least_one() -> None:
    for k in (0, -1):
        with pytest.raises(ParameterError, match="k is"):
            memory()[0].status.search("a", k=k)
    with pytest.raises(ParameterError, match="query is 3; a str"):
        memory()[0].status.search(3)  # type: ignore[arg-type]


def test_an_attribute_that_names_a_memory_is_found_by_its_text() -> None:
    schema = Schema()
    schema.declare("first", "b", embed=True, template="{value}")
    schema.declare("thought", -1, role="memory", embed=True, template="{value}")
    both = Memory(2, schema=schema, embedder=Letters())
    both[1].stream.add("cognition", "aaa", kind="thought")
    both[1].status["thought"] = 0
    (best,) = both[1].status.search("a", k=1)
    assert (best.name, best.text, best.value) == ("thought", "aaa", 0)
    # An agent without a thought has none to find.
    assert [one.text for one in both[0].status.search("a", k=2)] == ["b", "unknown"]
    matches = both.of([0, 1]).status.search("a", k=1)
    assert matches.attributes.tolist() == [[0], [1]]
    assert matches.scores[1, 0] == pytest.approx(1)
    assert str(both[1].search("a", k=1)[0]) == "- aaa"
