"""Carrying one agent's memory into another memory: by what it says, with its age and ids."""

import numpy as np
import pytest

from memopolis import Memory
from memopolis.errors import ParameterError, StateError
from memopolis.sim.memory.saving.carry import carry


@pytest.fixture
def ann_here() -> Memory:
    memory = Memory(agents=2)
    ann, bob = memory
    ann.status.update({"name": "Ann", "mood": 0.25})
    memory.now = 10
    ann.stream.add("storm", "{actor} saw the water at {place}", actor=bob, place=3, tags="mine")
    memory.now = 20
    ann.stream.add("work", "the shop was closed", importance=0.9)
    ann.stream.link([0], "I should leave")
    memory.now = 22
    return memory


def elsewhere() -> Memory:
    other = Memory(agents=3)
    other.now = 100
    other.ticks_per_day = 12.0  # ticks of two hours, there one
    other.stream.add("family", ["other", "texts", "first"])
    other.grow(4)
    return other


def test_a_carried_memory_keeps_text_and_age(ann_here: Memory) -> None:
    other = elsewhere()
    assert carry(ann_here[0], other[3], actors={1: 2}, places={3: 5}) == 3
    memories = other[3].stream.read([0, 1, 2])
    assert [m.template for m in memories] == [
        m.template for m in ann_here[0].stream.read([0, 1, 2])
    ]
    assert [m.time for m in memories] == [94, 99, 99]
    assert [(m.actor, m.place) for m in memories] == [(2, 5), (-1, -1), (-1, -1)]
    assert [m.topic for m in memories] == ["storm", "work", "cognition"]
    assert memories[0].thought == 2
    assert other[3].status["name"] == "Ann"
    assert other.tags.names(int(other[3].stream.column("tags", [0])[0])) == ("mine",)


def test_layers_are_carried_with_their_age(ann_here: Memory) -> None:
    ann_here[0].layers.key.add("My mother lives on the island")
    other = elsewhere()
    carry(ann_here[0], other[3])
    (key,) = other[3].layers.key
    assert (key.text, key.time) == ("My mother lives on the island", 100)


def test_carried_memories_continue_with_the_next_id(ann_here: Memory) -> None:
    other = elsewhere()
    carry(ann_here[0], other[3])
    assert other[3].stream.add("work", "a new start") == 3
    results = other[3].stream.search("water", k=1)
    assert results[0].id == 0


def test_the_source_keeps_its_memory(ann_here: Memory) -> None:
    before = ann_here.state()
    carry(ann_here[0], elsewhere()[3])
    for name, values in ann_here.state().items():
        np.testing.assert_array_equal(values, before[name], err_msg=name)


def test_the_tick_of_the_last_update_is_shifted(ann_here: Memory) -> None:
    slot = ann_here.streams.find(np.array([0]), np.array([1]))
    ann_here.streams.memory_column("updated", np.int32, fill=-1)[slot] = 20
    other = elsewhere()
    carry(ann_here[0], other[3])
    present = other.streams.find(np.array([3, 3]), np.array([0, 1]))
    assert other.streams.memory_column("updated", np.int32, fill=-1)[present].tolist() == [-1, 99]


def test_an_agent_with_memories_cannot_receive_carried_ones(ann_here: Memory) -> None:
    with pytest.raises(StateError, match="already has memories"):
        carry(ann_here[0], elsewhere()[0])
    with pytest.raises(ParameterError, match="stores at most 2"):
        carry(ann_here[0], Memory(agents=1, limit=2)[0])
