"""Clusters by meaning: who joins whom, who leaves, and which are nearest to a query."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.clusters import cluster, clusters_of, hits_of, nearest
from memopolis.sim.memory.night.merging import update_old
from memopolis.sim.memory.vectors import text_likeness
from memopolis.sim.memory.vectors.embedders.protocol import Thresholds


class Space:
    """Embeds texts that are the numbers of a vector, and others nowhere."""

    bits = 8
    dimensions = 3
    thresholds = Thresholds(0.5, 0.7, 0.8)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        unit = np.zeros((len(texts), 3), np.float32)
        for vector, text in zip(unit, texts, strict=True):
            numbers = np.array([float(n) for n in text.split()])
            vector[: len(numbers)] = numbers / (np.linalg.norm(numbers) or 1)
        return unit


def remembering(
    agents: int = 1,
    limit: int = 1000,
    short: int = 0,
    *,
    above: float | None = None,
    most: int = 100,
) -> Memory:
    memory = Memory(agents, limit=limit, embedder=Space())
    memory.layer_settings = LayerSettings(short, above, most)
    return memory


def say(memory: Memory, row: int, *texts: str) -> None:
    for text in texts:
        memory[row].stream.add("social", text)
    memory.settle()


def members(memory: Memory, row: int = 0) -> dict[int, list[int]]:
    return {c.number: c.ids.tolist() for c in clusters_of(memory, row)}


def numbers(memory: Memory, query: str, row: int = 0, top: int = 3) -> list[int]:
    return [one.number for one, _ in nearest(memory, row, query, top)]


class Reference:
    """Clusters of one agent, each sum recomputed from the members."""

    def __init__(self, memory: Memory, row: int) -> None:
        self.memory, self.row, self.settings = memory, row, memory.layer_settings
        self.members: dict[int, list[int]] = {}
        self.founders: dict[int, int] = {}
        self.done = 0

    def code(self, a: NDArray[np.int8], b: NDArray[np.int8]) -> int:
        x, y = a.astype(int), b.astype(int)
        if not x.any() or not y.any():
            return 0
        inverse = (1 / math.sqrt(int(x @ x))) * (1 / math.sqrt(int(y @ y)))
        return math.floor(int(x @ y) * inverse * 32767 + 0.5)

    def vector(self, i: int) -> NDArray[np.int8]:
        text = self.memory.streams.get("text", [self.row], [i])
        vector: NDArray[np.int8] = self.memory.vectors.rounded(text)[0]
        return vector

    def leave(self) -> None:
        holds = self.memory.streams.holds
        for number, ids in list(self.members.items()):
            self.members[number] = [i for i in ids if holds([self.row], [i])[0]]
            if not self.members[number]:
                del self.members[number]

    def cosines(self, vector: NDArray[np.int8]) -> dict[int, float]:
        by_name = {}
        for number, ids in sorted(self.members.items()):
            whole = [self.vector(i) for i in ids]
            norm = sum(self.code(a, b) for a in whole for b in whole)
            dot = sum(self.code(vector, a) for a in whole)
            by_name[number] = dot / math.sqrt(norm * 32767.0) if norm > 0 else 0.0
        return by_name

    def cluster(self) -> None:
        self.leave()
        streams = self.memory.streams
        stop = max(int(streams.next[self.row]) - self.settings.short_term_size, self.done)
        for i in range(self.done, stop):
            if streams.holds([self.row], [i])[0] and self.vector(i).any():
                self.join(i)
        self.done = stop

    def join(self, i: int) -> None:
        cosines = self.cosines(self.vector(i))
        free = [n for n in range(self.settings.max_clusters) if n not in self.members]
        threshold = self.settings.similarity_threshold
        above = 0.7 if threshold is None else threshold
        best = max(cosines, key=lambda n: (cosines[n], -n), default=-1)
        if free and (best < 0 or not cosines[best] > above):
            self.members[free[0]] = [i]
            self.founders[free[0]] = i
        else:
            self.members[best].append(i)


def test_clusters_by_hand() -> None:
    memory = remembering()
    # 45 degrees: cosine 0.7071 > 0.7 joins; the centroid then lies at 22.5 degrees, from which
    # 68.2 degrees (cosine 0.698) is too far though it is near the second member.
    say(memory, 0, "1 0 0", "0 0 1", "1 1 0", "0.4 1 0")
    assert members(memory) == {0: [0, 2], 1: [1], 2: [3]}
    assert [c.founder for c in clusters_of(memory, 0)] == [0, 1, 3]


def test_a_cosine_must_exceed_the_threshold() -> None:
    # The cosine of 3 4 0 and 1 0 0 is kept as floor(0.6 * 32767 + 0.5) / 32767.
    code = math.floor(0.6 * 32767 + 0.5)
    for threshold, item in ((code / 32767, {0: [0], 1: [1]}), ((code - 1) / 32767, {0: [0, 1]})):
        memory = remembering()
        say(memory, 0, "1 0 0", "75 100 0")
        vector = memory.vectors.rounded(memory.streams.get("text", [0], [1]))[0]
        assert vector.tolist() == [95, 127, 0]
        exact = math.floor(95 / math.sqrt(95**2 + 127**2) * 32767 + 0.5)
        shift = (exact - code) / 32767
        memory.layer_settings = LayerSettings(0, threshold + shift)
        assert members(memory) == item


def test_the_newest_memories_are_in_the_short_term() -> None:
    memory = remembering(short=20)
    say(memory, 0, *["1 0 0"] * 20)
    assert members(memory) == {}
    say(memory, 0, "0 1 0", "0 1 0")
    assert members(memory) == {0: [0, 1]}
    memory.layer_settings = LayerSettings(21)
    assert members(memory) == {0: [0, 1]}  # who fell out does not come back


def test_beyond_the_maximum_the_nearest_cluster_is_joined() -> None:
    memory = remembering(most=2)
    say(memory, 0, "1 0 0", "0 1 0", "0 0.1 1", "-1 -0.1 0")
    # 0 0.1 1 is nearest to 0 1 0; then -1 -0.1 0 is far from both, less so from the second.
    assert members(memory) == {0: [0], 1: [1, 2, 3]}


def test_by_default_there_are_a_hundred_clusters() -> None:
    memory = remembering(above=1.0)
    turns = [f"{math.cos(i)} {math.sin(i)} {j}" for j in (-1, 0, 1) for i in range(0, 300, 7)]
    say(memory, 0, *turns)
    result = members(memory)
    assert len(result) == 100
    assert sorted(i for ids in result.values() for i in ids) == list(range(len(turns)))


def test_a_text_without_a_vector_is_in_no_cluster() -> None:
    memory = remembering()
    say(memory, 0, "", "1 0 0", "", "1 0 0")
    assert members(memory) == {0: [1, 3]}


def test_opposite_members_give_a_centroid_of_length_zero() -> None:
    memory = remembering(most=1)
    say(memory, 0, "1 0 0", "-1 0 0", "0 1 0", "1 0 0")
    assert members(memory) == {0: [0, 1, 2, 3]}
    ((_, cosine),) = nearest(memory, 0, "1 0 0", 3)
    assert cosine == pytest.approx(1 / math.sqrt(2), abs=1e-4)


def test_removed_members_do_not_count_and_free_numbers_are_reused() -> None:
    memory = remembering(limit=4)
    say(memory, 0, "1 0 0", "1 0.9 0")
    assert members(memory) == {0: [0, 1]}
    memory[0].stream.forget([1])
    say(memory, 0, "1 -0.9 0")  # 0.743 from 1 0 0, but far from the old centroid
    assert members(memory) == {0: [0, 2]}
    memory[0].stream.forget([0])
    say(memory, 0, "1 -3 0")  # 0.894 from the member that is left
    assert members(memory) == {0: [2, 3]}
    memory[0].stream.forget([2, 3])
    say(memory, 0, "0 0 1")
    assert members(memory) == {0: [4]}
    assert clusters_of(memory, 0)[0].founder == 4


def test_hits_restart_with_a_new_cluster() -> None:
    memory = remembering()
    say(memory, 0, "1 0 0")
    for _ in range(3):
        assert len(memory[0].layers.mid("1 0 0")) == 1
    assert hits_of(memory, [0])[0, :2].tolist() == [3, 0]
    memory[0].stream.forget([0])
    say(memory, 0, "1 0 0")
    assert len(memory[0].layers.mid("1 0 0")) == 1
    assert hits_of(memory, [0])[0, :2].tolist() == [1, 0]


def lives(seed: int, agents: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    words = [" ".join(map(str, v)) for v in rng.integers(-3, 4, (25, 3)).tolist()] + [""]
    return [rng.choice(words, rng.integers(0, 60)).tolist() for _ in range(agents)]


@pytest.mark.parametrize("seed", range(8))
def test_clusters_equal_the_reference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    short, above, most = int(rng.integers(0, 6)), [None, 0.3, 0.9][seed % 3], 1 + seed % 5 * 2
    memory = remembering(3, 40, short, above=above, most=most)
    slow = [Reference(memory, row) for row in range(3)]
    for _ in range(4):
        for row, life in enumerate(lives(int(rng.integers(1000)), 3)):
            say(memory, row, *life[:30])
            held = np.arange(memory.streams.next[row])
            held = held[memory.streams.holds(row, held)]
            chosen = rng.choice(held, len(held) // 7, replace=False)
            memory[row].stream.forget(chosen if len(chosen) else [-1])
            _retell(memory, row, rng)
            slow[row].cluster()
        cluster(memory, [0, 1, 2])
        for row in range(3):
            result = clusters_of(memory, row)
            assert {c.number: c.ids.tolist() for c in result} == slow[row].members
            assert all(c.founder == slow[row].founders[c.number] for c in result)
            query = "1 -1 2"
            cosines = slow[row].cosines(memory.vectors.of_queries([query])[0])
            best = [n for _, n in sorted((-cosine, n) for n, cosine in cosines.items())][:3]
            asked = nearest(memory, row, query, 3)
            assert [(one.number, cosine) for one, cosine in asked] == [
                (n, cosines[n]) for n in best
            ]


def _retell(memory: Memory, row: int, rng: np.random.Generator) -> None:
    """Let a new text replace that of a memory."""
    held = np.arange(memory.streams.next[row])
    held = held[memory.streams.holds(row, held)]
    if not len(held):
        return
    fields = {"text": memory.texts.intern_many(["2 1 -3"])}
    fields |= {name: np.zeros(1, np.int32) for name in ("importance", "valence")}
    fields["tags"] = np.zeros(1, np.uint16)
    update_old(memory, np.array([row]), rng.choice(held, 1), fields)


def test_one_agent_and_a_cohort_and_any_grouping_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    result = lives(5, 8)
    rows = np.arange(8)
    seen = []
    for cells in (1 << 25, 1, 300):
        monkeypatch.setattr(text_likeness, "MOST_CELLS", cells)
        together, alone = remembering(8, 50), remembering(8, 50)
        for memory in (together, alone):
            for row, life in enumerate(result):
                say(memory, row, *life)
        cluster(together, rows)
        for row in range(8):
            assert members(alone, row) == members(together, row)
            assert numbers(alone, "0 1 1", row) == numbers(together, "0 1 1", row)
        seen.append([members(together, row) for row in range(8)])
    assert seen[0] == seen[1] == seen[2]


def test_daily_updates_equal_one_update_without_evictions() -> None:
    daily, once = remembering(short=20), remembering(short=20)
    for life in lives(6, 10):
        say(daily, 0, *life)
        say(once, 0, *life)
        cluster(daily, [0])
    assert members(daily) == members(once)
    for query in ("1 0 0", "1 -2 1"):
        first, second = (nearest(memory, 0, query, 9) for memory in (daily, once))
        assert [cosine for _, cosine in first] == [cosine for _, cosine in second]


def test_an_observer_sees_the_same_and_changes_nothing() -> None:
    memory = remembering(2)
    say(memory, 1, "1 0 0", "0 1 0")
    before = memory.streams.state()
    seen = nearest(memory, 1, "1 0 0", 3, observed=True)
    assert len(clusters_of(memory, 1, observed=True)) == 2
    assert memory.streams.state().keys() == before.keys()
    assert [one.number for one, _ in seen] == numbers(memory, "1 0 0", row=1) == [0, 1]
    assert numbers(memory, "1 0 0", row=0) == []
    assert seen[0][0].ids.tolist() == [0]
    nearest(memory, 1, "1 0 0", 3, observed=True)
    assert hits_of(memory, [1]).sum() == 0
    memory[1].layers.mid("1 0 0")
    assert hits_of(memory, [1]).sum() == 2


@pytest.mark.parametrize("deferred", [False, True])
def test_a_search_hits_the_clusters_of_its_best_memories(*, deferred: bool) -> None:
    memory = remembering(2)
    say(memory, 0, "1 0 0", "1 0.1 0", "0 1 0", "0 0 1", "1 0 0.1")
    say(memory, 1, "1 0 0")
    cluster(memory, [0])  # those of the other agent are not in use
    assert members(memory) == {0: [0, 1, 4], 1: [2], 2: [3]}
    memory.deferred = deferred
    memory.layer_settings = replace(memory.layer_settings, top_k=2)
    both = memory.of([0, 1]).stream
    for profile, count in (("act", 1), ("recall", 2), ("society", 3)):
        both.search("0 1 0", k=5, profile=profile)
        assert hits_of(memory, [0]).sum() == 2 * count
    memory[0].stream.search("0 1 0", k=1, profile="society")
    assert hits_of(memory, [0])[0, 1] >= 2
    assert hits_of(memory, [0]).sum() == 7
    memory.of([0, 0]).stream.search("0 1 0", k=1, profile="society")  # one agent recalls once
    assert hits_of(memory, [0]).sum() == 8
    memory.observed[0].stream.search("0 1 0", k=5)
    memory[0].sleep()  # rehearsing is no search
    assert hits_of(memory, [0]).sum() == 8
    assert hits_of(memory, [1]).sum() == 0


def test_the_nearest_clusters_come_first_and_ties_go_to_the_lower_number() -> None:
    memory = remembering()
    say(memory, 0, "0 1 0", "0 0 1", "0 -1 0", "1 0.1 0")
    assert numbers(memory, "1 0 0") == [3, 0, 1]
    assert numbers(memory, "") == []
    assert len(numbers(memory, "1 0 0", top=9)) == 4


def test_clusters_are_saved_with_the_streams() -> None:
    memory, other = remembering(), remembering()
    say(memory, 0, *lives(1, 1)[0], "1 0 0", "1 1 0")
    cluster(memory, [0])
    other.restore(memory.state())
    say(memory, 0, "1 1 1")
    say(other, 0, "1 1 1")
    assert members(other) == members(memory)


def test_less_than_one_cluster_is_refused() -> None:
    with pytest.raises(ParameterError, match="top is 0"):
        nearest(remembering(), 0, "1 0 0", top=0)
