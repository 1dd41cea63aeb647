"""The short term: the newest in full, first in first out, deleted by id."""

from collections.abc import Callable

import numpy as np
import pytest

from memopolis.sim.errors import StateError
from memopolis.sim.memory.memory import Memory

Lived = Callable[..., Memory]


def ids(memory: Memory, row: int = 0) -> list[int]:
    return [one.id for one in memory[row].layers.short]


def test_the_oldest_memory_leaves_the_short_term_first(lived: Lived) -> None:
    memory = lived(5)
    assert ids(memory) == [2, 3, 4]
    memory[0].stream.add("life", "One more.")
    assert ids(memory) == [3, 4, 5]
    assert memory[0].layers.short[-1].text == "One more."


def test_the_short_term_has_twenty_memories_by_default(lived: Lived) -> None:
    memory = lived(30, short_term_size=20)
    assert ids(memory) == list(range(10, 30))
    assert Memory(agents=1).layer_settings.short_term_size == 20


def test_a_small_stream_is_completely_in_the_short_term(lived: Lived) -> None:
    assert ids(lived(2)) == [0, 1]
    empty = Memory(agents=1)
    assert ids(empty) == []
    assert str(empty[0].layers.short) == "Nothing"


def test_a_deleted_entry_is_forgotten_and_no_older_one_comes_back(lived: Lived) -> None:
    memory = lived(5)
    short = memory[0].layers.short
    assert short.delete(3) == 1
    assert [one.id for one in short] == ids(memory) == [2, 4]
    assert len(memory[0].stream.read(3)) == 0
    memory[0].stream.add("life", "One more.")
    assert ids(memory) == [4, 5]


def test_deleting_other_memories_does_nothing(lived: Lived) -> None:
    memory = lived(5)
    assert memory[0].layers.short.delete([0, 99, -1]) == 0
    assert len(memory[0].stream) == 5


def test_an_observer_deletes_nothing(lived: Lived) -> None:
    memory = lived(5)
    with pytest.raises(StateError, match="observer"):
        memory.observed[0].layers.short.delete(4)
    assert ids(memory) == [2, 3, 4]


def test_short_terms_are_read_for_several_agents(lived: Lived) -> None:
    memory = lived(5, agents=3)
    memory[1].stream.add("life", "One more.")
    memory[2].stream.forget([4])
    memory.flush()
    table = memory.streams.newest(np.arange(3), 3)
    assert table.tolist() == [[2, 3, 4], [3, 4, 5], [2, 3, -1]]
    assert table.dtype == np.int32
    assert Memory(agents=2).streams.newest(np.arange(2), 20).tolist() == [[], []]


def test_a_limit_below_the_short_term_size_is_respected() -> None:
    memory = Memory(agents=1, limit=4)
    for at in range(10):
        memory[0].stream.add("life", f"Thing {at}.")
    assert ids(memory) == [6, 7, 8, 9]
