"""An agent lists its memories and changes them."""

import numpy as np
import pytest

from memopolis import Filter, Memory
from memopolis.sim.errors import ParameterError, StateError, UnknownNameError
from memopolis.sim.memory.context_tags import ContextExtractor


@pytest.fixture
def memory() -> Memory:
    memory = Memory(2)
    for now, (topic, text) in enumerate(
        (
            ("home", "The key is under the mat."),
            ("work", "The report is due on Friday."),
            ("home", "The cat is under the sofa."),
        )
    ):
        memory.now = now
        memory[0].stream.add(topic, text, importance=0.4)
    memory[1].stream.add("work", "A day off.")
    return memory


def test_ids_are_listed_newest_first_without_an_access(memory: Memory) -> None:
    stream = memory[0].stream
    assert stream.list_ids().tolist() == [2, 1, 0]
    assert stream.list_ids(Filter(topic="home")).tolist() == [2, 0]
    assert stream.list_ids(Filter(ticks=(1, 2))).tolist() == [2, 1]
    assert stream.column("accesses", [0, 1, 2]).tolist() == [0, 0, 0]


def test_forgotten_and_evicted_memories_are_not_listed() -> None:
    memory = Memory(1, limit=3)
    for number in range(5):
        memory[0].stream.add("note", f"Note {number}.")
    memory[0].stream.forget([3])
    assert memory[0].stream.list_ids().tolist() == [4, 2]


def test_an_update_changes_only_what_is_given(memory: Memory) -> None:
    stream = memory[0].stream
    memory.now = 9
    stream.update(0, text="The key is in the blue pot.", importance=0.8, tags="urgent")
    (changed,) = stream.read([0])
    assert (changed.text, changed.topic, changed.time) == (
        "The key is in the blue pot.", "home", 0,
    )  # fmt: skip
    assert changed.importance == pytest.approx(0.8, abs=1 / 255)
    assert [one.id for one in stream.search("blue pot", k=1)] == [0]
    assert [one.text for one in stream.read([1, 2])] == [
        "The report is due on Friday.",
        "The cat is under the sofa.",
    ]
    assert [one.text for one in memory[1].stream.read([0])] == ["A day off."]


def test_an_updated_memory_is_as_fresh_as_a_new_one(memory: Memory) -> None:
    stream = memory[0].stream
    memory.now = 24 * 100
    before = stream.consolidation([0, 2])
    stream.update(0, confidence=0.5)
    after = stream.consolidation([0, 2])
    assert after[0] > before[0]
    assert after[1] == before[1]


def test_relations_follow_a_changed_text(memory: Memory) -> None:
    stream = memory[0].stream
    before = [one.id for one in stream.related([2])]
    stream.update(2, text="The boss asks about the report.")
    assert before != [1]
    assert [one.id for one in stream.related([2])] == [1]


@pytest.mark.parametrize(
    ("number", "values", "error"),
    [
        (0, {}, ParameterError),
        (0, {"colour": "red"}, ParameterError),
        (0, {"importance": 2.0}, ParameterError),
        (0, {"text": 3}, ParameterError),
        (0, {"topic": None}, ParameterError),
        (3, {"text": "x"}, UnknownNameError),
        (-1, {"text": "x"}, UnknownNameError),
        (True, {"text": "x"}, ParameterError),
    ],
)
def test_a_bad_update_changes_nothing(
    memory: Memory, number: int, values: dict[str, object], error: type[Exception]
) -> None:
    before = memory.state()
    with pytest.raises(error):
        memory[0].stream.update(number, **values)
    after = memory.state()
    assert all(np.array_equal(before[name], after[name]) for name in before if "text" not in name)


def test_an_observer_lists_and_does_not_update(memory: Memory) -> None:
    stream = memory.observed[0].stream
    assert stream.list_ids().tolist() == [2, 1, 0]
    with pytest.raises(StateError):
        stream.update(0, text="x")


def test_an_update_reads_tags_and_valence_of_the_new_text() -> None:
    memory = Memory(1)
    memory.extractor = ContextExtractor()
    stream = memory[0].stream
    number = stream.add("economy", "The urgent deployment failed, a disaster.")
    before = memory.tags.names(int(stream.column("tags", [number])[0]))
    assert {"negative", "urgent", "work"} <= set(before)
    stream.update(number, text="The deployment succeeded, what a relief.")
    (changed,) = stream.read([number])
    after = memory.tags.names(int(stream.column("tags", [number])[0]))
    assert changed.valence == pytest.approx(0.5, abs=1 / 127)
    assert set(after) == set(before) - {"negative", "urgent"} | {"positive"}
    stream.update(number, topic="social")
    assert "work" not in memory.tags.names(int(stream.column("tags", [number])[0]))


def test_an_update_keeps_tags_and_valence_that_were_given() -> None:
    memory = Memory(1)
    memory.extractor = ContextExtractor()
    stream = memory[0].stream
    number = stream.add("work", "The test failed.", tags=["release"], valence=-0.9)
    stream.update(number, text="The test succeeded.")
    (changed,) = stream.read([number])
    assert changed.valence == pytest.approx(-0.9, abs=1 / 127)
    tags = memory.tags.names(int(stream.column("tags", [number])[0]))
    assert set(tags) == {"release", "positive"}
    stream.update(number, text="It failed again.", tags="urgent", valence=0.2)
    (changed,) = stream.read([number])
    assert changed.valence == pytest.approx(0.2, abs=1 / 127)
    assert memory.tags.names(int(stream.column("tags", [number])[0])) == ("urgent",)
