"""What is kept in the status, and how its times follow another clock."""

from collections.abc import Callable

from memopolis.sim.memory.layers.key import convert_times
from memopolis.sim.memory.memory import Memory

Lived = Callable[..., Memory]


def test_times_of_summaries_and_facts_are_shifted_to_another_clock(lived: Lived) -> None:
    memory = lived(10, agents=2)
    for one in memory:
        one.layers.summarise()
        one.layers.key.add("I cannot swim.")
    convert_times(memory, 0, lambda ticks: ticks * 2 - 100)
    moved, other = memory[0].layers, memory[1].layers
    assert [(s.since, s.until, s.time) for s in moved.long] == [(-100, -82, -82)]
    assert [(s.since, s.until, s.time) for s in other.long] == [(0, 9, 9)]
    assert [fact.time for fact in moved.key] == [-82]
    assert moved.long[0].memories == other.long[0].memories


def test_no_attribute_is_declared_without_entries() -> None:
    memory = Memory(agents=1)
    convert_times(memory, 0, lambda ticks: ticks)
    assert list(memory[0].layers.long) == []
    assert "summaries" not in memory[0].status
