"""Trivia: which memories are merged into one with a count."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.merging import Trivia, merge_repeats
from memopolis.sim.memory.night.sleep import Night, Review
from memopolis.sim.memory.saving.carry import carry

DAY = 24
MERGE = Night(replay=0, repeats=2)
FORGET = Night(replay=0, forget_below=0.5)
MEAL = "I had a meal at home."


def with_meals(times: int = 3, agents: int = 1, **columns: Any) -> Memory:
    memory = Memory(agents)
    for day in range(times):
        memory.now = DAY * day
        memory.stream.add("life", MEAL, **{"importance": 0.1, **columns})
    memory.now = DAY * times
    return memory


def held(memory: Memory, row: int = 0) -> list[tuple[int, int]]:
    """Return id and number of occasions of each memory."""
    return [(one.id, one.times) for one in memory[row].stream.read(range(100))]


def test_exact_repeats_become_the_newest_with_a_count() -> None:
    memory = Memory(1)
    for number, (valence, importance) in enumerate(((0.5, 0.1), (0.1, 0.2), (0.0, 0.1))):
        memory.now = DAY * number
        memory.stream.add("life", MEAL, importance=importance, valence=valence, tags="home")
    memory[0].stream.search("meal", k=1)
    memory.now = 3 * DAY
    assert memory[0].sleep(MERGE).repeats.tolist() == [2]
    (one,) = memory[0].stream.read(range(10))
    assert (one.id, one.time, one.times, one.since) == (2, 2 * DAY, 3, 0)
    assert one.text == "I had a meal at home (3 times since day 0)."
    assert one.template == MEAL
    assert one.valence == pytest.approx(0.2, abs=0.01)
    assert one.importance == pytest.approx(0.2, abs=0.01)
    assert one.accesses == 1
    assert len(memory[0].stream) == 1


def test_the_count_names_a_date_where_ticks_have_dates() -> None:
    memory = with_meals(2)
    memory.date_of = lambda tick: datetime(2019, 9, 2) + timedelta(hours=tick)
    memory[0].sleep(MERGE)
    assert memory[0].stream.read(1)[0].text == "I had a meal at home (2 times since 2 September)."


def test_counts_add_up_over_nights() -> None:
    memory = with_meals(2)
    memory[0].sleep(MERGE)
    memory.stream.add("life", MEAL, importance=0.1)
    memory[0].sleep(MERGE)
    assert held(memory) == [(2, 3)]
    assert memory[0].stream.read(2)[0].since == 0


@pytest.mark.parametrize(
    "columns",
    [
        {"importance": 0.6},
        {"valence": 0.9},
        {"valence": -0.9},
        {"emotion": "Joy"},
        {"valence": 0.5, "tags": "urgent"},
        {"kind": "thought"},
    ],
)
def test_important_and_emotional_memories_stay_single(columns: dict[str, Any]) -> None:
    memory = with_meals(3, **columns)
    assert memory[0].sleep(MERGE).repeats.tolist() == [0]
    assert held(memory) == [(0, 1), (1, 1), (2, 1)]


def test_repeats_have_the_same_topic_person_and_place() -> None:
    memory = Memory(2)
    several: list[dict[str, Any]] = [{"actor": 0}, {"actor": 1}, {"place": 1}, {"place": 2}, {}]
    for columns in several:
        memory[0].stream.add("life", MEAL, importance=0.1, **columns)
    memory[0].stream.add("food", MEAL, importance=0.1)
    memory[1].stream.add("life", MEAL, importance=0.1)
    assert memory.of([0, 1]).sleep(MERGE).repeats.tolist() == [0, 0]
    memory[0].stream.add("life", MEAL, importance=0.1, place=2)
    assert memory.of([0, 1]).sleep(MERGE).repeats.tolist() == [1, 0]
    assert dict(held(memory))[6] == 2


def test_conversations_stay_whole() -> None:
    memory = Memory(1)
    for _ in range(3):
        memory[0].stream.add("social", "I told a joke.", importance=0.1)
        memory[0].stream.add("social", "They laughed.", importance=0.1, continues=True)
    assert memory[0].sleep(MERGE).repeats.tolist() == [0]
    assert len(memory[0].stream) == 6


def test_fewer_repeats_than_the_setting_are_not_merged() -> None:
    memory = with_meals(3)
    assert memory[0].sleep(Night(replay=0, repeats=4)).repeats.tolist() == [0]
    assert memory[0].sleep(Night(replay=0, repeats=3)).repeats.tolist() == [2]


def test_a_society_merges_with_the_next_batch() -> None:
    memory = with_meals(3, agents=2)
    memory.flush()
    memory.deferred = True
    memory.of([0]).sleep(MERGE)
    assert memory.streams.count[np.arange(2)].tolist() == [3, 3]
    memory.flush()
    assert held(memory, 0) == [(2, 3)]
    assert held(memory, 1) == [(0, 1), (1, 1), (2, 1)]


def test_a_full_stream_merges_what_it_still_has() -> None:
    memory = Memory(1, limit=40)
    for number in range(100):
        memory.now = number
        memory.stream.add("life", MEAL if number % 2 else "I slept.", importance=0.1)
    memory[0].sleep(MERGE)
    assert held(memory)[-2:] == [(98, 20), (99, 20)]


def test_counts_survive_saving_and_carrying(tmp_path: Path) -> None:
    memory = with_meals(3)
    memory[0].sleep(MERGE)
    assert held(Memory.load(memory.save(tmp_path / "saved"))) == [(2, 3)]
    restored = Memory(1)
    restored.restore(memory.state())
    assert held(restored) == [(2, 3)]
    other = Memory(1)
    other.now, other.ticks_per_day = 100, 12.0
    carry(memory[0], other[0])
    assert other[0].stream.read(2)[0].times == 3
    assert other[0].stream.read(2)[0].since == 100 - 36


def test_an_abstract_memory_counts_its_repeats() -> None:
    memory = with_meals(4)
    memory[0].sleep(Night(replay=0, repeats=4))
    memory.stream.add("life", MEAL)
    memory.stream.add("life", MEAL)
    assert merge_repeats(memory, [0]).tolist() == [1]
    (one,) = memory[0].stream.read(range(10))
    assert (one.times, one.since, one.kind) == (6, 0, "thought")


def test_what_is_unimportant_fades_first() -> None:
    memory = with_meals(1, agents=2)
    memory.stream.add("life", "The storm broke our window.", importance=0.9)
    memory.stream.add("life", "I stayed in.", importance=0.1)
    for _ in range(9):
        memory[0].stream.search("stayed in", k=1, profile="recall")
    memory.now += 20 * DAY
    memory.of([0, 1]).sleep(FORGET)
    # What was recalled lately fades more slowly; what matters stays.
    assert [one.id for one in memory[0].stream.read(range(3))] == [1, 2]
    assert [one.id for one in memory[1].stream.read(range(3))] == [1]


def test_what_was_rehearsed_this_night_is_not_forgotten() -> None:
    memory = with_meals(2)
    memory.now += 60 * DAY
    night = Night(replay=1, review=Review(least=0.0), forget_below=0.5)
    assert memory[0].sleep(night).forgotten.tolist() == [1]
    assert len(memory[0].stream) == 1


def test_memories_that_were_never_merged_stand_for_one_occasion() -> None:
    memory = with_meals(2)
    memory.flush()
    times, since = memory.streams.occasions(memory.streams.find(0, [0, 1]))
    assert times.tolist() == [1, 1]
    assert since.tolist() == [0, DAY]


@pytest.mark.parametrize(
    "wrong", [{"repeats": 1}, {"repeats": -1}, {"forget_below": 1.5}, {"forget_below": -0.1}]
)
def test_a_wrong_night_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Night(**wrong)


def test_wrong_limits_are_refused() -> None:
    with pytest.raises(ParameterError, match="importance is 2"):
        Trivia(importance=2)
    with pytest.raises(ParameterError, match="emotion is -1"):
        Trivia(emotion=-1)


def test_repeats_that_become_abstract_in_the_same_night_are_merged_once() -> None:
    memory = with_meals(3)
    memory.flush()
    memory.deferred = True
    slept = memory[0].sleep(Night(replay=0, merge=2, repeats=2))
    memory.flush()
    assert (slept.merged.tolist(), slept.repeats.tolist()) == ([1], [0])
    assert held(memory) == [(3, 3)]


def test_an_abstract_memory_is_as_pleasant_as_its_occasions() -> None:
    memory = with_meals(3, valence=0.4)
    memory[0].sleep(MERGE)
    memory.stream.add("life", MEAL, valence=-0.4)
    assert merge_repeats(memory, [0], 2).tolist() == [1]
    (one,) = memory[0].stream.read(range(10))
    assert one.times == 4
    assert one.valence == pytest.approx((3 * 0.4 - 0.4) / 4, abs=0.01)


@pytest.mark.parametrize("deferred", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_nights_that_merge_keep_all_occasions(seed: int, *, deferred: bool) -> None:
    rng = np.random.default_rng(seed)
    texts = [MEAL, "I had a meal at home!", "I went shopping.", "I went shopping early."]
    memory = Memory(1)
    for night in range(1, 4):
        for _ in range(8):
            memory.now += 2
            importance = float(rng.choice([0.1, 0.5]))
            memory.stream.add("life", texts[rng.integers(4)], importance=importance)
        memory.flush()
        memory.deferred = deferred
        memory[0].sleep(Night(replay=0, merge=int(rng.integers(2, 5)), repeats=2))
        memory.flush()
        memory.deferred = False
        assert sum(times for _, times in held(memory)) == 8 * night
