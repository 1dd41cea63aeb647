"""How well an agent knows a topic, on numbers worked out by hand."""

import math

import numpy as np
import pytest

from memopolis.sim.memory.knowledge import (
    LEVELS,
    find_about,
    level,
    mean,
    score,
    topic_shares,
)
from memopolis.sim.memory.memory import Memory

DAY = 24


def town() -> Memory:
    """Ann lived through storms, Bob heard of one, and Eve knows nothing of them."""
    memory = Memory(3)
    for number in range(12):
        memory[0].stream.add("disaster", f"The storm broke tree {number}.")
        memory.stream.add("economy", f"I bought {number} loaves of bread.")
    memory[1].stream.add("disaster", "There was a storm.", confidence=0.2)
    return memory


@pytest.mark.parametrize(
    ("count", "confidence", "recency", "firm", "expected"),
    [
        (10, 1.0, 1.0, 1.0, 1.0),
        (50, 1.0, 1.0, 1.0, 1.0),
        (5, 1.0, 1.0, 1.0, 0.875),
        (1, 0.6, 0.5, 0.3, 0.21 + 0.025 + 0.1 + 0.06),
        (0, 1.0, 1.0, 1.0, 0.0),
    ],
)
def test_the_knowledge_score_equals_a_hand_calculation(
    count: int, confidence: float, recency: float, firm: float, expected: float
) -> None:
    assert score(count, confidence, recency, firm) == pytest.approx(expected)


def test_a_bound_belongs_to_the_level_above_it() -> None:
    # 0.35 + 0.25 + 0.1 + 0.1 misses 0.8 by a last bit.
    just = score(10, 1.0, 0.5, 0.5)
    assert LEVELS[level(just, 10)] == "high"
    names = {0.7999: "medium", 0.5: "medium", 0.4999: "low", 0.2: "low", 0.1999: "very_low"}
    for worth, name in names.items():
        assert LEVELS[level(worth, 3)] == name
    assert LEVELS[level(0.0, 1)] == "very_low"
    assert LEVELS[level(0.9, 0)] == "none"


def test_means_use_only_existing_relevant_memories() -> None:
    values = np.array([[0.2, 0.6, math.nan], [1.0, 1.0, 1.0]])
    present = np.array([[True, True, False], [False, False, False]])
    result = mean(values, present)
    assert result[0] == pytest.approx(0.4)
    assert math.isnan(result[1])


def test_only_memories_about_the_topic_count() -> None:
    result = town().of([0, 1, 2]).knowledge.assess("storms")
    assert result.memories.tolist() == [12, 1, 0]
    assert [LEVELS[number] for number in result.level] == ["high", "low", "none"]


def test_an_assessment_of_one_memory() -> None:
    memory = town()
    memory.now = 30 * DAY
    bob = memory[1].knowledge.assess("storms")
    # 30 days are a half-life of recency and, for topic disaster, 30 / 14 of freshness.
    firm = 0.2 * 30 / 365 + 0.3 * 2 ** (-30 / 14)
    assert bob.memories == 1
    assert bob.confidence == pytest.approx(0.2)
    assert bob.recency == pytest.approx(0.5)
    assert bob.consolidation == pytest.approx(firm, abs=1e-6)
    expected = 0.35 * 0.2 + 0.25 * 0.1 + 0.2 * 0.5 + 0.2 * firm
    assert bob.score == pytest.approx(expected, abs=1e-6)
    assert bob.level == "low"


def test_a_memory_from_before_the_start_has_its_true_age() -> None:
    memory = Memory(1)
    memory.now = -60 * DAY
    memory[0].stream.add("disaster", "There was a storm.")
    memory.now = 0
    assert memory[0].knowledge.assess("storm").recency == pytest.approx(0.25)


def test_an_assessment_prints_a_message() -> None:
    memory = town()
    memory.now = 100 * DAY
    bob = memory[1].knowledge.assess("storms")
    assert bob.message == "I know next to nothing about storms."
    assert len(bob.suggestions) == 4
    assert bob.suggestions[0].startswith("Find a second source")
    assert str(bob).splitlines()[-1].startswith("- [disaster]: There was a storm.")
    eve = memory[2].knowledge.assess("storms")
    assert (eve.level, eve.score, eve.memories) == ("none", 0.0, 0)
    assert eve.suggestions == ("Ask someone or look for news about storms.",)
    assert math.isnan(eve.confidence)
    assert str(eve.evidence) == "Nothing"


def test_evidence_is_the_five_best() -> None:
    memory = town()
    ann = memory[0].knowledge.assess("storm")
    assert [one.id for one in ann.evidence] == [22, 20, 18, 16, 14], "the newer of equals"
    result = memory.of([0, 1]).knowledge.assess("storm")
    assert result.evidence.shape == (2, 5)
    assert (result.evidence[0] >= 0).all()
    assert (result.evidence[1] >= 0).sum() == 1


def test_at_most_the_best_fifty_memories_are_used() -> None:
    memory = Memory(1)
    for number in range(60):
        memory[0].stream.add("x", f"Storm {number}.")
    assert memory[0].knowledge.assess("storm").memories == 50


def test_one_agent_and_many_are_assessed_the_same() -> None:
    memory = town()
    memory[0].stream.search("storm", k=3)
    memory.now = 5 * DAY
    many = memory.of([0, 1, 2]).knowledge.assess(["storm", "bread", "bread"])
    for row, topic in enumerate(("storm", "bread", "bread")):
        one = memory[row].knowledge.assess(topic)
        assert one.score == many.score[row]
        assert (one.confidence, one.recency) == (many.confidence[row], many.recency[row])
        assert [memory.id for memory in one.evidence] == [
            number for number in many.evidence[row].tolist() if number >= 0
        ]


def test_unused_words_are_not_known() -> None:
    for topic in ("zebra", "", "?!"):
        assert town()[0].knowledge.assess(topic).level == "none"


def test_a_higher_threshold_selects_fewer_memories() -> None:
    memory = town()
    counts = [
        find_about(memory, np.array([0]), "storm and bread", 50, bar=bar).counts[0]
        for bar in (0.0, 0.3, 1.0)
    ]
    assert counts[0] == 24
    assert counts[0] >= counts[1] >= counts[2] == 0


def test_relevant_memories_are_packed() -> None:
    memory = town()
    results = find_about(memory, np.array([1, 0]), "storm", 20)
    assert results.ids[0].tolist() == [12, *[-1] * 19]
    assert results.scores[0, 0] == 1.0
    assert not results.scores[0, 1:].any()
    assert (results.ids[1, :12] >= 0).all()
    assert (results.ids[1, 12:] == -1).all()


def test_a_full_match_has_a_share_of_one() -> None:
    memory = town()
    memory.settle()
    number = memory.texts.intern("There was a storm.")
    assert topic_shares(memory, "there was a storm", np.array([[number]], np.int32)).tolist() == [
        [1.0]
    ]
    assert topic_shares(memory, [], np.zeros((0, 3), np.int32)).shape == (0, 3)
