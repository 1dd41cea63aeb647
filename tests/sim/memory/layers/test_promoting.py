"""A cluster that is returned more than ten times becomes a key memory, once."""

from collections.abc import Callable

import pytest

from memopolis.sim.errors import StateError
from memopolis.sim.memory.layers.summaries import Passage
from memopolis.sim.memory.memory import Memory

Lived = Callable[..., Memory]

STORM = "the roof in the storm"


def ask(memory: Memory, times: int, query: str = STORM) -> None:
    memory.layer_settings = memory.layer_settings.__class__(
        short_term_size=memory.layer_settings.short_term_size,
        hit_threshold=memory.layer_settings.hit_threshold,
        top_k=1,
    )
    for _ in range(times):
        memory[0].layers.mid(query)


def test_the_eleventh_hit_promotes_a_cluster(lived: Lived) -> None:
    memory = lived(12)
    ask(memory, 10)
    assert list(memory[0].layers.key) == []
    ask(memory, 1)
    key = memory[0].layers.key
    assert [(one.source, one.memories) for one in key] == [("auto", (0, 3, 6))]
    assert key[0].text in {one.text for one in memory[0].stream.read([0, 3, 6])}


def test_a_cluster_is_promoted_once_also_after_it_was_deleted(lived: Lived) -> None:
    memory = lived(12)
    ask(memory, 30)
    assert len(memory[0].layers.key) == 1
    memory[0].layers.key.delete(0)
    ask(memory, 30)
    assert list(memory[0].layers.key) == []
    ask(memory, 11, "bread in the morning")
    assert [one.memories for one in memory[0].layers.key] == [(1, 4, 7)]


def test_the_threshold_and_the_writer_can_be_chosen(lived: Lived) -> None:
    memory = lived(12, hit_threshold=0)
    asked: list[Passage] = []

    def writer(passage: Passage) -> str:
        asked.append(passage)
        return "The house has no roof."

    ask(memory, 1)
    assert memory[0].layers.promote(writer) == 1
    assert memory[0].layers.promote(writer) == 0
    assert [passage.kind for passage in asked] == ["gist"]
    assert [one.text for one in memory[0].layers.key] == ["The house has no roof."]


def test_an_observer_promotes_nothing(lived: Lived) -> None:
    memory = lived(12, hit_threshold=0)
    ask(memory, 1)
    assert list(memory.observed[0].layers.key) == []
    memory.observed[0].context(STORM, 500)
    assert "key_memories" not in memory[0].status
    with pytest.raises(StateError, match="observer"):
        memory.observed[0].layers.promote()
    for _ in range(20):
        memory.observed[0].layers.mid(STORM)
    assert memory[0].layers.mid[0].hits == 1


def test_a_repeated_agent_gets_one_key_memory(lived: Lived) -> None:
    memory = lived(12, hit_threshold=0)
    ask(memory, 1)
    assert memory.of([0, 0]).layers.promote().sum() == 1
    assert len(memory[0].layers.key) == 1


def test_a_large_cluster_is_summarized_by_its_most_central_members(lived: Lived) -> None:
    memory = lived(120, hit_threshold=0)
    ask(memory, 1)
    asked: list[Passage] = []

    def writer(passage: Passage) -> str:
        asked.append(passage)
        return "gist"

    memory[0].layers.promote(writer)
    assert len(asked[0].memories) == 20
    assert asked[0].ids.tolist() == sorted(asked[0].ids.tolist())
