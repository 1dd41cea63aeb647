"""A memory whose clock is set back: memories of later ticks have the age 0 everywhere."""

import numpy as np
import pytest

from memopolis import Filter, Memory
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.night.sleep import Night
from memopolis.sim.memory.retrieval.measuring import consolidation_of

LATER = 2**31 - 5
DAY = 24


@pytest.fixture
def memory() -> Memory:
    """One agent: an old memory, one of the far future, and one of the present."""
    memory = Memory(1)
    memory[0].stream.add("note", "The old ferry")
    memory.now = LATER
    memory[0].stream.add("note", "A ferry that is still to be built")
    memory.stream.search("ferry")
    memory.now = 10 * DAY
    memory[0].stream.add("note", "The present ferry")
    return memory


def test_a_search_of_every_profile_scores_a_later_memory_as_new(memory: Memory) -> None:
    for name in memory.profiles:
        if name == "late_interaction":  # needs an embedder with token vectors
            continue
        alone = memory.observed[0].stream.search("ferry", 3, profile=name, explain=True)
        cohort = memory.observed.stream.search("ferry", 3, profile=name)
        assert [one.id for one in alone] == cohort.ids[0, : len(alone)].tolist(), name
        assert np.isfinite([one.score for one in alone]).all(), name
        recency = {one.id: one.terms["recency"] for one in alone if "recency" in one.terms}
        if {1, 2} <= recency.keys():
            assert recency[1] == recency[2] == max(recency.values()), name


def test_days_and_ages_select_by_the_recorded_tick(memory: Memory) -> None:
    stream = memory[0].stream
    assert stream.list_ids(Filter(ticks=memory.today)).tolist() == [2]
    assert stream.list_ids(Filter(ticks=(0, LATER - 1))).tolist() == [2, 0]
    assert stream.forget(older_than=DAY) == 1
    assert stream.list_ids().tolist() == [2, 1]


def test_an_access_replaces_a_later_one(memory: Memory) -> None:
    assert memory[0].stream.column("accessed", [0, 1]).tolist() == [LATER, LATER]
    memory[0].stream.search("ferry", 3)
    memory.settle()
    assert memory[0].stream.column("accessed", [0, 1, 2]).tolist() == [10 * DAY] * 3


def test_a_night_keeps_a_later_memory(memory: Memory) -> None:
    night = Night(
        relate=True, cluster=True, merge=2, repeats=2, forget_below=0.5,
        forget_older=24.0 * 365,
    )  # fmt: skip
    slept = memory[0].sleep(night)
    assert slept.forgotten.tolist() == [0]
    ids = memory[0].stream.list_ids()
    consolidation = consolidation_of(memory, np.array([0]), ids[None])
    assert ((consolidation >= 0) & (consolidation <= 1)).all()
    assert memory[0].stream.column("time", ids).max() == LATER
    assert memory[0].context("the ferry", 200).text


def test_a_copy_keeps_the_time_that_is_still_to_come(memory: Memory) -> None:
    again = Memory(1)
    again.restore(memory.state())
    times = [0, LATER, 10 * DAY]
    assert again[0].stream.column("time", [0, 1, 2]).tolist() == times
    again[0].stream.add("note", "One more ferry")
    assert again[0].stream.column("time", [3]).tolist() == [10 * DAY]
    ids = [one.id for one in again[0].stream.search("ferry", 4)]
    assert sorted(ids) == [0, 1, 2, 3]


def test_ages_need_at_most_32_bits(memory: Memory) -> None:
    memory.settle()
    memory.now = -2
    with pytest.raises(ParameterError, match="now is -2,147,483,648"):
        memory.now = -(2**31)
