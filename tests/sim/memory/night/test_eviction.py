"""Which memories an agent above its limit loses, and what stays valid afterwards."""

from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.sleep import Night
from memopolis.sim.memory.retention.activation import Retention

DAY = 24


def ids(memory: Memory, row: int = 0) -> list[int]:
    return [int(number) for number in memory[row].stream.list_ids()[::-1]]


def full(**retention: Any) -> Memory:
    """Return an agent with three memories, the first of them important, and a limit of three."""
    memory = Memory(1, limit=3)
    memory.retention = Retention(**retention)
    for importance in (0.9, 0.2, 0.2):
        memory[0].stream.add("life", "Something.", importance=importance)
        memory.now += 1
    return memory


def test_the_least_active_memory_is_evicted() -> None:
    memory = full()
    assert memory[0].stream.add("life", "Another thing.", importance=0.2) == 3
    assert ids(memory) == [0, 2, 3]


def test_the_oldest_memory_is_evicted_if_chosen() -> None:
    memory = full(evict="oldest")
    memory[0].stream.add("life", "Another thing.", importance=0.2)
    assert ids(memory) == [1, 2, 3]


def test_a_recalled_memory_is_kept_before_others_like_it() -> None:
    memory = full()
    memory[0].stream.update(1, text="A red kite.")
    memory[0].stream.search("red kite", k=1)
    memory[0].stream.add("life", "Another thing.", importance=0.2)
    assert ids(memory) == [0, 1, 3]


def test_a_feeling_keeps_a_memory() -> None:
    memory = Memory(1, limit=2)
    for valence in (-0.9, 0.0, 0.0):
        memory[0].stream.add("life", "Something.", importance=0.2, valence=valence)
        memory.now += 1
    assert ids(memory) == [0, 2]


def test_the_newest_memory_is_never_evicted() -> None:
    memory = Memory(1, limit=2)
    for _ in range(2):
        memory[0].stream.add("life", "Something.", importance=1.0)
    assert memory[0].stream.add("life", "Nothing.", importance=0.0) == 2
    assert ids(memory) == [1, 2]


@pytest.mark.parametrize("limit", [1, 31, 32, 33, 100])
def test_an_agent_has_at_most_its_limit(limit: int) -> None:
    rng = np.random.default_rng(limit)
    memory = Memory(3, limit=limit)
    for _ in range(30):
        memory.now += 1
        some = np.flatnonzero(rng.random(3) < 0.7)
        for _ in range(int(rng.integers(1, 9))):
            memory.of(some).stream.add("life", "Something.", importance=float(rng.random()))
        memory.flush()
        assert memory.stream.counts.max() <= limit
    assert (memory.stream.counts == np.minimum(memory.issued, limit)).all()
    many = [f"Text {number}" for number in range(500)]
    for text in many:
        memory[0].stream.add("life", text)
    assert len(memory[0].stream) == limit
    assert memory.streams.table.shape[1] <= (8_192 + limit) // 32 + 2


def test_the_limit_counts_only_memories_that_are_held() -> None:
    memory = Memory(1, limit=10)
    for number in range(100):
        memory.now += DAY
        memory[0].stream.add("life", "Something.", importance=0.9 if number < 5 else 0.1)
        memory[0].sleep(Night(replay=0, forget_below=0.5))
    assert ids(memory) == [0, 1, 2, 3, 4, 98, 99]


def test_a_flood_is_kept_through_years_of_routine() -> None:
    memory = Memory(1, limit=200)
    (agent,) = memory
    agent.stream.add("disaster", "The flood took our house.", importance=0.9, valence=-0.9)
    night = Night(repeats=2, forget_below=0.5)
    for day in range(1, 400):
        for hour in range(5):
            memory.now = DAY * day + hour
            importance = (day * 7 + hour * 3) % 10 / 20
            agent.stream.add("life", f"Routine {day * hour % 40}.", importance=importance)
        agent.sleep(night)
    assert ids(memory)[0] == 0
    assert len(agent.stream) <= 200
    memory.now = 3650 * DAY
    agent.sleep(night)
    assert [one.text for one in agent.stream.read([0])] == ["The flood took our house."]
    # The feeling of a bad memory fades.
    assert -0.01 < agent.stream.column("valence", [0])[0] < 0


def test_links_to_evicted_memories_stay_valid() -> None:
    memory = full()
    thought = memory[0].stream.link([0, 1], "I think of {evidence}", importance=0.9)
    memory.now += 1
    memory[0].stream.add("life", "Another thing.", importance=0.9)
    kept = ids(memory)
    assert 1 not in kept
    assert memory[0].stream.read([1]) == []
    assert memory[0].stream.column("thought", [0, 1]).tolist() == [thought, -1]
    memory[0].stream.forget([0])
    assert "I no longer remember why." in memory[0].stream.read([thought])[0].text


def test_bad_feelings_fade_faster_than_good_ones() -> None:
    memory = Memory(1)
    (agent,) = memory
    for valence in (-0.8, 0.8):
        agent.stream.add("life", "Something.", valence=valence)
    memory.now = 365 * DAY
    bad, good = agent.stream.column("valence", [0, 1]).tolist()
    assert bad == pytest.approx(-0.4, abs=0.01)
    assert good == pytest.approx(0.8 * 0.5**0.5, abs=0.01)
    assert [one.valence for one in agent.stream.read([0, 1])] == pytest.approx([bad, good])
    memory.retention = Retention(bad_half_life=float("inf"), good_half_life=float("inf"))
    assert agent.stream.column("valence", [0, 1]).tolist() == pytest.approx([-0.8, 0.8], abs=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        {"decay": 0.0}, {"decay": 1.0}, {"importance": -1}, {"noise": 0}, {"evict": "newest"},
        {"bad_half_life": 0}, {"threshold": float("nan")},
    ],
)  # fmt: skip
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Retention(**wrong)
