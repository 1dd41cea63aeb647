"""Side columns: made when named, reset with their slot, grown and saved with the streams."""

import numpy as np
import pytest

from memopolis import Memory
from memopolis.errors import ParameterError


def test_a_side_column_is_reset_to_its_fill_value() -> None:
    memory = Memory(agents=1, limit=2)
    (ann,) = memory
    ann.stream.add("social", "one")
    streams = memory.streams
    memory.settle()
    column = streams.memory_column("cluster", np.uint8, fill=255)
    slot = streams.find(np.array([0]), np.array([0]))
    assert column[slot] == 255
    column[slot] = 7
    for number in range(40):
        ann.stream.add("social", f"text {number}")
    memory.settle()
    held, _ = streams.live(np.array([0]))
    assert len(held) == 2
    assert (streams.memory_column("cluster", np.uint8, fill=255)[held] == 255).all()


def test_columns_of_agents_grow_with_the_agents() -> None:
    memory = Memory(agents=2)
    column = memory.streams.agent_column("hits", np.uint16, width=3)
    column[1] = (1, 2, 3)
    memory.grow(4)
    wider = memory.streams.agent_column("hits", np.uint16, width=3)
    assert wider.tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0], [0, 0, 0]]
    assert wider.dtype == np.uint16


def test_side_columns_are_saved_and_restored() -> None:
    memory = Memory(agents=1)
    (ann,) = memory
    ann.stream.add("social", "one")
    memory.flush()
    memory.streams.memory_column("updated", np.int32, fill=-1)[0] = 5
    other = Memory(agents=1)
    other.restore(memory.state())
    assert other.streams.has_column("updated")
    assert other.streams.memory_column("updated", np.int32, fill=-1)[0] == 5
    for number in range(40):
        other[0].stream.add("social", f"text {number}")
    other.flush()
    later = other.streams.find(np.array([0]), np.array([39]))
    assert other.streams.memory_column("updated", np.int32, fill=-1)[later] == -1


def test_one_name_is_one_column() -> None:
    streams = Memory(agents=1).streams
    streams.memory_column("mine", np.int32)
    with pytest.raises(ParameterError, match="other kind"):
        streams.agent_column("mine", np.int32)
    with pytest.raises(ParameterError, match="holds int32"):
        streams.memory_column("mine", np.int8)
