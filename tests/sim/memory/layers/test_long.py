"""The long term: a summary of every ten memories, in the status."""

from collections.abc import Callable

import pytest

from memopolis.sim.errors import ParameterError, StateError
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.layers.summaries import Passage
from memopolis.sim.memory.memory import Memory

Lived = Callable[..., Memory]


def covered(memory: Memory, row: int = 0) -> list[tuple[int, ...]]:
    return [summary.memories for summary in memory[row].layers.long]


def test_every_ten_memories_make_a_summary(lived: Lived) -> None:
    memory = lived(9)
    assert covered(memory) == []
    memory[0].stream.add("life", "The tenth.")
    assert covered(memory) == [tuple(range(10))]
    for at in range(9):
        memory[0].stream.add("life", f"Thing {at}.")
    assert len(covered(memory)) == 1
    memory[0].stream.add("life", "The twentieth.")
    assert covered(memory) == [tuple(range(10)), tuple(range(10, 20))]


def test_a_summary_has_its_times_and_its_length(lived: Lived) -> None:
    memory = lived(25, summary_interval=5, max_summary_length=60)
    memory.now = 40
    summaries = memory[0].layers.long
    assert [s.id for s in summaries] == [0, 5, 10, 15, 20]
    assert [(s.since, s.until) for s in summaries] == [(a, a + 4) for a in range(0, 25, 5)]
    assert {s.time for s in summaries} == {40}
    assert all(0 < len(s.text) <= 60 for s in summaries)
    assert str(summaries).count("\n") == 4


def test_a_deleted_summary_is_not_rewritten(lived: Lived) -> None:
    memory = lived(20)
    long = memory[0].layers.long
    assert long.delete([0, 77]) == 1
    assert covered(memory) == [tuple(range(10, 20))]
    assert memory[0].layers.summarise() == 0
    assert covered(memory) == [tuple(range(10, 20))]


def test_any_callable_can_write_summaries(lived: Lived) -> None:
    memory = lived(20)
    asked: list[Passage] = []

    def writer(passage: Passage) -> str:
        asked.append(passage)
        return f"  Chapter of {len(passage.texts)} things. " + "word " * 100

    assert memory[0].layers.summarise(writer) == 2
    assert [passage.kind for passage in asked] == ["summary", "summary"]
    assert [summary.text[:22] for summary in memory[0].layers.long] == [
        "Chapter of 10 things. "
    ] * 2
    assert all(len(summary.text) <= 200 for summary in memory[0].layers.long)


def test_the_rule_replaces_an_empty_summary(lived: Lived) -> None:
    memory, other = lived(10), lived(10)
    memory[0].layers.summarise(lambda _: "  ")
    assert memory[0].layers.long[0].text == other[0].layers.long[0].text != ""


def test_a_failing_writer_keeps_earlier_summaries(lived: Lived) -> None:
    memory = lived(30)
    answers = iter(["one", "two", 3])
    with pytest.raises(ParameterError, match="the text of a writer is 3; a str"):
        memory[0].layers.summarise(lambda _: next(answers))  # type: ignore[arg-type, return-value]
    assert memory[0].layers.summarise(lambda _: "three") == 1
    assert [summary.text for summary in memory[0].layers.long] == ["one", "two", "three"]


def test_forgotten_memories_are_not_summarised(lived: Lived) -> None:
    memory = lived(20)
    memory[0].stream.forget([*range(8), *range(10, 20)])
    assert covered(memory) == [(8, 9)]
    assert memory[0].layers.summarise() == 0


def test_evicted_memories_are_not_summarised() -> None:
    memory = Memory(agents=1, limit=15)
    for at in range(40):
        memory[0].stream.add("life", f"Thing {at}.")
    assert covered(memory) == [tuple(range(25, 35))]


def test_summaries_outlive_the_memories_and_the_oldest_goes_first() -> None:
    memory = Memory(agents=1, limit=10)
    memory.layer_settings = LayerSettings(max_summaries=3)
    for at in range(50):
        memory[0].stream.add("life", f"Thing {at}.")
        memory[0].layers.summarise()
    assert [ids[0] for ids in covered(memory)] == [20, 30, 40]
    assert len(memory.status["summaries"][0]) == 3


def test_an_observer_writes_nothing(lived: Lived) -> None:
    memory = lived(20)
    seen = memory.observed[0].layers
    assert list(seen.long) == []
    assert "summaries" not in memory[0].status
    with pytest.raises(StateError, match="observer"):
        seen.summarise()
    with pytest.raises(StateError, match="observer"):
        seen.long.delete(0)
    memory[0].layers.summarise()
    assert len(seen.long) == 2


def test_summaries_of_a_cohort_equal_those_of_each_agent(lived: Lived) -> None:
    together, alone = lived(25, agents=3), lived(25, agents=3)
    assert together.of([0, 1, 2]).layers.summarise().tolist() == [2, 2, 2]
    for one in alone:
        one.layers.summarise()
    for row in range(3):
        assert list(together[row].layers.long) == list(alone[row].layers.long)


def test_blank_texts_make_no_summary() -> None:
    memory = Memory(agents=1)
    for _ in range(10):
        memory[0].stream.add("life", "")
    assert covered(memory) == []
    assert memory[0].layers.summarise() == 0
