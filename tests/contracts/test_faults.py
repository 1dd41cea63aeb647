"""Regression tests for known faults of other agent memories."""

import sys
import time
import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis import Filter, Hurricane, Memory, Profile
from memopolis.errors import StateError
from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.memory.retention.activation import strength_table
from memopolis.sim.memory.status import columns
from memopolis.sim.memory.streams.stream import Streams

BY_TIME = Profile(recency=1.0, half_life=24.0)


class Counting:
    """An embedder of two dimensions that counts what it is asked; "" has no vector."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        storm = [[float("storm" in text), float("bread" in text)] for text in texts]
        return np.array(storm, np.float32).reshape(len(texts), 2)

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return one direction for "storm" and one for "bread"."""
        directions = np.eye(2, dtype=np.float32)
        words = ("storm", "bread")
        return [directions[[i for i, word in enumerate(words) if word in text]] for text in texts]


# Scored retrieval


def test_memories_of_one_day_differ_in_recency() -> None:
    """Recency by whole days would make all memories of today equal."""
    memory = Memory(agents=1)
    (ann,) = memory
    for hour in (8, 12, 20):
        memory.now = hour
        ann.stream.add("social", "said hello")
    memory.now = 23
    results = ann.stream.search("", k=3, profile=BY_TIME, explain=True)
    assert [m.time for m in results] == [20, 12, 8]
    assert len({m.terms["recency"] for m in results}) == 3


def test_the_oldest_memory_is_never_the_most_recent() -> None:
    """The first town sorted oldest first, and gave the oldest the greatest recency."""
    memory = Memory(agents=1)
    (ann,) = memory
    for day in range(5):
        memory.now = 24 * day
        ann.stream.add("social", "said hello")
    for profile in (BY_TIME, "town"):
        results = ann.observed.stream.search("hello", k=5, profile=profile)
        assert [m.time for m in results] == [96, 72, 48, 24, 0], profile


def test_recalled_memories_stay_recent() -> None:
    """Time since creation alone would ignore that it was recalled."""
    memory = Memory(agents=1)
    (ann,) = memory
    ann.stream.add("social", "the storm")
    memory.now = 100
    ann.stream.add("social", "the bread")
    memory.now = 150
    assert [m.id for m in ann.stream.search("storm", k=1)] == [0]
    memory.now = 200
    assert [m.id for m in ann.observed.stream.search("", k=2, profile=BY_TIME)] == [0, 1]
    created = Profile(recency=1.0, half_life=24.0, since="created")
    assert [m.id for m in ann.observed.stream.search("", k=2, profile=created)] == [1, 0]


def test_a_text_without_a_vector_scores_zero() -> None:
    """A zero vector would divide by zero."""
    memory = Memory(agents=1, embedder=Counting())
    (ann,) = memory
    for text in ("a storm", "", "nothing known"):
        ann.stream.add("social", text)
    for profile in ("society", "town"):
        results = ann.stream.search("storm", k=3, profile=profile, explain=True)
        assert {m.template: m.terms["dense"] for m in results}["a storm"] == 1.0
        assert np.isfinite([m.score for m in results]).all()
    assert ann.stream.search("unknown words", k=1, profile="society")[0].score == 0.0


def test_texts_and_queries_are_embedded_once() -> None:
    """A query was embedded again at each call."""
    embedder = Counting()
    memory = Memory(agents=3, embedder=embedder)
    memory.stream.add("social", "a storm")
    for _ in range(4):
        memory.stream.search("storm", k=1, profile="society")
        memory[1].stream.search("storm", k=1, profile="town")
    assert sorted(embedder.asked) == ["a storm", "storm"]


