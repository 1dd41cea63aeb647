"""Review and replay: what is due, in which order, and what rehearsing does."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.sleep import (
    CONFIDENCE,
    INTERVALS,
    Review,
    compute_interval,
    days_of_tick,
    due,
    replay,
)
from memopolis.sim.memory.retention.activation import load_strength
from memopolis.sim.memory.retrieval.measuring import measure_consolidation

DAY = 24
ALL = Review(least=0.0)


def test_review_intervals_double_up_to_ninety_days() -> None:
    assert compute_interval(np.array([0, 1, 2, 3, 6, 7, 255])).tolist() == [1, 2, 4, 8, 64, 90, 90]


def people(agents: int = 2) -> Memory:
    """Each agent has four memories of four days, the last an hour ago."""
    memory = Memory(agents)
    for number in range(4):
        memory.now = number * DAY
        memory.stream.add("social", f"Thing {number}.", confidence=1 - number / 4)
    memory.now = 3 * DAY + 1
    return memory


def test_the_most_overdue_memory_comes_first() -> None:
    memory = people()
    result = memory.of([0, 1]).knowledge.review(10, ALL)
    # 73, 49 and 25 hours ago: 49, 25 and 1 hours overdue; the fourth is not due.
    assert result.ids[:, :4].tolist() == [[0, 1, 2, -1]] * 2
    assert result.overdue[0, :4].tolist() == pytest.approx([49 / 24, 25 / 24, 1 / 24, 0], abs=1e-5)
    assert result.priority[0, :4].tolist() == pytest.approx([0.49, 0.39, 0.29, 0.0], abs=0.01)
    assert due(memory, np.array([1]), 2, ALL).ids.tolist() == [[0, 1]]


def test_only_memories_at_or_above_the_median_are_reviewed() -> None:
    memory = people()
    # Priorities fall with the confidence: the median lies between the second and the third.
    assert memory[0].knowledge.review(10)[-1].memory.id == 1
    assert len(memory[0].knowledge.review(10)) == 2
    assert [one.memory.id for one in memory[0].knowledge.review(10, Review(least=0.45))] == [0]
    assert not memory[0].knowledge.review(10, Review(least=1.0))


def test_the_median_itself_is_reviewed() -> None:
    memory = people()
    memory[0].stream.forget([3])
    assert [one.memory.id for one in memory[0].knowledge.review(10)] == [0, 1]


def test_the_published_threshold_selects_hardly_any_memory() -> None:
    memory = Memory(1)
    memory[0].stream.add("social", "Somebody said something.", confidence=0.6)
    memory.now = 10 * DAY
    # 0.24 + 0.3 * less than 0.5, and no feeling.
    assert not memory[0].knowledge.review(5, Review(least=0.5))
    assert len(memory[0].knowledge.review(5)) == 1


def test_observing_changes_nothing() -> None:
    memory = people()
    before = memory.state()
    memory[0].knowledge.review(5, ALL)
    memory.of([0, 1]).knowledge.review(5, ALL)
    after = memory.state()
    assert all(np.array_equal(values, after[name]) for name, values in before.items())


def test_rehearsing_records_access_and_consolidates() -> None:
    memory = people()
    loose = memory[0].stream.consolidation([0, 3])
    ids = replay(memory, np.array([0]), 10, ALL)
    assert ids[0, :4].tolist() == [0, 1, 2, -1]
    one = memory[0].stream
    assert one.column("accesses", [0, 1, 2, 3]).tolist() == [1, 1, 1, 0]
    assert one.column("accessed", [0, 3]).tolist() == [memory.now, 3 * DAY]
    firm = one.consolidation([0, 3])
    # ln 2 / ln 100 of a half.
    assert firm[0] - loose[0] == pytest.approx(0.0752575, abs=1e-6)
    assert firm[1] == loose[1]
    assert memory[1].stream.column("accesses", [0]).tolist() == [0]


def test_rehearsing_doubles_the_interval() -> None:
    memory = people(1)
    waits = defaultdict(list)
    for day in range(4, 40):
        memory.now = day * DAY
        for number in replay(memory, np.array([0]), 10, ALL)[0].tolist():
            waits[number].append(day)
    assert np.diff(waits[0]).tolist() == [2, 4, 8, 16]


def test_an_updated_memory_is_due_later() -> None:
    memory = people(1)
    memory.settle()
    slots = memory.streams.find(np.array([0]), np.array([0]))
    memory.streams.memory_column("updated", np.int32, fill=-1)[slots] = memory.now
    assert 0 not in due(memory, np.array([0]), 10, ALL).ids


def test_a_memory_of_the_future_is_due_until_it_is_read() -> None:
    memory = Memory(1)
    memory.now = 2**31 - 5
    memory[0].stream.add("note", "Written while the clock was wrong")
    memory.now = 10 * DAY
    result = due(memory, np.array([0]), 1, ALL)
    assert (result.ids.tolist(), result.overdue.tolist()) == ([[0]], [[0]])
    assert replay(memory, np.array([0]), 1, ALL).tolist() == [[0]]
    assert memory[0].stream.column("accessed", [0]).tolist() == [10 * DAY]
    assert due(memory, np.array([0]), 1, ALL).ids.tolist() == [[-1]]
    memory.now += 2 * DAY
    assert due(memory, np.array([0]), 1, ALL).ids.tolist() == [[0]]


@pytest.mark.parametrize("back", [0, 300])
def test_the_compiled_review_equals_numpy(back: int) -> None:
    rng = np.random.default_rng(4)
    memory = Memory(3)
    for tick in range(90):
        memory.now = 5 * tick
        memory.of([0, 2]).stream.add(
            ("social", "cognition", "x")[tick % 3], f"Thing {tick % 7}", confidence=rng.random(),
            valence=rng.uniform(-1, 1, 2), tags=rng.integers(0, 1 << 16, 2).astype(np.uint16),
        )  # fmt: skip
        memory.stream.search(f"Thing {tick % 5}", k=3)
    memory[2].stream.forget(range(30, 40))
    memory.now += 30
    memory.streams.memory_column("updated", np.int32, fill=-1)[::5] = memory.now - 20
    memory.now -= back
    result = due(memory, np.arange(3), 20)
    for row in range(3):
        ids, worth, late = by_numpy(memory, row, 20)
        count = len(ids)
        assert result.ids[row].tolist() == [*ids.tolist(), *[-1] * (20 - count)]
        assert np.array_equal(result.priority[row, :count], worth)
        assert np.array_equal(result.overdue[row, :count], late)
        alone = due(memory, np.array([row]), 20)
        assert np.array_equal(alone.ids[0], result.ids[row])
        assert np.array_equal(alone.priority[0], result.priority[row])
    assert result.ids[1].tolist() == [-1] * 20
    assert (result.ids[0] >= 0).sum() > 5


def by_numpy(memory: Memory, row: int, k: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The definition, memory by memory."""
    streams = memory.streams
    ids = np.arange(int(streams.next[row]))
    ids = ids[streams.holds(row, ids)]
    if not len(ids):
        return ids, np.zeros(0), np.zeros(0)
    slots = streams.find(row, ids)
    made, accesses = streams.at("time", slots), streams.at("accesses", slots)
    updated = np.maximum(made, streams.memory_column("updated", np.int32, fill=-1)[slots])
    last = np.where(accesses > 0, streams.at("accessed", slots), updated).astype(np.int32)
    strength, tags = load_strength(memory.tags), streams.at("tags", slots)
    bits = (strength.positive, strength.negative, strength.urgent)
    marks = sum(((tags & bit) > 0) * (1 << at) for at, bit in enumerate(bits))
    strong = strength.table[marks, streams.at("valence", slots).view(np.uint8)]
    worth = CONFIDENCE[streams.at("confidence", slots)]
    worth = worth + np.float32(0.3) * measure_consolidation(memory, slots)
    worth = (worth + np.float32(0.3) * strong).astype(np.float32)
    waited = (np.int32(memory.now) - last).astype(np.float32) * days_of_tick(memory)
    late = np.where(last > memory.now, np.float32(0), waited - INTERVALS[accesses])
    chosen = (late >= 0) & (worth >= np.median(worth))
    order = np.lexsort((-ids, -(worth * (1 + late))))
    order = order[chosen[order]][:k]
    return ids[order], worth[order], late[order]


