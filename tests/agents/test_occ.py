"""From what an event means to one of 21 emotions, and on to six feelings."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.agents.appraisal import FEELINGS
from memopolis.agents.occ import (
    CHARACTERS,
    MOVES,
    Appraisal,
    Character,
    appraise,
    compute_emotions,
    compute_impulses,
    find_strongest,
)
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, EMOTIONS

NUMBERS = ("desirable", "praise", "likely", "hope", "fear", "for_other", "goodwill", "appeal")
FLAGS = ("own_deed", "prospect", "settles")


def seen(**values: Any) -> Appraisal:
    """One event with some properties; the others are 0."""
    numbers: dict[str, Any] = {
        name: np.array([values.get(name, 0.0)], np.float32) for name in NUMBERS
    }
    flags: dict[str, Any] = {name: np.array([values.get(name, False)]) for name in FLAGS}
    return Appraisal(**numbers, **flags)


def felt(**values: Any) -> dict[str, float]:
    """Emotions that one event stirs, by word."""
    strength = compute_emotions(seen(**values))[0]
    return {w: round(float(s), 4) for w, s in zip(EMOTIONS, strength, strict=True) if s > 0}


@pytest.mark.parametrize(
    ("event", "stirs"),
    [
        ({"desirable": 0.6}, {"Joy": 0.6}),
        ({"desirable": -0.6}, {"Distress": 0.6}),
        ({"desirable": 0.6, "prospect": True, "likely": 0.5}, {"Hope": 0.3}),
        ({"desirable": -0.6, "prospect": True, "likely": 0.5}, {"Fear": 0.3}),
        # The geometric mean of hope 0.9 and outcome 0.4 is 0.6; no joy is left beside it.
        ({"desirable": 0.4, "settles": True, "hope": 0.9}, {"Satisfaction": 0.6}),
        ({"desirable": 0.4, "settles": True, "fear": 0.9}, {"Relief": 0.6}),
        ({"desirable": -0.4, "settles": True, "hope": 0.9}, {"Disappointment": 0.6}),
        # Feared as much as it comes: fears confirmed, for which there is no word but distress.
        ({"desirable": -0.4, "settles": True, "fear": 0.9}, {"Distress": 0.4}),
        # Fear 0.1 of an outcome of 0.4: relief 0.2, and joy about the rest.
        ({"desirable": 0.4, "settles": True, "fear": 0.1}, {"Relief": 0.2, "Joy": 0.2}),
        ({"for_other": 0.5, "goodwill": 0.8}, {"Joy": 0.4}),
        ({"for_other": -0.5, "goodwill": 0.8}, {"Pity": 0.4}),
        ({"for_other": 0.5, "goodwill": -0.8}, {"Resentment": 0.4}),
        ({"for_other": -0.5, "goodwill": -0.8}, {"Joy": 0.4}),
        ({"praise": 0.5, "own_deed": True}, {"Pride": 0.5}),
        ({"praise": -0.5, "own_deed": True}, {"Shame": 0.5}),
        ({"praise": 0.5}, {"Admiration": 0.5}),
        ({"praise": -0.5}, {"Reproach": 0.5}),
        ({"appeal": 0.5}, {"Liking": 0.5}),
        ({"appeal": -0.5}, {"Disliking": 0.5}),
        ({"appeal": 0.8}, {"Love": 0.8}),
        ({"appeal": -0.8}, {"Hate": 0.8}),
        # Deed 0.9 and event 0.4: together 0.6, of the deed 0.3 remains.
        ({"praise": 0.9, "desirable": 0.4}, {"Gratitude": 0.6, "Admiration": 0.3}),
        ({"praise": -0.9, "desirable": -0.4}, {"Anger": 0.6, "Reproach": 0.3}),
        ({"praise": 0.4, "desirable": 0.4, "own_deed": True}, {"Gratification": 0.4}),
        ({"praise": -0.4, "desirable": -0.4, "own_deed": True}, {"Remorse": 0.4}),
        ({}, {}),
    ],
)
def test_an_event_causes_the_emotions_of_its_appraisal(
    event: dict[str, Any], stirs: dict[str, float]
) -> None:
    assert felt(**event) == pytest.approx(stirs, abs=2e-4)


def test_each_of_the_21_emotions_can_occur_and_changes_feelings() -> None:
    named = {
        word
        for _, stirs in test_an_event_causes_the_emotions_of_its_appraisal.pytestmark[0].args[1]
        for word in stirs
    }
    assert named == set(EMOTIONS) == set(MOVES)
    assert all(set(moves) <= set(FEELINGS) and moves for moves in MOVES.values())


share = st.floats(0, 1, width=32)
signed = st.floats(-1, 1, width=32)


@given(
    st.fixed_dictionaries(
        dict.fromkeys(("likely", "hope", "fear"), share)
        | dict.fromkeys(("desirable", "praise", "for_other", "goodwill", "appeal"), signed)
        | dict.fromkeys(FLAGS, st.booleans())
    )
)
def test_emotions_are_in_range_and_good_and_bad_events_differ(event: dict[str, Any]) -> None:
    strength = compute_emotions(seen(**event))
    assert strength.dtype == np.float32
    assert strength.min() >= 0
    assert strength.max() <= 1
    stirred = felt(**event)
    for good, bad in (("Joy", "Distress"), ("Hope", "Fear"), ("Pride", "Shame"), ("Love", "Hate")):
        if (good, bad) != ("Joy", "Distress") or event["for_other"] == 0:
            assert not {good, bad} <= set(stirred)


@given(share, share, share)
def test_fear_rises_with_probability_and_severity(bad: float, one: float, two: float) -> None:
    low, high = sorted((one, two))
    fears = [
        felt(desirable=-bad, prospect=True, likely=likely).get("Fear", 0) for likely in (low, high)
    ]
    assert fears[0] <= fears[1] <= bad + 1e-4


def weights(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def words(character: Character, weight: float, *, hope: float = 0, fear: float = 0) -> str:
    result = appraise(character, weights(weight), weights(0.8), weights(hope), weights(fear))
    return EMOTION_WORDS[int(find_strongest(compute_emotions(result).T, least=0.01)[0])]


@pytest.mark.parametrize(
    ("topic", "weight", "word"),
    [
        ("disaster", -0.6, "Fear"),
        ("order", -0.6, "Fear"),
        ("traffic", -0.6, "Anger"),
        ("government", 0.6, "Gratitude"),
        ("preparation", 0.6, "Gratification"),
        ("social", 0.6, "Joy"),
        ("social", -0.6, "Pity"),
        ("relief", 0.6, "Joy"),
    ],
)
def test_topics_cause_the_emotion_of_their_character(topic: str, weight: float, word: str) -> None:
    assert words(CHARACTERS[topic], weight) == word


def test_good_news_after_fear_causes_relief() -> None:
    assert words(CHARACTERS["relief"], 0.6, fear=0.8) == "Relief"
    assert words(CHARACTERS["relief"], -0.6, hope=0.8) == "Disappointment"
    assert words(CHARACTERS["relief"], 0.6, hope=0.8) == "Satisfaction"


def test_impulses_are_sums_over_emotions() -> None:
    stirred = np.zeros((21, 2), np.float32)
    stirred[EMOTIONS.index("Relief"), 0] = 0.5
    stirred[EMOTIONS.index("Fear"), 0] = 0.2
    stirred[EMOTIONS.index("Hate"), 1] = 0.4
    moved = dict(zip(FEELINGS, compute_impulses(stirred).T.tolist()[0], strict=True))
    assert moved == pytest.approx(dict.fromkeys(FEELINGS, 0.0) | {"joy": 0.25, "fear": 0.2})
    moved = dict(zip(FEELINGS, compute_impulses(stirred).T.tolist()[1], strict=True))
    assert moved == pytest.approx(dict.fromkeys(FEELINGS, 0.0) | {"disgust": 0.4, "anger": 0.2})


def test_a_weak_emotion_is_not_named() -> None:
    stirred = np.zeros((21, 2), np.float32)
    stirred[4, 0], stirred[6, 1] = 0.04, 0.05
    assert find_strongest(stirred, least=0.05).tolist() == [0, 7]
