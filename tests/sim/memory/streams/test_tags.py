"""Names of tags: built in, declared by first use, at most sixteen."""

import pytest

from memopolis import Memory
from memopolis.errors import ParameterError
from memopolis.sim.memory.streams.encoding import BUILT_IN, TagNames


def test_tags_of_a_memory_are_stored_by_name() -> None:
    memory = Memory(agents=2)
    ann, _ = memory
    number = ann.stream.add("social", "we met", tags=("urgent", "family"))
    bits = int(ann.stream.column("tags", [number])[0])
    assert memory.tags.names(bits) == ("urgent", "family")
    memory.stream.add("social", "all met", tags="family")
    assert memory.stream.column("tags", [1, 0]).tolist() == [1 << 13, 1 << 13]


def test_searching_for_a_tag_does_not_declare_it() -> None:
    tags = TagNames()
    assert tags.known(("urgent", "nobody used it")) == 1 << BUILT_IN.index("urgent")
    assert "nobody used it" not in tags.all


def test_at_most_sixteen_tags_can_be_declared() -> None:
    tags = TagNames()
    tags.bits([f"mine {number}" for number in range(3)])
    with pytest.raises(ParameterError, match="would be tag 17"):
        tags.bits("one more")
    with pytest.raises(ParameterError, match="16 bits"):
        tags.bits(65_536)


def test_a_refused_list_of_tags_declares_none() -> None:
    tags = TagNames()
    with pytest.raises(ParameterError, match="would be tag 17"):
        tags.bits([f"mine {number}" for number in range(5)])
    with pytest.raises(ParameterError, match="a tag is ''"):
        tags.bits(["mine", ""])
    assert tuple(tags.all) == BUILT_IN
