"""Related memories: who points to whom, against a slow reference."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.related import links, relate, related
from memopolis.sim.memory.vectors import text_likeness
from memopolis.sim.memory.vectors.embedders.protocol import Thresholds, encode_cosine


class Plane:
    """Embeds texts that are angles in degrees, and others nowhere."""

    bits = 8
    dimensions = 2

    def __init__(self, related: float = 0.5, duplicate: float = 0.8) -> None:
        self.thresholds = Thresholds(related, related, duplicate)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        unit = np.zeros((len(texts), 2), np.float32)
        for vector, text in zip(unit, texts, strict=True):
            if text:
                angle = math.radians(float(text))
                vector[:] = math.cos(angle), math.sin(angle)
        return unit


def remembering(agents: int = 1, limit: int = 1000, **thresholds: float) -> Memory:
    return Memory(agents, limit=limit, embedder=Plane(**thresholds))


def say(memory: Memory, row: int, *angles: float) -> None:
    for angle in angles:
        memory[row].stream.add("social", str(angle))
    memory.settle()


def reference(memory: Memory, row: int, ids: Sequence[int], now: int) -> list[list[int]]:
    """Related memories of some, among those held, worked out one by one."""
    streams = memory.streams
    held = [i for i in range(now) if streams.holds(row, i)]
    texts = {i: int(streams.get("text", row, i)) for i in held}
    whole = {i: memory.vectors.rounded([t])[0].astype(int) for i, t in texts.items()}

    def code(i: int, j: int) -> int:
        a, b = whole[i], whole[j]
        if not a.any() or not b.any():
            return 0
        inverse = 1 / math.sqrt(int(a @ a)) * (1 / math.sqrt(int(b @ b)))
        return math.floor(int(a @ b) * inverse * 32767 + 0.5)

    low, high = encode_cosine(memory.thresholds.related), encode_cosine(memory.thresholds.duplicate)
    collected = []
    for i in ids:
        near = [(code(i, j), j) for j in held if j < i and i in texts]
        near = [(c, j) for c, j in near if low <= c < high]
        best = [j for _, j in sorted(near, reverse=True)[:5]]
        collected.append(best + [-1] * (5 - len(best)))
    return collected


def test_related_by_hand() -> None:
    memory = remembering()
    # Cosines with 0 degrees: 90 0.0, 61 0.485, 59 0.515, 40 0.766, 36 0.809, -50 0.643.
    say(memory, 0, 90, 61, 59, 40, 36, -50, 0)
    assert related(memory, [0], [[6, 3, 0]])[0].tolist() == [
        [3, 5, 2, -1, -1],  # not 4, which is a duplicate
        [0, -1, -1, -1, -1],  # 90 is 50 degrees off, 61 and 59 are duplicates
        [-1, -1, -1, -1, -1],  # the first has none before it
    ]


def test_related_includes_its_threshold_and_excludes_duplicates() -> None:
    memory = remembering()
    say(memory, 0, 60, 0)
    rounded = memory.vectors.rounded(memory.streams.get("text", 0, [0, 1])).astype(int)
    cosine = (rounded[0] @ rounded[1]) / math.sqrt((rounded[0] ** 2).sum() * 127**2)
    code = math.floor(cosine * 32767 + 0.5)
    for low, high, ids in (
        (code, code + 1, [0]), (code + 1, code + 2, [-1]), (code - 1, code, [-1]),
    ):  # fmt: skip
        fresh = remembering(related=low / 32767, duplicate=high / 32767)
        say(fresh, 0, 60, 0)
        assert related(fresh, [0], [1])[0, :1].tolist() == ids


def test_the_most_similar_come_first_and_ties_go_to_the_newer() -> None:
    memory = remembering()
    say(memory, 0, 45, -45, 50, 45, 55, 40, 52, 45, 0)
    assert related(memory, [0], [8])[0].tolist() == [5, 7, 3, 1, 0]


@pytest.mark.parametrize("seed", range(6))
def test_related_memories_equal_the_reference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    memory = remembering(3, limit=70)
    for _ in range(3):
        for row in range(3):
            say(memory, row, *(rng.integers(0, 24, rng.integers(0, 40)) * 15).tolist())
        for row in range(3):
            held = np.arange(memory.streams.next[row])
            held = held[memory.streams.holds(row, held)]
            if len(held):
                memory[row].stream.forget(rng.choice(held, len(held) // 9, replace=False))
    for row in range(3):
        stop = int(memory.streams.next[row])
        ids = list(range(-1, stop + 2))
        results = related(memory, [row], [ids])[0].tolist()
        assert results == [
            ref if memory.streams.holds(row, i) else [-1] * 5
            for i, ref in zip(ids, reference(memory, row, ids, stop), strict=True)
        ]


def test_one_agent_and_a_cohort_and_any_grouping_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    lives = [(rng.integers(0, 40, rng.integers(0, 90)) * 9).tolist() for _ in range(8)]
    results: list[Any] = []
    for cells in (1 << 25, 1, 300):
        monkeypatch.setattr(text_likeness, "MOST_CELLS", cells)
        together, alone = remembering(8, 60), remembering(8, 60)
        for row, life in enumerate(lives):
            say(together, row, *life)
            say(alone, row, *life)
        ids = np.tile(np.arange(90), (8, 1))
        results.append(related(together, np.arange(8), ids))
        results.append(np.stack([related(alone, [row], ids[:1])[0] for row in range(8)]))
        results.append(related(together, [5, 2, 5], ids[:3])[[1, 0]])
    assert (results[0] >= 0).any()
    for whole in results:
        assert np.array_equal(whole, results[0] if len(whole) == 8 else results[0][[2, 5]])


def test_daily_updates_equal_one_update_without_evictions() -> None:
    rng = np.random.default_rng(4)
    daily, once = remembering(2), remembering(2)
    for _ in range(10):
        for row in range(2):
            life = (rng.integers(0, 40, rng.integers(0, 9)) * 9).tolist()
            say(daily, row, *life)
            say(once, row, *life)
        relate(daily, [0, 1])
    for row in range(2):
        ids = np.arange(once.streams.next[row])[None]
        assert np.array_equal(related(daily, [row], ids), related(once, [row], ids))


def test_removed_memories_are_left_out() -> None:
    memory = remembering(1, limit=3)
    say(memory, 0, 45, 50, 0)
    assert related(memory, [0], [2])[0].tolist() == [0, 1, -1, -1, -1]
    say(memory, 0, 180)
    assert related(memory, [0], [2])[0].tolist() == [1, -1, -1, -1, -1]
    memory[0].stream.forget([1])
    assert related(memory, [0], [[1, 2]])[0].tolist() == [[-1] * 5, [-1] * 5]


def test_a_forgotten_memory_is_never_a_candidate() -> None:
    memory = remembering()
    say(memory, 0, 45, 50, 52)
    memory[0].stream.forget([1])
    say(memory, 0, 0)
    assert related(memory, [0], [3])[0].tolist() == [0, 2, -1, -1, -1]


def test_a_new_memory_does_not_inherit_the_links_of_the_one_it_replaces() -> None:
    memory = remembering(1, limit=32)
    say(memory, 0, 45, 0, *[180] * 31)
    relate(memory, [0])
    say(memory, 0, 270)
    assert related(memory, [0], [33])[0].tolist() == [-1] * 5


def test_an_observer_sees_the_same_and_changes_nothing() -> None:
    memory = remembering(2)
    say(memory, 0, 45, 50, 0)
    before = memory.streams.state()
    seen = related(memory, [1, 0], [[0, 1], [1, 2]], observed=True)
    assert [list(a) for a in links(memory, 0, observed=True)] == [[0, 1, 2, 2], [2, 2, 0, 1]]
    after = memory.streams.state()
    assert before.keys() == after.keys()
    assert np.array_equal(seen, related(memory, [1, 0], [[0, 1], [1, 2]]))
    say(memory, 0, 10)
    assert related(memory, [0], [3], observed=True)[0, :1].tolist() == [1]
    assert memory.streams.agent_column("related_to", np.int32).tolist() == [3, 0]


def test_links_are_symmetric_and_ordered() -> None:
    memory = remembering()
    say(memory, 0, 45, 50, 0, 90)
    begin, end = links(memory, 0)
    assert list(zip(begin.tolist(), end.tolist(), strict=True)) == [
        (0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1),
    ]  # fmt: skip
    assert [len(a) for a in links(remembering(), 0)] == [0, 0]


def test_nothing_is_stored_before_the_first_query() -> None:
    memory = remembering()
    say(memory, 0, 45, 0)
    assert not memory.streams.has_column("related")
    relate(memory, [0])
    assert memory.streams.has_column("related")


def test_links_are_saved_with_the_streams() -> None:
    memory, other = remembering(), remembering()
    say(memory, 0, 45, 50, 0)
    relate(memory, [0])
    other.restore(memory.state())
    assert related(other, [0], [2]).tolist() == related(memory, [0], [2]).tolist()


def test_ids_have_one_row_per_agent() -> None:
    with pytest.raises(ParameterError, match="ids have shape"):
        related(remembering(2), [0, 1], [1])
