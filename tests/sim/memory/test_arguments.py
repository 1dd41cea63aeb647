"""Arguments that a compiled loop or an index would take as something else are refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis import Filter, Memory, Profile
from memopolis.memory import Night, Review
from memopolis.sim.errors import MemopolisError, ParameterError, RowError, SchemaError


@pytest.fixture
def memory() -> Memory:
    """Return a memory of three agents with two memories each."""
    memory = Memory(3)
    for topic in ("work", "news"):
        memory.stream.add(topic, "The road is flooded")
    memory.flush()
    len(memory[0].layers.key)  # writes what is due, which is not undone if a call is refused
    return memory


@pytest.mark.parametrize("ids", [[[0]] * 4, [[0]] * 100, [0, 1, 2], [[[0]]], 0])
def test_located_ids_have_one_row_per_agent(memory: Memory, ids: Any) -> None:
    with pytest.raises(ParameterError, match=r"\(3, k\) is needed"):
        memory.stream.located(ids)


def test_located_ids_of_any_size_are_looked_up(memory: Memory) -> None:
    texts = memory.stream.located(np.array([[0, 2**40], [1, -1], [-(2**62), 5]]))
    assert texts.column("text").tolist() == [[0, -1], [0, -1], [-1, -1]]
    with pytest.raises(ParameterError, match="ids is"):
        memory.stream.located(np.array([[True], [False], [True]]))


@pytest.mark.parametrize("topics", [[0.7, 1.9, np.nan], [True, False, True], [0, 1, 2], [-1, 0, 0]])
def test_numbers_of_topics_are_whole_and_in_use(memory: Memory, topics: Any) -> None:
    with pytest.raises(ParameterError, match="topic"):
        memory.stream.add(np.array(topics), "x")
    assert memory.stream.counts.tolist() == [2, 2, 2]


@pytest.mark.parametrize("text", [0, 1, np.int32(0), True, None, b"flood", 2.5])
def test_a_plain_number_is_no_text(memory: Memory, text: Any) -> None:
    for stream in (memory[0].stream, memory.stream):
        with pytest.raises(ParameterError, match="text is"):
            stream.add("work", text)
    assert memory.stream.counts.tolist() == [2, 2, 2]


def test_numbers_of_texts_come_as_an_array(memory: Memory) -> None:
    memory.stream.add("work", np.array([0, 0, 0]))
    assert memory.stream.column("text", [[2]] * 3).tolist() == [[0]] * 3
    with pytest.raises(SchemaError, match="float"):
        memory.stream.add("work", np.zeros(3))  # type: ignore[arg-type]


# Of any type, so that calls with wrong arguments pass the type checker.
_Memory: Any = Memory
_Filter: Any = Filter
_Profile: Any = Profile
_Night: Any = Night
_Review: Any = Review

CALLS: list[Callable[[Any], Any]] = [
    lambda m: m["0"],
    lambda m: m.of([0.5]),
    lambda m: m.of(np.array([True, False, False])),
    lambda m: m[0].stream.search("x", profile=None),
    lambda m: m.stream.search("x", profile=Night()),
    lambda m: m.stream.search("x", where="work"),
    lambda m: m[0].stream.search("x", where=Filter(place=[0, 1])),
    lambda m: m.stream.search("x", actor=[0, 1]),
    lambda m: m.stream.search("x", half_life=[1.0, 2.0]),
    lambda m: m.stream.search("x", when=([0, 1], [2, 3])),
    lambda m: m.stream.search("x", explain=np.array([True, False])),
    lambda m: m.stream.focus(1.5),
    lambda m: m.stream.today(by={}),
    lambda m: m.stream.column([], [[0]] * 3),
    lambda m: m.stream.add("x", "y", place=[[0], [1], [2]]),
    lambda m: m.stream.add("x", "y", actor=[[], [1]]),
    lambda m: m.stream.add("x", "y", continues="no"),
    lambda m: m.stream.add("x", "y", merge=2),
    lambda m: m[0].stream.add(["x"], "y"),
    lambda m: m[0].stream.add("x", "y", tags=[["a"]]),
    lambda m: m[0].stream.update(0, importance=[0.1, 0.2]),
    lambda m: m[0].stream.update("0", importance=0.1),
    lambda m: m.stream.forget(older_than="x"),
    lambda m: m.stream.forget(below=[0.5]),
    lambda m: m.stream.forget(topic=["work"]),
    lambda m: m[0].knowledge.map("road", depth=[]),
    lambda m: m[0].knowledge.map("road", least="x"),
    lambda m: m[0].knowledge.assess(["road"]),
    lambda m: m[0].knowledge.review(how=5),
    lambda m: m[0].sleep([]),
    lambda m: m[0].context("x", 10, count=3),
    lambda m: m[0].context("x", 10, policy=[]),
    lambda m: m[0].layers.summarise("writer"),
    lambda m: m[0].layers.mid(3),
    lambda m: m[0].layers.key.edit([], "x"),
    lambda m: m[0].search("x", only=[3]),
    lambda m: m.number_topics(["work"], np.array([1])),
    lambda m: m.topic_number("half \ud800"),
    lambda _: _Memory(1, texts=["a"]),
    lambda _: _Memory(1, store="folder"),
    lambda _: _Filter(days=3),
    lambda _: _Filter(topic=3),
    lambda _: _Profile(without="idle"),
    lambda _: _Profile(extra=5),
    lambda _: _Profile(where=5),
    lambda _: _Night(replay="x"),
    lambda _: _Night(relate=2),
    lambda _: _Review(by="x"),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_an_invalid_argument_is_refused_in_one_line(
    memory: Memory, call: Callable[[Memory], Any]
) -> None:
    before = {name: values.copy() for name, values in memory.streams.state().items()}
    with pytest.raises(MemopolisError) as caught:
        call(memory)
    assert "\n" not in str(caught.value)
    memory.flush()
    after = memory.streams.state()
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_a_row_is_counted_from_either_end(memory: Memory) -> None:
    assert memory[-1].row == 2
    assert memory.of([2, 0])[-1].row == 0
    for row in (3, -4, 2**70):
        with pytest.raises(MemopolisError, match="row"):
            memory[row]
    with pytest.raises(RowError, match="there are 3 agents"):
        memory[3]
