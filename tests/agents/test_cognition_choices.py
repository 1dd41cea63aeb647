"""What cognition can be set to do beside its defaults, and what it takes over from a mind."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.agents.appraisal import BASELINE, FEELINGS
from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.blocks.cognition import Feel, Think
from memopolis.agents.thoughts import read_phrases
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, emotion_number
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.running.building import load_state
from memopolis.sim.state.saving import save_state

MakeVillage = Callable[..., Any]

OCC = CognitionSettings(appraisal="occ")


def minded(village: MakeVillage, *blocks: Any, agents: int = 4) -> Any:
    made = village(agents=agents, start="2026-01-01 08:00")
    made.give(made.citizens, *blocks)
    return made


def live(made: Any, row: int, topic: str, valence: float, text: str = "It was so.") -> None:
    made.citizens.agents[row].memory.stream.add(
        topic, text, valence=valence, importance=0.8, confidence=1.0
    )


def steps(made: Any, count: int) -> None:
    for _ in range(count):
        made.step()


def words(made: Any) -> list[str]:
    return [EMOTION_WORDS[n] for n in made.citizens.cohort()["emotion_word"]]


# Appraisal


def test_events_cause_the_emotion_of_their_topic(village: MakeVillage) -> None:
    made = minded(village, Feel(OCC), agents=7)
    for row, (topic, valence) in enumerate(
        [
            ("disaster", -0.8),
            ("traffic", -0.8),
            ("preparation", 0.8),
            ("social", -0.8),
            ("government", 0.8),
            ("garden", 0.8),
        ]
    ):
        live(made, row, topic, valence)
    made.step()
    felt = ["Fear", "Anger", "Gratification", "Pity", "Gratitude", "Joy"]
    assert words(made)[:6] == felt
    assert words(made)[6] == "Hope"
    calm = made.citizens.agents[6].emotion
    assert set(calm.values()) == {BASELINE}


def test_relief_requires_previous_fear_and_lets_it_fade_by_itself(village: MakeVillage) -> None:
    made = minded(village, Feel(OCC), agents=3)
    for row in (0, 2):
        live(made, row, "disaster", -1)
    made.step()
    frightened = made.citizens.agents[0].emotion
    for row in (0, 1):
        live(made, row, "relief", 0.8)
    made.step()
    assert words(made) == ["Relief", "Joy", "Fear"]
    relieved, calm, afraid = (one.emotion for one in made.citizens.agents)
    assert BASELINE < relieved["fear"] == afraid["fear"] < frightened["fear"]
    assert calm["fear"] == BASELINE
    assert relieved["joy"] > max(frightened["joy"], afraid["joy"]) + 0.5


def test_an_emotion_acts_once_and_the_word_then_follows_the_feeling(village: MakeVillage) -> None:
    made = minded(village, Feel(OCC), agents=1)
    live(made, 0, "social", -1)
    seen = []
    for _ in range(3):
        made.step()
        seen.append((words(made)[0], made.citizens.agents[0].emotion["sadness"]))
    assert [word for word, _ in seen] == ["Pity", "Distress", "Distress"]
    assert seen[0][1] > seen[1][1] > seen[2][1] > BASELINE


def test_new_agents_have_feelings_with_occ(village: MakeVillage) -> None:
    made = minded(village, Feel(OCC), agents=2)
    made.step()
    made.citizens.add(1)
    live(made, 2, "traffic", -0.9)
    made.step()
    assert words(made)[2] == "Anger"


# Thoughts


def thought(made: Any, row: int) -> str:
    one = made.citizens.agents[row]
    text: str = one.memory.observed.stream.read([one.thought])[0].text
    return text


LIVES = {
    0: [("social", 0.3, "I met my sister."), ("economy", 0.1, "I bought bread.")],
    1: [("social", 0.3, "I met a friend."), ("economy", 0.1, "I bought bread.")],
    2: [("disaster", -0.9, "Water came into the house.")],
    3: [("social", 0.3, "I met my sister."), ("economy", 0.1, "I bought bread.")],
}


@pytest.mark.parametrize("settings", [CognitionSettings(), OCC], ids=["topic", "occ"])
def test_different_lives_have_different_thoughts(
    village: MakeVillage, settings: CognitionSettings
) -> None:
    made = minded(village, Feel(settings), Think(settings))
    for row, events in LIVES.items():
        for topic, valence, text in events:
            live(made, row, topic, valence, text)
    steps(made, 24)
    thoughts = [thought(made, row) for row in range(4)]
    assert len(set(thoughts)) == 4
    for row, text in enumerate(thoughts):
        # The two most important events of the day.
        assert any(event in text for _, _, event in LIVES[row])
    assert "sister" not in thoughts[1] + thoughts[2]


def test_a_thought_names_the_emotion_of_the_day(village: MakeVillage) -> None:
    made = minded(village, Think(OCC), agents=1)
    made.citizens.cohort()["emotion_word"] = np.array([emotion_number("Remorse")])
    live(made, 0, "family", -0.5, "I forgot a birthday.")
    steps(made, 24)
    assert "I forgot a birthday." in thought(made, 0)
    felt = read_phrases("day").sections["feeling"]["Remorse"]
    assert any(phrase in thought(made, 0) for phrase in felt)


# What a mind says it feels


def saying(village: MakeVillage, intensities: Any, emotion: str = "") -> Any:
    class Says(Mind):
        def answer(self, question: Question) -> Answer:
            n = len(question.cohort)
            levels = np.tile(np.array(intensities, np.float32), (n, 1))
            word = np.full(n, emotion_number(emotion), np.uint8)
            return replace(question.rule(question), intensities=levels, emotion=word)

    made = minded(village, Think(), agents=2)
    made.mind = Says()
    for row in (0, 1):
        live(made, row, "social", 0.2)
    steps(made, 24)
    return made


def test_feelings_returned_by_a_mind_are_stored(village: MakeVillage) -> None:
    made = saying(village, [1, np.nan, 12, -3, 4.5, np.nan], "Shame")
    for one in made.citizens.agents:
        levels = [one.emotion[feeling] for feeling in FEELINGS]
        assert levels == [1, 5, 10, 0, 4.5, 5]
    assert words(made) == ["Shame", "Shame"]


def test_feelings_are_unchanged_if_a_mind_returns_none(village: MakeVillage) -> None:
    made = saying(village, [np.nan] * 6, "Shame")
    assert set(made.citizens.agents[0].emotion.values()) == {BASELINE}
    assert words(made) == ["", ""]


# Taken over from a saved state


def test_a_saved_society_keeps_its_cognition_settings(tmp_path: Path) -> None:
    cognition = {"appraisal": "occ", "opinion": {"model": "friedkin_johnsen"}}
    whole = Hurricane(agents=40, days=4, rng=1, start="2019-09-01", cognition=cognition)
    # Between the hour in which something is stored and the step in which it is felt.
    for _ in range(40):
        whole.step()
    part = load_state(save_state(whole, tmp_path / "state"))
    for _ in range(20):
        whole.step()
        part.step()
    for name in ("emotion_word", "emotion.fear", "attitude.emergency_preparedness"):
        one, other = (society.population("citizen").cohort()[name] for society in (whole, part))
        np.testing.assert_array_equal(one, other)
        assert name == "emotion_word" or len(set(one.tolist())) > 1
