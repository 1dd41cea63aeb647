"""A thought states what happened, how it felt, what changed and what is intended."""

import re
from collections import Counter

import numpy as np
import pytest

from memopolis.agents.activities import STEPS
from memopolis.agents.thoughts import (
    DRAWS,
    INTENTIONS,
    VARIANTS,
    Occasion,
    Span,
    ThoughtComposer,
    choose_fitting,
    choose_quoted,
    find_sign,
    read_phrases,
    spread_draws,
)
from memopolis.sim.memory.streams.encoding import EMOTIONS, emotion_number
from memopolis.sim.memory.text.texts import Texts

TOPICS = ["social", "disaster", "sales", "relief", "traffic", "figures", "family", "gun_control"]
ATTITUDES = ("government_trust", "emergency_preparedness", "gun_control")


def compose(
    topic: str,
    valence: float,
    word: str = "",
    change: tuple[str, bool] | None = None,
    draw: float = 0,
    *,
    away: bool = False,
    shadowed: bool = False,
    of_others: bool = False,
    event: tuple[str, float] | None = None,
    weighty: bool = True,
) -> tuple[str, str]:
    """Compose a thought that quotes a memory of a topic; `event` suggests the intention."""
    composer = ThoughtComposer(TOPICS, ATTITUDES, "day", institution="", situations=("", "away"))
    cause, meaning = event or (topic, valence)
    occasion = Occasion(
        topic=np.array([TOPICS.index(cause)]),
        valence=np.array([meaning]),
        quoted_topic=np.array([TOPICS.index(topic)]),
        quoted_valence=np.array([valence]),
        quoted_weighty=np.array([weighty]),
        mood=np.array([emotion_number(word)]),
        attitude=np.array([ATTITUDES.index(change[0]) if change else -1]),
        rises=np.array([bool(change and change[1])]),
        situation=np.array([away], np.intp),
        shadowed=np.array([shadowed]),
        of_others=np.array([of_others]),
    )
    texts = Texts()
    text, intention = composer.compose(occasion, np.full((1, DRAWS), draw), texts)
    return texts[int(text[0])], INTENTIONS[int(intention[0])]


def phrases(section: str, key: str) -> tuple[str, ...]:
    return read_phrases("day").sections[section][key]


def says(text: str, section: str, key: str) -> bool:
    return any(phrase and phrase in text for phrase in phrases(section, key))


def test_what_happened_to_others_suggests_no_intention() -> None:
    _, own = compose("family", -0.8)
    text, others = compose("family", -0.8, of_others=True)
    assert own in phrases("suggested", "family bad")
    assert others == "none"
    plans = {plan for name in ("rest", "message") for plan in phrases("intention", name)}
    assert not any(plan in text for plan in plans)


def test_a_thought_has_quote_change_and_intention() -> None:
    text, intention = compose("disaster", -0.8, "Fear", ("emergency_preparedness", True))
    assert any(
        text == f"{event} {change} {plan}"
        for event in phrases("event", "bad")
        for change in phrases("change", "emergency_preparedness up")
        for plan in phrases("intention", intention)
    )
    assert intention in phrases("suggested", "disaster bad")


def test_draws_are_spread_evenly() -> None:
    draws = spread_draws(np.random.default_rng(1).uniform(size=10_000), 4)
    assert draws.shape == (10_000, 4)
    for section in draws.T:
        assert np.histogram(section, 10, (0, 1))[0] == pytest.approx(1000, rel=0.4)
    assert len(np.unique(draws, axis=0)) <= VARIANTS


def test_a_thought_without_a_change_has_a_feeling() -> None:
    text, _ = compose("disaster", -0.8, "Fear")
    assert says(text, "feeling", "Fear")
    assert not any(says(text, "change", f"{name} up") for name in ATTITUDES)


def test_a_change_against_an_unwelcome_quote_says_so() -> None:
    for is_up, way in ((True, "up"), (False, "down")):
        welcome, _ = compose("gun_control", 0.5, change=("gun_control", is_up))
        unwelcome, _ = compose("gun_control", -0.5, change=("gun_control", is_up))
        assert says(welcome, "change", f"gun_control {way}")
        assert says(unwelcome, "change", f"gun_control {way} despite")


