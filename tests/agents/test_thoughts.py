"""A thought states what happened, how it felt, what changed and what is intended."""

import re

import numpy as np
import pytest

from memopolis.agents.activities import STEPS
from memopolis.agents.thoughts import (
    DRAWS,
    INTENTIONS,
    LEAST_CHANGE,
    Occasion,
    ThoughtComposer,
    drop_opposites,
    drop_repeats,
    find_sign,
    read_phrases,
)
from memopolis.sim.memory.streams.encoding import EMOTIONS, emotion_number
from memopolis.sim.memory.text.texts import Texts

TOPICS = ["social", "disaster", "sales", "relief", "traffic", "figures"]
ATTITUDES = (
    ("government_trust", {"social", "relief"}),
    ("emergency_preparedness", {"disaster", "social"}),
)


def compose(
    topic: str,
    valence: float,
    word: str = "",
    change: tuple[float, float] = (0, 0),
    draw: float = 0,
    *,
    away: bool = False,
    weighty: bool = False,
) -> tuple[str, str]:
    composer = ThoughtComposer(TOPICS, ATTITUDES, "day", institution="", situations=("", "away"))
    occasion = Occasion(
        topic=np.array([TOPICS.index(topic)]),
        valence=np.array([valence]),
        mood=np.array([emotion_number(word)]),
        change=np.array(change)[:, None],
        situation=np.array([away], np.intp),
        weighty=np.array([weighty]),
    )
    texts = Texts()
    text, intention = composer.compose(occasion, np.full((1, DRAWS), draw), texts)
    return texts[int(text[0])], INTENTIONS[int(intention[0])]


def phrases(section: str, key: str) -> tuple[str, ...]:
    return read_phrases("day").sections[section][key]


def test_a_thought_has_event_feeling_change_and_intention() -> None:
    text, intention = compose("disaster", -0.8, "Fear", (0.0, 0.4))
    expected = (
        phrases("event", "bad")[0],
        phrases("feeling", "Fear")[0],
        phrases("change", "emergency_preparedness up")[0],
        phrases("intention", intention)[0],
    )
    assert text == " ".join(part for part in expected if part)
    assert intention in phrases("suggested", "disaster bad")


def test_the_largest_change_of_an_attitude_is_mentioned() -> None:
    text, _ = compose("social", 0.0, change=(-0.5, 0.2))
    assert any(phrase in text for phrase in phrases("change", "government_trust down"))


def test_a_small_change_is_not_mentioned() -> None:
    text, _ = compose("social", 0.0, change=(LEAST_CHANGE / 2, 0.0))
    assert not any(p in text for p in phrases("change", "government_trust up"))


def test_a_change_that_the_event_does_not_bear_on_is_not_mentioned() -> None:
    text, _ = compose("disaster", -0.5, change=(0.9, 0.2))
    assert any(phrase in text for phrase in phrases("change", "emergency_preparedness up"))
    text, _ = compose("traffic", -0.5, change=(0.9, 0.2))
    assert not any(phrase in text for phrase in phrases("change", "government_trust up"))


def test_a_change_against_the_event_says_so() -> None:
    text, _ = compose("relief", 0.5, change=(-0.4, 0.0))
    assert any(phrase in text for phrase in phrases("change", "government_trust down despite"))
    text, _ = compose("relief", -0.5, change=(-0.4, 0.0))
    assert any(phrase in text for phrase in phrases("change", "government_trust down"))


def test_reports_open_as_news() -> None:
    openings = {compose("figures", 0.0, draw=u)[0] for u in np.linspace(0, 0.99, 12)}
    assert "I heard it on the news. {evidence}" in openings
    assert not any(text.startswith("No surprises") for text in openings)


def test_repeats_among_the_most_important_memories_are_left_out() -> None:
    ids = np.array([[7, 3, 9, 1], [4, 2, -1, -1]], np.int32)
    gists = np.array([[0, 0, 1], [2, 3, -1]])
    assert drop_repeats(ids, gists).tolist() == [[7, -1, 9, 1], [4, 2, -1, -1]]


def test_a_feeling_that_does_not_fit_the_event_is_about_something_else() -> None:
    fits, _ = compose("social", 0.5, "Joy")
    despite, _ = compose("social", 0.5, "Distress")
    assert any(phrase in fits for phrase in phrases("feeling", "Joy"))
    assert any(phrase in despite for phrase in phrases("feeling", "unpleasant despite"))


def test_a_day_with_a_weighty_event_is_not_called_uneventful() -> None:
    draws = np.linspace(0, 0.99, 40)
    openings = {compose("disaster", 0, draw=u, weighty=True)[0].split("{")[0] for u in draws}
    assert len(openings) > 5
    for opening in openings:
        assert not re.search("Nothing|No surprises|Quiet|ordinary|Not much|as always", opening)
    assert any("Nothing special" in compose("social", 0, draw=u)[0] for u in draws)


def test_thoughts_about_an_event_leave_out_those_of_the_other_sign() -> None:
    ids = np.array([[7, 3, 9], [4, 2, 5]], np.int32)
    signs, event = np.array([[1, 2, 0], [1, 2, 0]]), np.array([1, 1])
    only = np.array([True, False])
    assert drop_opposites(ids, signs, event, only).tolist() == [[7, -1, 9], [4, 2, 5]]


def test_only_people_away_from_home_want_to_return() -> None:
    draws = np.linspace(0, 0.99, 12)
    at_home = {compose("relief", 0.5, draw=u)[1] for u in draws}
    away = {compose("relief", 0.5, draw=u, away=True)[1] for u in draws}
    assert "return" in away
    assert "return" not in at_home
    # Topics without intentions of their own keep those of people at home.
    assert compose("social", -0.5, away=True) == compose("social", -0.5)


def test_a_traffic_jam_is_no_argument() -> None:
    assert "avoid" not in phrases("suggested", "traffic bad")


def test_thoughts_about_months_do_not_mention_days() -> None:
    grammar = read_phrases("month")
    for entries in grammar.sections.values():
        for options in entries.values():
            for phrase in options:
                assert not re.search(r"\b(today|tomorrow|days?)\b", phrase, re.IGNORECASE), phrase
                assert "these months" not in phrase


def test_every_suggested_intention_has_phrases() -> None:
    grammar = read_phrases("day")
    for section, entries in grammar.sections.items():
        if section.startswith("suggested"):
            named = {name for options in entries.values() for name in options}
            assert named <= set(INTENTIONS), section


def test_every_emotion_word_has_phrases() -> None:
    assert set(EMOTIONS) <= set(read_phrases("day").sections["feeling"])


def test_intentions_that_name_plans_name_existing_ones() -> None:
    assert {"meet", "rest", "leisure", "shop", "message"} <= {step.name for step in STEPS}


@pytest.mark.parametrize(("valence", "sign"), [(0.0, 0), (0.15, 1), (-0.15, 2), (0.1, 0)])
def test_signs_follow_valence(valence: float, sign: int) -> None:
    assert find_sign(np.array([valence]))[0] == sign


def test_no_opening_is_frequent() -> None:
    """Draws are spread over the phrases; three words open at most a tenth of the thoughts."""
    for key, options in read_phrases("day").sections["event"].items():
        openings = [" ".join(option.split()[:3]) for option in options]
        assert len(set(openings)) == len(options) >= 11, key