def test_a_memory_is_found_by_its_id_without_a_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hit was found by going through the whole store."""
    memory = Memory(agents=2)
    memory.stream.add("social", "a storm")
    memory.stream.add("social", "bread")
    memory.settle()

    def scan(*_: Any) -> None:
        raise AssertionError("the whole store was looked through")

    monkeypatch.setattr(Streams, "live", scan)
    monkeypatch.setattr(Streams, "listed", scan)
    assert memory[1].stream.read([1])[0].text == "bread"
    assert memory[1].stream.column("time", [0]).tolist() == [0]
    assert memory[1].stream.thoughts_of([0]).tolist() == [-1]


# Status and stream


def test_every_filter_finds_added_memories() -> None:
    """A search filtered on a tag that add never wrote, so it found nothing."""
    memory = Memory(agents=1)
    (ann,) = memory
    ann.stream.add(
        "social", "we spoke", actor=4, place=2, emotion="Joy", tags=("family",), valence=0.5,
        kind="thought",
    )  # fmt: skip
    ann.stream.add("economy", "we paid")
    filters: list[dict[str, Any]] = [
        {"topic": "social"}, {"actor": 4}, {"place": 2}, {"emotion": "Joy"},
        {"tags": "family"}, {"sign": "positive"}, {"kind": "thought"},
    ]  # fmt: skip
    for chosen in filters:
        assert [m.id for m in ann.stream.search("we", where=Filter(**chosen))] == [0], chosen


def test_no_search_finds_evicted_memories() -> None:
    """Evicted events stayed in the vector index, so index and stream drifted apart."""
    memory = Memory(agents=1, limit=3, embedder=Counting())
    (ann,) = memory
    ann.stream.add("social", "the storm of old")
    for number in range(3):
        ann.stream.add("social", f"bread {number}")
    for profile in memory.profiles:
        results = ann.stream.search("storm of old", k=9, profile=profile)
        assert 0 not in [m.id for m in results], profile
        assert len(results) <= len(ann.stream) == 3
    assert all(hit.id != 0 for hit in ann.search("storm", k=9))


def test_place_and_thought_are_returned_unchanged() -> None:
    """Location and linked thought were lost on the way."""
    memory = Memory(agents=1)
    memory.place_name = ["the bridge", "the school"].__getitem__
    (ann,) = memory
    number = ann.stream.add("mobility", "was stuck", place=0)
    thought = ann.stream.link([number], "I should walk")
    (recalled,) = ann.stream.search("stuck", k=1)
    assert (recalled.place, recalled.location, recalled.thought) == (0, "the bridge", thought)
    assert str(recalled).endswith("location: the bridge]")


def test_an_empty_memory_is_small_and_quick() -> None:
    """An empty memory took 1 MB and 24 ms an agent."""
    Memory(agents=1)
    tracemalloc.start()
    started = time.process_time()
    memory = Memory(agents=1000)
    spent = time.process_time() - started
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(memory) == 1000
    assert size < 1000 * 1_000, "a thousandth of what it was"
    assert spent < 1.0


def test_reading_one_status_value_touches_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Status reads copied everything."""
    memory = Memory(agents=1)
    (ann,) = memory
    ann.status.update({"mood": 0.5, "diary": ["a long story"]})

    def opened(text: str) -> None:
        raise AssertionError(f"{text} was read")

    monkeypatch.setattr(columns, "from_json", opened)
    assert ann.status["mood"] == 0.5


def test_status_does_not_grow_with_time() -> None:
    """A history of plans grew without limit."""
    society = Hurricane(agents=40, days=4, rng=1)
    sizes = []
    for _ in range(4):
        society.run_for(24)
        arrays = [p.memory.status.state()["arrays"] for p in society.populations]
        sizes.append(
            sum(
                values.nbytes if values.dtype != object else sum(map(sys.getsizeof, values))
                for columns_ in arrays
                for values in columns_.values()
            )
        )
    assert sizes[3] <= 1.05 * sizes[0]


# Context


def test_an_urgent_bad_memory_has_strong_emotion() -> None:
    """The published sum makes it 0: in a disaster the wrong memories are flat."""
    memory = Memory(agents=1)
    memory.extractor = ContextExtractor()
    (ann,) = memory
    number = ann.stream.add("disaster", "Urgent: terrible flood, evacuate immediately")
    tags = memory.tags.names(int(ann.stream.column("tags", [number])[0]))
    assert {"urgent", "negative"} <= set(tags)
    assert ann.stream.column("valence", [number])[0] == pytest.approx(-0.5, abs=0.01)
    assert strength_table("published")[6, 0] == pytest.approx(0.0, abs=1e-7)
    assert strength_table()[6, 256 - 64] > 0.8


def test_context_follows_the_time_of_the_simulation() -> None:
    """The clock on the wall says nothing about when a memory was made."""
    memory = Memory(agents=1)
    memory.extractor = ContextExtractor()
    (ann,) = memory
    seen = []
    for hour in (3, 10, 20):
        memory.now = hour
        number = ann.stream.add("social", "we met")
        seen.append(memory.tags.names(int(ann.stream.column("tags", [number])[0])))
    assert "late_night" in seen[0]
    assert "work_hours" in seen[1]
    assert not {"late_night", "work_hours"} & set(seen[2])


def test_observing_changes_nothing() -> None:
    """Assessments and maps counted as accesses."""
    memory = Memory(agents=2)
    ann, _ = memory
    for text in ("the storm came", "the storm left", "bread"):
        ann.stream.add("social", text)
    before = memory.state()
    seen = memory.observed[0]
    seen.stream.search("storm")
    seen.stream.today()
    seen.stream.recommend(k=2)
    seen.stream.contextual("storm", tags="urgent")
    seen.search("storm")
    seen.knowledge.assess("storm")
    seen.knowledge.review()
    with pytest.raises(StateError, match="observer changes nothing"):
        seen.stream.add("x", "y")
    with pytest.raises(StateError, match="observer changes nothing"):
        seen.stream.forget([0])
    with pytest.raises(StateError, match="observer changes nothing"):
        seen.stream.link([0], "y")
    for name in ("streams/words", "streams/next"):
        np.testing.assert_array_equal(memory.state()[name], before[name])
