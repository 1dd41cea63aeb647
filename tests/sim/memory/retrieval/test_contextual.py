"""Contextual search: three times k first, then tags and feeling."""

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory

STORIES = (
    ("The storm broke a window.", ("urgent", "home"), -0.5),
    ("The storm passed over our town.", ("home",), 0.5),
    ("I watched the storm at work.", ("work", "work_hours"), 0.0),
    ("The storm woke me.", ("late_night", "home", "urgent"), -0.2),
    ("I baked bread.", ("home",), 0.5),
)


@pytest.fixture
def memory() -> Memory:
    memory = Memory(2)
    for agent in memory:
        for text, tags, valence in STORIES:
            agent.stream.add("disaster", text, tags=tags, valence=valence)
    return memory


def test_a_memory_needs_one_of_the_tags_and_has_their_share(memory: Memory) -> None:
    results = memory[0].stream.contextual("storm", tags=("home", "urgent"), k=4)
    assert {one.id: one.terms["match"] for one in results} == {0: 1.0, 1: 0.5, 3: 1.0, 4: 0.5}
    assert [one.score for one in results] == sorted((one.score for one in results), reverse=True)


def test_an_unused_tag_counts_in_the_query_and_is_not_declared(memory: Memory) -> None:
    ann = memory[0].stream
    results = ann.contextual("storm", tags=("work", "never heard of"), k=4)
    assert [(one.id, one.terms["match"]) for one in results] == [(2, 0.5)]
    assert ann.contextual("storm", tags="never heard of") == []
    assert "never heard of" not in memory.tags.all


def test_tags_may_be_bits(memory: Memory) -> None:
    bits = memory.tags.bits(("work", "urgent"))
    results = memory[0].stream.contextual("storm", tags=bits, k=4)
    assert {one.id: one.terms["match"] for one in results} == {0: 0.5, 2: 0.5, 3: 0.5}


def test_feelings_filter_by_valence_and_urgency_by_tag(memory: Memory) -> None:
    ann = memory[0].stream
    by = {feeling: ann.contextual("storm", emotion=feeling, k=5) for feeling in
          ("positive", "negative", "urgent")}  # fmt: skip
    assert {name: {one.id for one in item} for name, item in by.items()} == {
        "positive": {1, 4},
        "negative": {0, 3},
        "urgent": {0, 3},
    }


def test_the_best_three_times_k_are_considered() -> None:
    memory = Memory(1)
    ann = memory[0].stream
    for number in range(5):
        ann.add("x", f"The storm came, {number}.", tags=("work",) if number == 0 else ())
        memory.now += 1
    # The oldest is the last of five by score, and three are looked at for one.
    assert ann.contextual("storm", tags="work", k=1, profile="act") == []
    assert [one.id for one in ann.contextual("storm", tags="work", k=2, profile="act")] == [0]


def test_without_tags_and_feeling_contextual_equals_search(memory: Memory) -> None:
    seen = memory.observed[0].stream
    results = seen.contextual("storm", k=3)
    assert [one.id for one in results] == [one.id for one in seen.search("storm", k=3)]
    assert {one.terms["match"] for one in results} == {1.0}
    assert seen.contextual("storm", tags=(), k=3) == results


def test_one_agent_and_many_find_the_same(memory: Memory) -> None:
    memory[1].stream.search("bread", k=1)
    many = memory.observed.stream.contextual(["storm", "bread"], tags="home", k=2)
    for row in range(2):
        query = ("storm", "bread")[row]
        alone = memory.observed[row].stream.contextual(query, tags="home", k=2)
        assert [one.id for one in alone] == many.ids[row].tolist()
        assert [one.score for one in alone] == many.scores[row].tolist()
    assert many.ids.shape == many.terms["match"].shape == (2, 2)
    assert many.ids.dtype == np.int32


def test_only_returned_memories_record_access(memory: Memory) -> None:
    ann = memory[0].stream
    ann.contextual("storm", emotion="negative", k=2)
    assert ann.column("accesses", range(5)).tolist() == [1, 0, 0, 1, 0]
    memory.observed[0].stream.contextual("storm", k=5)
    assert ann.column("accesses", range(5)).tolist() == [1, 0, 0, 1, 0]


def test_contextual_search_follows_the_recall_policy(memory: Memory) -> None:
    memory.now = 5
    memory.recall = "none"
    assert memory[0].stream.contextual("storm", k=3) == []
    assert len(memory.observed[0].stream.contextual("storm", k=3)) == 3


def test_wrong_arguments_are_refused(memory: Memory) -> None:
    with pytest.raises(ParameterError, match="'positive', 'negative' and 'urgent'"):
        memory[0].stream.contextual("storm", emotion="hungry")
    with pytest.raises(ParameterError, match="at least 1"):
        memory[0].stream.contextual("storm", k=0)