def test_an_intention_from_another_event_is_not_mentioned() -> None:
    draws = np.linspace(0, 0.99, 12)
    for draw in draws:
        text, intention = compose("social", 0.5, draw=draw, event=("disaster", -0.8))
        assert not says(text, "intention", intention)
    assert any(says(text, "intention", own) for text, own in (
        compose("disaster", -0.8, draw=draw) for draw in draws
    ))  # fmt: skip


def test_reports_open_as_news() -> None:
    openings = {compose("figures", 0.0, draw=u)[0] for u in np.linspace(0, 0.99, 40)}
    assert any(text.startswith("I heard it on the news: {evidence}") for text in openings)
    assert not any(text.startswith("Looking back") for text in openings)


def test_a_feeling_that_does_not_fit_the_event_is_about_something_else() -> None:
    fits, _ = compose("social", 0.5, "Joy")
    despite, _ = compose("social", 0.5, "Distress")
    assert says(fits, "feeling", "Joy")
    assert says(despite, "feeling", "unpleasant despite")


def test_an_event_is_not_blamed_for_a_feeling_that_it_cannot_cause() -> None:
    """Family events sadden, and do not anger; traffic jams anger."""
    family, _ = compose("family", -0.8, "Anger")
    traffic, _ = compose("traffic", -0.8, "Anger")
    assert says(traffic, "feeling", "Anger")
    assert not says(family, "feeling", "Anger")
    assert says(family, "feeling", "Anger plain")


def test_a_serious_bad_event_forbids_pleasant_feelings() -> None:
    for draw in np.linspace(0, 0.99, 12):
        pleasant, _ = compose("social", 0.5, "Joy", draw=draw)
        overshadowed, _ = compose("social", 0.5, "Joy", draw=draw, shadowed=True)
        assert says(pleasant, "feeling", "Joy")
        assert not says(overshadowed, "feeling", "Joy")


def test_a_bad_event_is_quoted_before_a_good_one_and_life_before_news() -> None:
    importance = np.array([[0.5, 0.6, 0.1], [0.5, 0.1, -1.0], [0.3, 0.5, 0.4]])
    valence = np.array([[-0.5, 0.6, 0.0], [0.5, 0.1, 0.0], [0.0, 0.0, 0.0]])
    is_report = np.array([[False] * 3, [False] * 3, [False, True, False]])
    assert choose_quoted(importance, valence, is_report).tolist() == [0, 0, 2]


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


def test_emotion_words_of_thoughts_fit_their_events() -> None:
    words = np.array([emotion_number(word) for word in ("Joy", "Joy", "Fear", "Fear", "Joy")])
    chosen = choose_fitting(words.astype(np.uint8), np.array([-0.8, 0.8, 0.8, -0.8, 0.0]))
    assert chosen.tolist() == [0, words[1], 0, words[3], words[4]]


def test_every_emotion_word_has_phrases() -> None:
    assert set(EMOTIONS) <= set(read_phrases("day").sections["feeling"])


def test_intentions_that_name_plans_name_existing_ones() -> None:
    assert {"meet", "rest", "leisure", "shop", "message"} <= {step.name for step in STEPS}


@pytest.mark.parametrize(("valence", "sign"), [(0.0, 0), (0.15, 1), (-0.15, 2), (0.1, 0)])
def test_signs_follow_valence(valence: float, sign: int) -> None:
    assert find_sign(np.array([valence]))[0] == sign


@pytest.mark.parametrize("span", ["day", "month"])
def test_no_opening_is_frequent(span: Span) -> None:
    """Draws are spread over the phrases; three words open at most a twentieth of the thoughts."""
    for key, options in read_phrases(span).sections["event"].items():
        openings = Counter(" ".join(option.split(":")[0].split()[:3]) for option in options)
        assert max(openings.values()) / len(options) <= 0.05, key


def test_frequent_changes_have_many_sentences() -> None:
    changes = read_phrases("day").sections["change"]
    for name in ("government_trust up", "emergency_preparedness up", "gun_control up",
                 "gun_control down", "basic_income up", "basic_income down"):  # fmt: skip
        assert len(set(changes[name])) >= 30, name
    assert all(len(set(some)) == len(some) for some in changes.values())
