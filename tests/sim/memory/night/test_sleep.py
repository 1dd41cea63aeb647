"""A night: what it does, in which order, and what it leaves alone."""

from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError, StateError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.sleep import Night, Review
from memopolis.sim.memory.retrieval.measuring import measure_retention

DAY = 24
NOTHING = Night(replay=0)
ALL = Review(least=0.0)
STORIES = ("I met Ann in the park.", "I baked bread.", "The storm broke a tree.")


def lived(agents: int = 2) -> Memory:
    memory = Memory(agents)
    for number in range(30):
        memory.now = number
        memory.stream.add("social", STORIES[number % 3])
    memory.now = 3 * DAY
    return memory


def test_a_night_that_does_nothing_changes_nothing() -> None:
    memory = lived()
    before = memory.state()
    slept = memory.of([0, 1]).sleep(NOTHING)
    assert NOTHING.does_nothing
    assert slept.replayed.shape == (2, 0)
    assert slept.merged.tolist() == slept.forgotten.tolist() == [0, 0]
    after = memory.state()
    assert all(np.array_equal(values, after[name]) for name, values in before.items())


def test_sleep_rehearses_due_memories() -> None:
    memory = lived()
    slept = memory[0].sleep(Night(replay=3, review=ALL))
    assert slept.replayed.tolist() == [[0, 1, 2]]
    assert memory[0].stream.column("accesses", [0, 1, 2, 3]).tolist() == [1, 1, 1, 0]
    assert memory[1].stream.column("accesses", [0, 1, 2, 3]).tolist() == [0] * 4


def test_a_default_night_only_rehearses() -> None:
    memory = lived()
    # Those whose priority reaches the median, and no more than 20.
    assert 15 <= (memory[0].sleep().replayed >= 0).sum() <= 20
    assert not memory.streams.has_column("related")
    assert len(memory[0].stream) == 30


def test_rehearsed_memories_are_not_forgotten_in_the_same_night() -> None:
    memory = lived(1)
    memory.flush()
    memory.now = 100 * DAY
    slots, _ = memory.streams.live(np.array([0]))
    faded = measure_retention(memory, slots).max()
    night = Night(replay=4, review=ALL, forget_below=float(faded) + 0.01)
    for deferred in (False, True):
        again = lived(1)
        again.now = 100 * DAY
        again.deferred = deferred
        again.flush()
        slept = again[0].sleep(night)
        again.flush()
        assert slept.forgotten.tolist() == [26]
        assert [one.id for one in again[0].stream.read(range(30))] == [0, 1, 2, 3]


def test_memories_that_are_too_old_are_forgotten() -> None:
    memory = lived()
    older = 3 * DAY - 10.0
    slept = memory.of([0, 1]).sleep(Night(replay=30, review=ALL, forget_older=older))
    assert slept.forgotten.tolist() == [10, 10]
    assert memory.stream.counts.tolist() == [20, 20]


def test_old_and_faded_are_counted_once() -> None:
    memory = lived(1)
    memory.flush()
    memory.deferred = True
    slept = memory[0].sleep(Night(replay=0, forget_older=0.0, forget_below=1.0))
    assert slept.forgotten.tolist() == [30]


def test_a_night_links_clusters_and_merges() -> None:
    memory = lived()
    slept = memory.of([1]).sleep(Night(replay=0, relate=True, cluster=True, merge=3))
    assert memory.streams.has_column("related")
    assert memory.streams.has_column("cluster")
    # Each of the three things happened ten times.
    assert slept.merged.tolist() == [3]
    assert len(memory[1].stream) < len(memory[0].stream) == 30


def test_a_repeated_row_sleeps_once() -> None:
    memory = lived()
    slept = memory.of([1, 0, 1]).sleep(Night(replay=2, review=ALL, forget_older=60.0))
    assert slept.replayed.tolist() == [[0, 1]] * 3
    assert slept.forgotten.tolist() == [12, 12, 12]
    assert memory.stream.counts.tolist() == [18, 18]


def test_one_agent_and_many_sleep_the_same() -> None:
    night = Night(replay=5, relate=True, cluster=True, merge=4, forget_below=0.2)
    alone, together = lived(3), lived(3)
    for row in range(3):
        alone[row].stream.search(f"park {row}", k=row + 1)
        together[row].stream.search(f"park {row}", k=row + 1)
        alone[row].sleep(night)
    together.of([0, 1, 2]).sleep(night)
    for agent, other in zip(alone, together, strict=True):
        assert agent.stream.read(range(40)) == other.stream.read(range(40))


def test_an_observer_cannot_consolidate() -> None:
    memory = lived()
    with pytest.raises(StateError, match="observer"):
        memory.observed[0].sleep()
    with pytest.raises(StateError, match="observer"):
        memory.of([0]).observed.sleep()


@pytest.mark.parametrize(
    "value",
    [
        {"replay": -1},
        {"merge": 1},
        {"merge": -2},
        {"forget_older": -1.0},
        {"forget_older": float("inf")},
        {"forget_below": 1.5},
    ],
)
def test_numbers_out_of_range_are_refused(value: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(value))):
        Night(**value)


def test_merged_memories_are_not_counted_as_forgotten() -> None:
    for deferred in (False, True):
        memory = lived()
        memory.flush()
        memory.deferred = deferred
        memory[0].stream.forget([0])
        slept = memory.of([1]).sleep(Night(replay=0, merge=3, forget_older=0.0))
        # Each of the three things happened ten times, and was merged.
        assert (slept.merged.tolist(), slept.forgotten.tolist()) == ([3], [0])
        memory.flush()
        assert memory.stream.counts.tolist() == [29, 3]
