"""Activation and retention, and forgetting by retention."""

import math

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night import forgetting
from memopolis.sim.memory.retention.activation import base_level, compute_retention
from memopolis.sim.memory.retrieval.measuring import measure_activation, measure_retention

DAY = 24
ZERO = np.zeros(1, np.int64)


def town() -> Memory:
    """Two who heard of four things, and one who heard of nothing."""
    memory = Memory(3)
    both = memory.of([0, 2])
    for topic, importance in (("weather", 0.2), ("social", 0.5), ("cognition", 0.9)):
        both.stream.add(topic, f"Something of {topic}.", importance=importance)
    memory[2].stream.search("weather", k=1)
    memory.now = 20 * DAY
    both.stream.add("weather", "It rains.", importance=0.2)
    return memory


def test_faded_memories_are_forgotten_and_others_kept() -> None:
    memory = town()
    # An importance of 0.2 lasts for exp(2 * (1 + 6 * 0.2)) = 81 hours, one of 0.5 for 124 days.
    assert memory.stream.forget(below=0.5).tolist() == [1, 0, 1]
    assert [one.id for one in memory[0].stream.read(range(4))] == [1, 2, 3]
    memory.now = 140 * DAY
    assert memory.stream.forget(below=0.5).tolist() == [2, 0, 2]
    memory.now = 20 * 365 * DAY
    assert memory.stream.forget(below=0.5).tolist() == [0, 0, 0]


def test_recalled_memories_are_kept_longer() -> None:
    memory = town()
    weather = memory.streams.locate(np.array([0, 2]), np.array([0, 0]))
    alone, recalled = measure_retention(memory, weather).tolist()
    assert alone < recalled
    assert memory.stream.forget(below=(alone + recalled) / 2).tolist() == [1, 0, 0]


def test_activation_follows_the_formula() -> None:
    memory = Memory(1)
    memory.now = 10
    memory[0].stream.add("x", "A bell rang.", importance=0.5, valence=-0.4, tags=("urgent",))
    memory.now = 20
    memory[0].stream.search("bell", k=1)
    memory.now = 30
    (activation,) = measure_activation(memory, memory.streams.locate(np.zeros(1, np.int64), ZERO))
    # Two uses, 20 and 10 hours ago; the sum of the powers is exact for two.
    base = math.log(10**-0.5 + 2 * (20**0.5 - 10**0.5) / 10)
    assert activation == pytest.approx(base + 6 * 0.5 + (0.4 + 0.3), abs=0.01)
    assert compute_retention(np.array([-1.0]), memory.retention)[0] == 0.5


def test_the_approximation_is_close_to_the_sum_over_all_uses() -> None:
    rng = np.random.default_rng(1)
    for uses in (2, 5, 30):
        ages = np.sort(rng.uniform(1, 1000, uses))
        exact = math.log((ages**-0.5).sum())
        near = base_level(ages[-1:], ages[:1], np.array([uses]))[0]
        assert near == pytest.approx(exact, abs=0.35)


def test_memories_at_the_bound_are_kept() -> None:
    memory = town()
    (left,) = measure_retention(memory, memory.streams.locate(np.zeros(1, np.int64), ZERO))
    assert memory[0].stream.forget(below=float(left) - 1e-6) == 0
    assert memory[0].stream.forget(below=float(left) + 1e-6) == 1


def test_extreme_limits_forget_nothing_or_all_past_memories() -> None:
    memory = town()
    assert memory.stream.forget(below=0.0).tolist() == [0, 0, 0]
    assert memory.stream.forget(below=1.0).tolist() == [4, 0, 4]
    assert memory.stream.forget(below=1.0).tolist() == [0, 0, 0]


def test_conditions_for_forgetting_can_be_combined() -> None:
    memory = town()
    ann = memory[0].stream
    assert ann.forget(below=0.99, topic="social") == 1
    assert ann.forget([0, 3], below=0.9) == 1
    assert ann.forget(below=1, older_than=20 * DAY) == 0
    assert ann.forget(below=1, older_than=19 * DAY) == 1
    assert len(ann) == 1


def test_faded_memories_are_those_of_low_retention() -> None:
    rng = np.random.default_rng(2)
    memory = Memory(4, limit=40)
    for tick in range(60):
        memory.now = 9 * tick
        rows = np.flatnonzero(rng.random(4) < 0.6)
        memory.of(rows[rows != 1]).stream.add(
            ("social", "x")[tick % 2], f"Thing {tick % 9}", importance=(tick % 8) / 8
        )
        memory.stream.search(f"Thing {tick % 4}", k=2, profile="act")
    memory[3].stream.forget(range(25, 30))
    memory.streams.memory_column("updated", np.int32, fill=-1)[::7] = memory.now - 3
    rows = np.array([3, 1, 0, 2])
    keys = forgetting.find_faded(memory, rows, 0.6)
    places, ids = keys >> 32, keys & 0xFFFFFFFF
    owners, every = memory.streams.listed()[:2]
    gone = measure_retention(memory, memory.streams.locate(owners, every)) < 0.6
    expected = set(zip(owners[gone].tolist(), every[gone].tolist(), strict=True))
    assert set(zip(rows[places].tolist(), ids.tolist(), strict=True)) == expected
    assert len(ids) == len(expected) > 10


@pytest.mark.parametrize("below", [-0.1, 1.1, float("nan")])
def test_a_share_lies_between_0_and_1(below: float) -> None:
    with pytest.raises(ParameterError, match="allowed are 0 to 1"):
        town()[0].stream.forget(below=below)
    with pytest.raises(ParameterError, match="allowed are 0 to 1"):
        town()[0].stream.forget([0], below=below)


def test_old_memories_equal_those_found_by_numpy() -> None:
    rng = np.random.default_rng(5)
    memory = Memory(3, limit=20)
    for _ in range(40):
        memory.now = int(rng.integers(0, 100))
        memory.of([0, 2]).stream.add("x", "Something.")
    memory[2].stream.forget(range(25, 30))
    memory.now = 100
    rows = np.array([2, 1, 0])
    keys = forgetting.find_old(memory, rows, 40.0)
    places, ids = keys >> 32, keys & 0xFFFFFFFF
    owners, every = memory.streams.listed()[:2]
    gone = memory.streams.get("time", owners, every) < 60
    expected = set(zip(owners[gone].tolist(), every[gone].tolist(), strict=True))
    assert set(zip(rows[places].tolist(), ids.tolist(), strict=True)) == expected
    assert len(ids) == len(expected) > 10
    assert memory.stream.forget(older_than=40.0).sum() == len(ids)