def test_empty_cohorts_and_empty_streams_work() -> None:
    memory = Memory(2)
    assert due(memory, np.zeros(0, np.int64), 3).ids.shape == (0, 3)
    assert due(memory, np.array([1]), 3).ids.tolist() == [[-1, -1, -1]]
    assert replay(memory, np.array([0, 1]), 3).tolist() == [[-1, -1, -1]] * 2
    assert memory[0].knowledge.review() == []


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        due(Memory(1), np.array([0]), 0)
    with pytest.raises(ParameterError, match="allowed are 0 to 1"):
        Review(least=1.5)


def test_a_review_may_be_limited_to_a_topic() -> None:
    memory = Memory(2)
    for number in range(6):
        memory.now = number * DAY
        memory.stream.add("work" if number % 2 else "social", f"Thing {number}.")
    memory.now = 9 * DAY
    every = memory.of([0, 1]).knowledge.review(10, ALL)
    work = memory.of([0, 1]).knowledge.review(2, Review(least=0.0, topic="work"))
    assert work.ids.tolist() == [[number for number in every.ids[0].tolist() if number % 2][:2]] * 2
    at = [every.ids[0].tolist().index(number) for number in work.ids[0].tolist()]
    assert work.overdue[0].tolist() == every.overdue[0, at].tolist()
    assert work.priority[0].tolist() == every.priority[0, at].tolist()
    assert memory[0].knowledge.review(5, Review(least=0.0, topic="sport")) == []
    assert len(memory[0].knowledge.review(5, Review(least=0.0, topic="work"))) == 3
    with pytest.raises(ParameterError, match="topic is 3"):
        Review(topic=3)  # type: ignore[arg-type]
