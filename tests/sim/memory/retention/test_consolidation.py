"""Consolidation on numbers worked out by hand, and kernel against numpy."""

import math
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night import kernels
from memopolis.sim.memory.retention.consolidation import (
    Consolidation,
    Tables,
    build_tables,
    compute_consolidation,
)
from memopolis.sim.memory.retrieval.measuring import measure_consolidation

TOPICS = ("cognition", "social", "weather")
DAY, YEAR = 24, 365 * 24


def of(value: Consolidation | None = None, a_day: float = 24.0) -> Tables:
    return build_tables(value or Consolidation(), TOPICS, a_day, 3 * YEAR)


def firm(accesses: int, age: int, idle: int, topic: int, table: Tables | None = None) -> float:
    old, still = (np.array([n], np.int32) for n in (age, idle))
    count, number = (np.array([n], np.uint8) for n in (accesses, topic))
    return float(compute_consolidation(count, old, still, number, table or of())[0])


@pytest.mark.parametrize(
    ("accesses", "age", "idle", "topic", "expected"),
    [
        # A new memory is as fresh as can be, and nothing else.
        (0, 0, 0, 0, 0.3),
        # ln(10) / ln(100) is one half.
        (9, 0, 0, 0, 0.25 + 0.3),
        (99, 0, 0, 0, 0.5 + 0.3),
        (255, 0, 0, 0, 0.5 + 0.3),
        # Half a year is half of longevity; after a year it is full.
        (0, YEAR // 2, 0, 2, 0.1 + 0.3),
        (0, YEAR, 0, 2, 0.2 + 0.3),
        (0, 2 * YEAR, 0, 2, 0.2 + 0.3),
        # Freshness halves in 60 days (cognition), 30 (social) and 14 (others).
        (0, 60 * DAY, 60 * DAY, 0, 0.2 * 60 / 365 + 0.15),
        (0, 60 * DAY, 60 * DAY, 1, 0.2 * 60 / 365 + 0.075),
        (0, 14 * DAY, 14 * DAY, 2, 0.2 * 14 / 365 + 0.15),
        # All at once: 0.5 * ln 4 / ln 100 + 0.2 * 30 / 365 + 0.3 * 2 ** (-15 / 30).
        (3, 30 * DAY, 15 * DAY, 1, 0.150515 + 0.016438 + 0.212132),
        # What lies in the future counts as now.
        (0, -5, -5, 0, 0.3),
    ],
)
def test_consolidation_follows_the_formula(
    accesses: int, age: int, idle: int, topic: int, expected: float
) -> None:
    assert firm(accesses, age, idle, topic) == pytest.approx(expected, abs=1e-6)


def test_an_unknown_topic_has_the_default_half_life() -> None:
    assert firm(0, 14 * DAY, 14 * DAY, 200) == firm(0, 14 * DAY, 14 * DAY, 2)


def test_longevity_is_complete_at_the_end_of_a_shorter_run() -> None:
    week = of(Consolidation(run=7.0))
    assert firm(0, 7 * DAY, 0, 0, week) == pytest.approx(0.5)
    assert firm(0, 84, 0, 0, week) == pytest.approx(0.4)
    longer = of(Consolidation(run=1_000.0))
    assert firm(0, YEAR, 0, 0, longer) == pytest.approx(0.5)


def test_a_tick_of_a_month_multiplies_every_time_scale() -> None:
    month = of(a_day=1 / 30)
    # 14 days become 14 ticks, and 365 days 365 ticks.
    assert firm(0, 14, 14, 2, month) == pytest.approx(0.2 * 14 / 365 + 0.15, abs=1e-6)
    # A run keeps its own length: 360 days are 12 ticks.
    year = of(Consolidation(run=360.0), a_day=1 / 30)
    assert firm(0, 12, 0, 0, year) == pytest.approx(0.5)


def test_kernel_and_numpy_are_bit_identical() -> None:
    rng = np.random.default_rng(3)
    m = 3_000
    accesses, topic = rng.integers(0, 256, (2, m)).astype(np.uint8)
    age, idle = rng.integers(-100, 4 * YEAR, (2, m)).astype(np.int32)
    table = of()
    expected = compute_consolidation(accesses, age, idle, topic, table)
    for i in range(m):
        result = kernels.consolidation_one(table, accesses[i], age[i], idle[i], topic[i])
        assert result == expected[i]
    assert expected.min() > 0
    assert expected.max() <= 1


def lived() -> Memory:
    memory = Memory(2)
    for agent in memory:
        agent.stream.add("cognition", "Nothing is happening.", kind="thought")
        agent.stream.add("weather", "It rains.")
    memory.now = 14 * DAY
    return memory


def test_consolidation_is_read_without_recording_access() -> None:
    memory = lived()
    results = memory.stream.consolidation([[0, 1, 7, -1]] * 2)
    old = 0.2 * 14 / 365
    expected = [old + 0.3 * 2 ** (-14 / 60), old + 0.15]
    assert results[0, :2].tolist() == pytest.approx(expected, abs=1e-6)
    assert np.isnan(results[:, 2:]).all()
    assert results.dtype == np.float32
    assert memory.stream.column("accesses", [[0, 1]] * 2).tolist() == [[0, 0]] * 2


def test_one_agent_equals_its_row_of_the_cohort() -> None:
    memory = lived()
    memory[1].stream.search("rain")
    many = memory.stream.consolidation([[0, 1]] * 2)
    for row, agent in enumerate(memory):
        assert np.array_equal(agent.stream.consolidation([0, 1]), many[row])
    assert float(memory[0].stream.consolidation(1)) == many[0, 1]
    assert many[1, 1] > many[0, 1]


def test_an_update_resets_the_time_of_a_memory() -> None:
    memory = lived()
    memory.settle()
    streams = memory.streams
    slots = streams.find(np.array([0]), np.array([1]))
    before = measure_consolidation(memory, slots)
    streams.memory_column("updated", np.int32, fill=-1)[slots] = memory.now
    after = measure_consolidation(memory, slots)
    assert after[0] - before[0] == pytest.approx(0.15, abs=1e-6)


def test_memories_from_before_the_start_have_their_true_age() -> None:
    memory = Memory(1)
    memory.now = -14 * DAY
    memory[0].stream.add("weather", "It rained before.")
    memory.now = -2 * YEAR
    memory[0].stream.add("weather", "It snowed once.")
    memory.now = 0
    two, long = memory[0].stream.consolidation([0, 1]).tolist()
    assert two == pytest.approx(0.2 * 14 / 365 + 0.15, abs=1e-6)
    assert long == pytest.approx(0.2, abs=1e-6)


def test_a_forgotten_memory_has_no_consolidation() -> None:
    memory = lived()
    memory[0].stream.forget([1])
    assert math.isnan(float(memory[0].stream.consolidation(1)))


@pytest.mark.parametrize(
    "value",
    [
        {"reach": 0.6},
        {"reach": 1.2, "longevity": -0.5},
        {"accesses": 0},
        {"days": 0},
        {"run": 0},
        {"half_lives": (("social", -1.0),)},
        {"other": math.inf},
        {"boost": -1},
    ],
)
def test_numbers_out_of_range_are_refused(value: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Consolidation(**value)
