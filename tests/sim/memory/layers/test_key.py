"""Key memories: set, edited and deleted; those set stand before those promoted."""

import pytest

from memopolis.sim.errors import ParameterError, StateError, UnknownNameError
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.layers.key import keep
from memopolis.sim.memory.memory import Memory


@pytest.fixture
def memory() -> Memory:
    made = Memory(agents=2)
    made.now = 7
    return made


def test_a_fact_has_id_time_and_source(memory: Memory) -> None:
    key = memory[0].layers.key
    assert key.add(" I cannot swim. ") == 0
    assert (key[0].id, key[0].time, key[0].source, key[0].text) == (0, 7, "user", "I cannot swim.")
    assert list(memory[1].layers.key) == []
    assert str(memory[1].layers.key) == "Nothing"


def test_pinned_facts_come_first_in_order_of_id(memory: Memory) -> None:
    keep(memory, 0, "promoted", [4, 5])
    memory[0].layers.key.add("set")
    keep(memory, 0, "promoted later", ())
    memory[0].layers.key.add("set later")
    assert [one.id for one in memory[0].layers.key] == [1, 3, 0, 2]
    assert memory[0].layers.key[2].memories == (4, 5)
    assert str(memory[0].layers.key).splitlines()[0] == "- set"


def test_an_edited_fact_keeps_its_id(memory: Memory) -> None:
    key = memory[0].layers.key
    keep(memory, 0, "promoted", [4])
    memory.now = 9
    key.edit(0, "said anew")
    assert key[0].text == "said anew"
    assert (key[0].id, key[0].time, key[0].source, key[0].memories) == (0, 9, "auto", (4,))
    with pytest.raises(UnknownNameError, match="there are: 0"):
        key.edit(5, "nothing")


def test_ids_are_never_reused(memory: Memory) -> None:
    key = memory[0].layers.key
    key.add("one")
    key.add("two")
    assert key.delete([1, 9]) == 1
    assert key.add("three") == 2
    assert [one.id for one in key] == [0, 2]


@pytest.mark.parametrize("text", ["", "  ", "\ud800", None, 3])
def test_a_blank_fact_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(ParameterError):
        memory[0].layers.key.add(text)
    assert "key_memories" not in memory[0].status


def test_any_text_is_stored_unchanged(memory: Memory) -> None:
    fact = "飓风警报 \U0001f300 e\u0301"
    memory[0].layers.key.add(fact)
    assert memory[0].layers.key[0].text == fact


def test_an_observer_cannot_pin_edit_or_delete(memory: Memory) -> None:
    memory[0].layers.key.add("one")
    seen = memory.observed[0].layers.key
    with pytest.raises(StateError, match="observer"):
        seen.add("two")
    with pytest.raises(StateError, match="observer"):
        seen.edit(0, "x")
    with pytest.raises(StateError, match="observer"):
        seen.delete(0)
    assert [one.text for one in seen] == ["one"]


def test_beyond_the_limit_the_least_recalled_gives_way(memory: Memory) -> None:
    memory.layer_settings = LayerSettings(max_key_memories=2)
    ann = memory[0]
    ann.layers.key.add("I cannot swim.")
    for text in ("I love tea.", "I love coffee."):
        ann.stream.add("chat", text)
    assert len(ann.layers.key) == 3
    ann.stream.search("tea", k=1)
    ann.stream.add("chat", "I love juice.")
    assert [one.text for one in ann.layers.key] == [
        "I cannot swim.", "I love tea.", "I love juice."
    ]  # fmt: skip
    for number in range(9):
        ann.layers.key.add(f"Fact {number}.")
    assert sum(one.source == "user" for one in ann.layers.key) == 10
    ann.stream.add("chat", "I love tea.")  # said again: once, with its newest memory
    assert [one.memories for one in ann.layers.key if one.text == "I love tea."] == [(3,)]


def test_statements_can_be_left_out(memory: Memory) -> None:
    memory.layer_settings = LayerSettings(statements=False)
    memory[0].stream.add("chat", "I live in Oslo.")
    assert list(memory[0].layers.key) == []
