"""Forgetting by id, age and topic: gone for every verb, and nothing else is touched."""

from typing import Any

import numpy as np
import pytest

from memopolis import Memory
from memopolis.errors import ParameterError


@pytest.fixture
def memory() -> Memory:
    memory = Memory(agents=2)
    for tick, text in enumerate(["the storm came", "bread was cheap", "the storm left"]):
        memory.now = tick
        memory.stream.add("disaster" if "storm" in text else "economy", text)
    return memory


def test_no_method_returns_a_forgotten_memory(memory: Memory) -> None:
    ann, bob = memory
    assert ann.stream.forget([0]) == 1
    assert len(ann.stream) == 2
    assert [m.id for m in ann.stream.search("storm", k=5)] == [2, 1]
    assert [m.id for m in ann.stream.read([0, 1])] == [1]
    assert ann.stream.column("text", [0]).tolist() == [-1]
    assert sorted(m.id for m in ann.stream.today()) == [1, 2]
    assert 0 in [m.id for m in bob.stream.search("storm", k=2)], "others still know it"


def test_ids_are_stable_after_forgetting(memory: Memory) -> None:
    ann, _ = memory
    ann.stream.forget([2])
    assert ann.stream.add("economy", "bread again") == 3


def test_forgetting_twice_counts_once(memory: Memory) -> None:
    ann, _ = memory
    assert ann.stream.forget([0, 0, 99, -1]) == 1
    assert ann.stream.forget([0]) == 0


def test_forgetting_combines_age_and_topic(memory: Memory) -> None:
    memory.now = 10
    assert memory.stream.forget(older_than=8.0, topic="disaster").tolist() == [1, 1]
    assert memory.stream.counts.tolist() == [2, 2]
    assert memory.stream.forget(topic="nobody used it").tolist() == [0, 0]


def test_pending_memories_can_be_forgotten() -> None:
    memory = Memory(agents=1)
    memory.deferred = True
    (ann,) = memory
    number = ann.stream.add("social", "said too much")
    assert ann.stream.forget([number]) == 1
    memory.flush()
    assert len(ann.stream) == 0


def test_a_reused_slot_is_not_forgotten() -> None:
    memory = Memory(agents=1, limit=2)
    (ann,) = memory
    for text in ("one", "two"):
        ann.stream.add("social", text)
    ann.stream.forget([0, 1])
    for _ in range(70):
        ann.stream.add("social", "later")
    assert len(ann.stream) == 2


def test_forgetting_without_a_condition_is_an_error(memory: Memory) -> None:
    with pytest.raises(ParameterError, match="forget needs ids"):
        memory.stream.forget()
    with pytest.raises(ParameterError, match="older_than"):
        memory.stream.forget(older_than=float("nan"))


@pytest.mark.parametrize("ids", [[True, False, True], 1.5, [0.0], "0", None])
def test_ids_to_forget_must_be_integers(memory: Memory, ids: Any) -> None:
    before = memory.stream.counts.tolist()
    with pytest.raises(ParameterError):
        memory[0].stream.forget(ids)
    assert memory.stream.counts.tolist() == before


def test_forgetting_with_no_agents_or_memories_works(memory: Memory) -> None:
    assert memory.of([]).stream.forget([]).shape == (0,)
    assert memory.of([]).stream.forget(np.zeros((0, 3), np.int64)).shape == (0,)
