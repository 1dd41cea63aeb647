"""Feelings from what happens; attitudes and thoughts from what is recalled."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.agents.appraisal import BAD, BASELINE, FEELINGS
from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.blocks.cognition import ATTITUDES, Feel, Think, UpdateAttitudes
from memopolis.agents.thoughts import INTENTIONS, PLEASANT, read_phrases
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, EMOTIONS, emotion_number
from memopolis.sim.mind.mind import Answer, Mind, Question

MakeVillage = Callable[..., Any]


def feelings(made: Any, row: int = 0) -> dict[str, float]:
    return dict(made.citizens.agents[row].emotion)


def tell(made: Any, topic: str, valence: float, importance: float = 0.8, row: int = 0) -> None:
    made.citizens.agents[row].memory.stream.add(
        topic, "Something happened.", valence=valence, importance=importance
    )


def minded(village: MakeVillage, *blocks: Any, **changes: Any) -> Any:
    made = village(**{"agents": 6, "start": "2026-01-01 08:00", **changes})
    made.give(made.citizens, *blocks)
    return made


# Feelings


@pytest.mark.parametrize("topic", BAD)
def test_a_bad_event_moves_the_feeling_of_its_topic(village: MakeVillage, topic: str) -> None:
    made = minded(village, Feel())
    tell(made, topic, -0.8)
    made.step()
    after = feelings(made)
    assert {f for f in FEELINGS if after[f] > BASELINE} == {
        f for f, w in BAD[topic].items() if w > 0
    }
    assert {f for f in FEELINGS if after[f] < BASELINE} == set()
    assert set(feelings(made, 1).values()) == {BASELINE}


def test_relief_raises_joy_and_leaves_fear_to_fade(village: MakeVillage) -> None:
    made = minded(village, Feel())
    tell(made, "disaster", -0.9)
    made.step()
    afraid = feelings(made)["fear"]
    tell(made, "relief", 0.8)
    made.step()
    after = feelings(made)
    assert after["joy"] > BASELINE
    assert BASELINE < after["fear"] < afraid
    assert after["fear"] - BASELINE > 0.9 * (afraid - BASELINE)


def test_a_threat_spoils_joy_and_no_feeling_falls_below_its_base(village: MakeVillage) -> None:
    made = minded(village, Feel())
    tell(made, "social", 0.9)
    made.step()
    glad = feelings(made)["joy"]
    for _ in range(20):
        tell(made, "disaster", -0.9)
        made.step()
    after = feelings(made)
    assert after["joy"] < glad
    assert min(after.values()) >= BASELINE - 1e-4


def test_an_event_acts_once_and_its_effect_decays(village: MakeVillage) -> None:
    made = minded(village, Feel())
    tell(made, "disaster", -0.9)
    fear = []
    for _ in range(61):
        made.step()
        fear.append(feelings(made)["fear"])
    assert (np.diff(fear) < 0).all()
    # Two half-lives of 30 hours.
    assert fear[60] - BASELINE == pytest.approx((fear[0] - BASELINE) / 4, rel=0.02)


def test_thoughts_do_not_change_feelings(village: MakeVillage) -> None:
    made = minded(village, Feel())
    one = made.citizens.agents[0].memory.stream
    one.add("disaster", "I am worried.", valence=-1, importance=1, kind="thought")
    made.step()
    assert set(feelings(made).values()) == {BASELINE}


def test_events_of_other_agents_have_no_effect(village: MakeVillage) -> None:
    alone, together = (minded(village, Feel()) for _ in range(2))
    for made, rows in ((alone, [0]), (together, range(6))):
        for row in rows:
            tell(made, "disaster", -0.5, row=row)
        made.step()
    assert feelings(alone) == feelings(together)


def test_the_emotion_word_names_the_dominant_feeling(village: MakeVillage) -> None:
    made = minded(village, Feel())
    tell(made, "disaster", -1, 1.0, row=0)
    tell(made, "traffic", -1, 1.0, row=1)
    tell(made, "relief", 1, 1.0, row=2)
    fear = made.citizens.cohort()["emotion.fear"]
    fear[2] = 5.3  # relief is for those who were afraid
    made.citizens.cohort()["emotion.fear"] = fear
    made.step()
    words = [EMOTION_WORDS[number] for number in made.citizens.cohort()["emotion_word"]]
    assert words[:4] == ["Fear", "Anger", "Relief", "Hope"]
    assert set(words) <= set(EMOTIONS)


def test_new_agents_have_feelings(village: MakeVillage) -> None:
    made = minded(village, Feel())
    made.step()
    made.citizens.add(2)
    made.step()
    tell(made, "disaster", -1, row=7)
    made.step()
    assert feelings(made, 7)["fear"] > BASELINE
    assert feelings(made, 6)["fear"] == BASELINE


# Attitudes


def attitudes(made: Any, name: str) -> list[float]:
    values: list[float] = made.citizens.cohort()[f"attitude.{name}"].tolist()
    return values


def days(made: Any, count: int) -> None:
    for _ in range(24 * count):
        made.step()


def test_memories_change_the_attitude_they_concern(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes(), agents=3)
    tell(made, "preparation", 0.9, row=0)
    tell(made, "government", -0.9, row=1)
    days(made, 1)
    preparedness, trust = (attitudes(made, a.name) for a in reversed(ATTITUDES))
    assert preparedness[0] > 5
    assert preparedness[1:] == [5, 5]
    assert trust[1] < 5
    assert [trust[0], trust[2]] == [5, 5]


def test_danger_raises_preparedness(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes())
    tell(made, "disaster", -0.9)
    days(made, 1)
    assert attitudes(made, "emergency_preparedness")[0] > 5


def test_the_effect_of_an_event_on_attitudes_fades(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes(CognitionSettings(fresh=24)), agents=1)
    tell(made, "disaster", -0.9)
    moved = []
    for _ in range(10):
        before = attitudes(made, "emergency_preparedness")[0]
        days(made, 1)
        moved.append(attitudes(made, "emergency_preparedness")[0] - before)
    assert moved[0] > 0.1
    assert moved[-1] < 0.02 * moved[0]


def test_every_agent_updates_each_attitude_once_a_day(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes(), agents=40)
    asked: list[tuple[str, int, int]] = []

    class Notes(Mind):
        def answer(self, question: Question) -> Answer:
            asked.extend((question.about, int(i), made.clock.tick) for i in question.cohort.rows)
            return question.rule(question)

    made.mind = Notes()
    days(made, 2)
    assert len(asked) == 2 * 2 * 40
    hours = {tick % 24 for _, _, tick in asked}
    assert len(hours) > 5
    for attitude in ATTITUDES:
        own = sorted(row for about, row, _ in asked if about == attitude.name)
        assert own == sorted([*range(40)] * 2)


def test_every_answer_of_the_rule_has_evidence(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes(), agents=2)
    tell(made, "preparation", 0.9, row=0)
    tell(made, "social", 0.9, row=0)
    seen = {}

    class Notes(Mind):
        def answer(self, question: Question) -> Answer:
            answer = question.rule(question)
            for at, row in enumerate(question.cohort.rows.tolist()):
                assert answer.evidence is not None
                assert answer.reason is not None
                ids = answer.evidence[at]
                seen[question.about, row] = (ids[ids >= 0].tolist(), int(answer.reason[at]))
            return answer

    made.mind = Notes()
    days(made, 1)
    assert seen["emergency_preparedness", 0] == ([0], 1)
    assert seen["emergency_preparedness", 1] == ([], 0)
    assert seen["government_trust", 0] == ([], 0)


def test_agreement_raises_conviction(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes(), agents=2)
    made.citizens.cohort()["attitude.emergency_preparedness"] = np.array([9.0, 1.0])
    made.citizens.cohort()["conviction.emergency_preparedness"] = np.array([0.5, 0.5])
    for row in (0, 1):
        tell(made, "preparation", 0.9, row=row)
    days(made, 1)
    firm = made.citizens.cohort()["conviction.emergency_preparedness"]
    assert firm[0] > 0.5 > firm[1]


# Thoughts


def test_a_thought_is_formed_once_a_day_from_its_memories(village: MakeVillage) -> None:
    made = minded(village, Think(), agents=10, start="2026-01-01")
    for day in range(3):
        made.step()
        for row in range(10):
            tell(made, "social", 0.2, importance=0.1 + 0.08 * row, row=row)
        for _ in range(23):
            made.step()
        for one in made.citizens.agents:
            memories = one.memory.observed.stream.read(range(99))
            thoughts = [t for t in memories if t.kind == "thought"]
            assert len(thoughts) == day + 1
            assert thoughts[-1].id == one.thought
            today = [t for t in memories if t.kind == "event" and t.time // 24 == day]
            assert [t.thought for t in today] == [one.thought]
            assert "Something happened" in thoughts[-1].text
            assert "{evidence}" in thoughts[-1].template


def test_no_thought_is_formed_without_memories(village: MakeVillage) -> None:
    made = minded(village, Think(), agents=2, start="2026-01-01")
    days(made, 1)
    for one in made.citizens.agents:
        memories = one.memory.observed.stream.read(range(9))
        assert len(memories) <= 1
        assert all("{" not in t.text for t in memories)


@pytest.mark.parametrize("word", ["Fear", "Anger", "Joy", "Hope"])
def test_a_thought_names_the_feeling_of_the_day(village: MakeVillage, word: str) -> None:
    made = minded(village, Think(), agents=1, start="2026-01-01")
    made.citizens.cohort()["emotion_word"] = np.array([emotion_number(word)])
    tell(made, "disaster" if word == "Fear" else "social", 0.5 if word in PLEASANT else -0.5)
    days(made, 1)
    thought = made.citizens.agents[0].memory.observed.stream.read([1])[0]
    felt = read_phrases("day").sections["feeling"][word]
    assert any(phrase in thought.text for phrase in felt)
    assert thought.topic == "cognition"


def test_a_thought_quotes_the_memory_that_changed_an_attitude(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes(), Think(), agents=1, start="2026-01-01")
    stream = made.citizens.agents[0].memory.stream
    tell(made, "social", 0.0)
    days(made, 1)
    made.step()
    stream.add("social", "I met a friend.", valence=0.9, importance=0.9)
    stream.add("government", "The officials did nothing.", valence=-0.9, importance=0.8)
    days(made, 1)
    memories = made.citizens.agents[0].memory.observed.stream.read(range(9))
    _, thought = (one.text for one in memories if one.kind == "thought")
    phrases = read_phrases("day").sections["change"]["government_trust down"]
    assert "The officials did nothing." in thought
    # How the change follows from the memory is worded by whether it was welcome.
    assert any(phrase.partition(" I ")[2] in thought for phrase in phrases)


def test_a_thought_does_not_mention_a_change_without_a_memory(village: MakeVillage) -> None:
    made = minded(village, UpdateAttitudes(), Think(), agents=1, start="2026-01-01")
    tell(made, "social", 0.0)
    days(made, 1)
    made.step()
    made.citizens.cohort()["attitude.government_trust"] = 2.0
    tell(made, "social", 0.0)
    days(made, 1)
    memories = made.citizens.agents[0].memory.observed.stream.read(range(9))
    changes = read_phrases("day").sections["change"]
    for text in (one.text for one in memories if one.kind == "thought"):
        assert not any(p in text for key in changes for p in changes[key] if p)


def test_a_thought_sets_an_intention(village: MakeVillage) -> None:
    made = minded(village, Think(), agents=30, start="2026-01-01")
    for row in range(30):
        tell(made, "disaster", -0.8, row=row)
    days(made, 1)
    names = {INTENTIONS[one] for one in made.citizens.cohort()["intention"].tolist()}
    assert names <= {"prepare", "listen", "leave"}
    assert len(names) > 1


def test_a_thought_uses_only_memories_of_today(village: MakeVillage) -> None:
    made = minded(village, Think(), agents=4, start="2026-01-01")
    ages: list[int] = []

    class Notes(Mind):
        def answer(self, question: Question) -> Answer:
            time = question.cohort.memory.observed.stream.column("time", question.recalled)
            ages.extend((made.clock.tick - time[question.recalled >= 0]).tolist())
            return question.rule(question)

    made.mind = Notes()
    for _ in range(3):
        for row in range(4):
            tell(made, "social", 0.2, row=row)
        days(made, 1)
    assert ages
    assert max(ages) < 24
