"""Near duplicates that update old memories, and repeats that become one."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.merging import merge_repeats, near_duplicates, update_old
from memopolis.sim.memory.vectors import text_likeness
from memopolis.sim.memory.vectors.embedders.protocol import Thresholds, encode_cosine


class Plane:
    """Embeds texts that are angles in degrees, and others nowhere."""

    bits = 8
    dimensions = 2

    def __init__(self, duplicate: float = 0.8) -> None:
        self.thresholds = Thresholds(0.0, 0.0, duplicate)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        unit = np.zeros((len(texts), 2), np.float32)
        for vector, text in zip(unit, texts, strict=True):
            if text:
                angle = math.radians(float(text.strip("!")))
                vector[:] = math.cos(angle), math.sin(angle)
        return unit


def remembering(agents: int = 1, limit: int = 1000, **thresholds: float) -> Memory:
    return Memory(agents, limit=limit, embedder=Plane(**thresholds))


def say(memory: Memory, row: int, *angles: float, topic: str = "social", **columns: Any) -> None:
    for angle in angles:
        memory[row].stream.add(topic, str(angle), **columns)
    memory.settle()


def duplicates(
    memory: Memory, row: int, angle: float, topic: str = "social", actor: int = -1
) -> int:
    texts = memory.texts.intern_many([str(angle)])
    number = memory.topic_number(topic)
    return int(near_duplicates(memory, np.array([row]), texts, number, np.array([actor]))[0])


def test_the_most_similar_duplicate_is_found_and_ties_go_to_the_newer() -> None:
    memory = remembering()
    say(memory, 0, 30, 10, 20, 10, 90)
    assert duplicates(memory, 0, 0) == 3
    assert duplicates(memory, 0, 26) == 0
    assert duplicates(memory, 0, -40) == -1  # 50 degrees from the nearest: cosine 0.64
    assert duplicates(memory, 0, -26) == 3  # 36 degrees: 0.809


def test_a_cosine_at_the_threshold_is_a_duplicate() -> None:
    memory = remembering()
    say(memory, 0, 60, 0)
    a, b = memory.vectors.rounded(memory.streams.get("text", 0, [0, 1])).astype(int)
    code = math.floor((a @ b) / math.sqrt((a @ a) * (b @ b)) * 32767 + 0.5)
    for threshold, item in ((code, 0), (code + 1, -1)):
        fresh = remembering(duplicate=threshold / 32767)
        say(fresh, 0, 60)
        assert duplicates(fresh, 0, 0) == item


def test_a_duplicate_has_the_same_topic_actor_and_agent() -> None:
    memory = remembering(2)
    say(memory, 0, 10, topic="economy")
    say(memory, 0, 10, actor=7)
    say(memory, 1, 10)
    assert duplicates(memory, 0, 10) == -1
    assert duplicates(memory, 0, 10, "economy") == 0
    assert duplicates(memory, 0, 10, actor=7) == 1
    assert duplicates(memory, 1, 10) == 0
    assert duplicates(memory, 1, 10, "never used") == -1


def test_forgotten_and_evicted_memories_are_no_duplicates() -> None:
    memory = remembering(limit=2)
    say(memory, 0, 10, 90, 180)
    assert duplicates(memory, 0, 10) == -1
    memory[0].stream.forget([1])
    assert duplicates(memory, 0, 90) == -1
    assert duplicates(memory, 0, 180) == 2


def test_a_text_without_a_vector_has_no_duplicate() -> None:
    memory = remembering()
    memory[0].stream.add("social", "")
    texts = memory.texts.intern_many([""])
    none = near_duplicates(memory, np.array([0]), texts, 0, np.array([-1]))
    assert none.tolist() == [-1]


def test_a_cohort_finds_the_same_as_each_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    memory = remembering(20, 40)
    for row in range(20):
        say(memory, row, *(rng.integers(0, 60, rng.integers(0, 60)) * 6).tolist())
        say(memory, row, *(rng.integers(0, 60, rng.integers(0, 9)) * 6).tolist(), actor=1)
    rows = rng.integers(0, 20, 50)
    angles = rng.integers(0, 60, 50) * 6 + 3
    actors = np.where(rng.random(50) < 0.7, -1, 1)
    alone = [duplicates(memory, *one) for one in zip(rows, angles, ["social"] * 50, actors)]  # noqa: B905
    texts = memory.texts.intern_many([str(a) for a in angles])
    for cells in (1 << 25, 1, 200):
        monkeypatch.setattr(text_likeness, "MOST_CELLS", cells)
        result = near_duplicates(memory, rows, texts, memory.topic_number("social"), actors)
        assert result.tolist() == alone
    assert max(alone) > -1


def test_merging_updates_the_old_memory() -> None:
    memory = remembering()
    stream = memory[0].stream
    memory.now = 3
    stream.add("social", "0", importance=0.8, valence=0.5, tags=("work",), place=4)
    stream.search("0", k=1)
    memory.now = 9
    assert stream.add("social", "10", importance=0.2, valence=-0.1, tags="home", merge=True) == 0
    assert len(stream) == 1
    assert memory.streams.memory_column("updated", np.int32, fill=-1)[0] == 9
    column = {n: stream.column(n, [0])[0] for n in ("time", "accesses", "accessed", "place")}
    assert column == {"time": 3, "accesses": 1, "accessed": 3, "place": 4}
    assert memory.texts[int(stream.column("text", [0])[0])] == "10"
    # Codes 64 (0.5 * 127 rounded) and -13 (-0.1 * 127) have the mean 25.5, 26 upwards.
    assert memory.streams.get("valence", 0, 0) == 26
    # It is read six hours later, and halves in 730 days.
    assert stream.column("valence", [0])[0] == pytest.approx(26 / 127 * 0.5 ** (6 / 24 / 730))
    assert stream.column("importance", [0])[0] == pytest.approx(0.8)
    assert memory.tags.names(int(stream.column("tags", [0])[0])) == ("work", "home")
    assert stream.add("social", "120", importance=0.9, merge=True) == 1


def test_a_memory_never_merged_was_never_updated() -> None:
    memory = remembering()
    say(memory, 0, 10)
    assert not memory.streams.has_column("updated")
    memory[0].stream.add("social", "100", merge=True)
    assert not memory.streams.has_column("updated")


def test_a_memory_repeated_twice_in_a_batch_is_updated_twice() -> None:
    memory = remembering(2)
    say(memory, 0, 0, importance=0.1, valence=1)
    say(memory, 1, 0)
    cohort = memory.of(np.array([0, 1, 0]))
    ids = cohort.stream.add(
        "social", ["5", "6", "7"], importance=np.array([0.9, 0.5, 0.2]), valence=0.0, merge=True
    )
    assert ids.tolist() == [0, 0, 0]
    texts = memory.streams.get("text", [0, 1], [0, 0])
    assert [memory.texts[t] for t in texts.tolist()] == ["7", "6"]
    # 127, then (127 + 0) / 2 = 63.5 -> 64, then 32.
    assert memory.streams.get("valence", [0], [0]).tolist() == [32]
    assert memory[0].stream.column("importance", [0])[0] == pytest.approx(0.9, abs=0.002)


def test_updating_nothing_changes_nothing() -> None:
    memory = remembering()
    none = np.empty(0, np.int64)
    assert len(update_old(memory, none, none, {})) == 0
    assert not memory.streams.has_column("updated")


def test_repeated_memories_become_one_thought() -> None:
    memory = remembering()
    stream = memory[0].stream
    for angle, importance, valence, confidence in (
        ("0", 0.2, 0.1, 1.0), ("20", 0.9, 0.3, 0.5), ("40", 0.4, 0.2, 0.6), ("180", 1.0, 0.0, 1.0),
    ):  # fmt: skip
        stream.add(
            "economy", angle, importance=importance, valence=valence, confidence=confidence,
            place=3, tags="work", actor=5,
        )  # fmt: skip
    stream.search("0", k=4)
    stream.search("0", k=4)
    memory.now = 7
    # 0 and 40 are 40 degrees apart, no duplicates; both are of 20, which is the centre.
    assert merge_repeats(memory, [0]).tolist() == [1]
    assert [m.id for m in stream.read([0, 1, 2, 3, 4])] == [3, 4]
    memories = stream.read([4])[0]
    assert (memories.template, memories.topic, memories.kind) == ("20", "economy", "thought")
    values = {n: stream.column(n, [4])[0] for n in ("accesses", "place", "actor", "time")}
    assert values == {"accesses": 6, "place": 3, "actor": 5, "time": 7}
    assert stream.column("importance", [4])[0] == pytest.approx(0.9, abs=0.002)
    assert stream.column("confidence", [4])[0] == pytest.approx(0.7, abs=0.002)
    assert stream.column("valence", [4])[0] == pytest.approx(0.2, abs=0.005)
    assert merge_repeats(memory, [0]).tolist() == [0]


def test_accesses_are_limited_to_255() -> None:
    memory = remembering()
    say(memory, 0, 0, 0, 0)
    memory.streams.put("accesses", memory.streams.find(0, [0, 1, 2]), [200, 100, 3])
    merge_repeats(memory, [0])
    assert memory[0].stream.column("accesses", [3])[0] == 255


def test_too_few_repeats_or_several_topics_are_not_merged() -> None:
    memory = remembering(2)
    say(memory, 0, 0, 1, 2)
    say(memory, 1, 0, 1)
    say(memory, 1, 2, topic="economy")
    assert merge_repeats(memory, [1, 0], at_least=4).tolist() == [0, 0]
    assert merge_repeats(memory, [1, 0], at_least=3).tolist() == [0, 1]
    assert merge_repeats(memory, [1, 0], at_least=2).tolist() == [1, 0]
    with pytest.raises(ParameterError, match="at_least is 1"):
        merge_repeats(memory, [0], at_least=1)


def groups_of(memory: Memory, row: int, at_least: int) -> list[list[int]]:
    """Groups one by one: who has most near duplicates left, and they."""
    streams = memory.streams
    left = [i for i in range(int(streams.next[row])) if streams.holds([row], [i])[0]]
    topics = {i: int(streams.get("topic", row, i)) for i in left}
    whole = {
        i: memory.vectors.rounded([int(streams.get("text", row, i))])[0].astype(int) for i in left
    }
    least = encode_cosine(memory.thresholds.duplicate)

    def alike(i: int, j: int) -> bool:
        a, b = whole[i], whole[j]
        if topics[i] != topics[j] or not a.any() or not b.any():
            return i == j
        inverse = (1 / math.sqrt(int(a @ a))) * (1 / math.sqrt(int(b @ b)))
        return i == j or bool(math.floor(int(a @ b) * inverse * 32767 + 0.5) >= least)

    collected = []
    while left:
        count, head = max((sum(alike(i, j) for j in left), i) for i in left)
        if count < at_least:
            break
        collected.append([j for j in left if alike(head, j)])
        left = [j for j in left if j not in collected[-1]]
    return collected


@pytest.mark.parametrize("seed", range(6))
def test_merged_repeats_equal_the_reference(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(text_likeness, "MOST_CELLS", [1 << 25, 1, 100][seed % 3])
    memory = remembering(4, 50)
    for row in range(4):
        for _ in range(rng.integers(0, 70)):
            say(memory, row, int(rng.integers(0, 24)) * 15, topic=f"{rng.integers(2)}")
        say(memory, row, 1)
        held = np.arange(int(memory.streams.next[row]))
        memory[row].stream.forget(rng.choice(held, len(held) // 8))
    expected = [groups_of(memory, row, 3) for row in range(4)]
    before = memory.streams.next.copy()
    counts = merge_repeats(memory, np.arange(4), at_least=3)
    assert counts.tolist() == [len(groups) for groups in expected]
    assert np.array_equal(memory.streams.next, before + counts)
    for row in range(4):
        gone = sorted(i for ids in expected[row] for i in ids)
        assert not memory.streams.holds(row, np.array(gone, np.int64)).any()


def test_the_abstract_memory_keeps_what_its_members_share() -> None:
    memory = Memory(2)
    for day in ("Monday", "Tuesday", "Wednesday", "Thursday"):
        memory.stream.add("work", f"The standup on {day} was moved to half past nine.")
    assert merge_repeats(memory, [0, 1]).tolist() == [1, 1]
    for agent in memory:
        (thought,) = agent.stream.read(agent.stream.list_ids())
        assert thought.template == "The standup on … was moved to half past nine."
        assert thought.times == 4
