"""Replies fit the report, the tie, and what is remembered of the other."""

from itertools import product

import numpy as np
import pytest

from memopolis.agents.everyday import RECEIVED, read_replies
from memopolis.agents.replies import (
    LEVELS,
    SIGNS,
    SOURCES,
    TIES,
    Remembered,
    find_signs,
    find_ties,
    is_personal,
    list_closing_keys,
    list_reply_keys,
    number_closings,
    number_replies,
    take_up,
)
from memopolis.agents.thoughts import SIGNS as FEELINGS

TOPICS = ("disaster", "evacuation", "order", "social", "preparation", "whatever")
REPLIES = read_replies().sections["reply"]


def reply_key(topic: str, source: str, sign: str, level: str, tie: str) -> str:
    number = number_replies(TOPICS)[
        TOPICS.index(topic),
        SOURCES.index(source),
        SIGNS.index(sign),
        LEVELS.index(level),
        TIES.index(tie),
    ]
    return list(REPLIES)[int(number)]


@pytest.mark.parametrize(
    ("situation", "key"),
    [
        (("disaster", "news", "bad", "high", "other"), "disaster high"),
        (("disaster", "news", "bad", "high", "home"), "disaster high home"),
        (("disaster", "seen", "grave", "low", "close"), "disaster seen grave close"),
        (("disaster", "seen", "grave", "low", "other"), "disaster seen grave"),
        (("disaster", "seen", "bad", "low", "parent"), "disaster seen bad"),
        (("disaster", "hearsay", "grave", "low", "other"), "hearsay bad"),
        (("disaster", "news", "grave", "high", "child"), "disaster bad child"),
        (("whatever", "own", "grave", "", "home"), "own grave home"),
        (("whatever", "news", "plain", "", "close"), "plain"),
        (("whatever", "own", "good", "", "child"), "good child"),
    ],
)
def test_the_most_specific_reply_is_used(
    situation: tuple[str, str, str, str, str], key: str
) -> None:
    assert reply_key(*situation) == key


def test_every_phrase_can_be_used() -> None:
    topics = {key.split()[0] for key in REPLIES} | {"past storm"}
    possible = {
        key
        for situation in product(topics, SOURCES, SIGNS, LEVELS, TIES)
        for key in list_reply_keys(*situation)
    }
    assert set(REPLIES) <= possible
    closings = {
        key
        for situation in product(topics, SIGNS, FEELINGS, TIES, (False, True))
        for key in list_closing_keys(*situation)
    }
    assert set(read_replies().sections["closing"]) <= closings


def test_people_of_a_household_do_not_part_like_strangers() -> None:
    closing = read_replies().sections["closing"]
    numbers = np.unique(number_closings(TOPICS)[..., TIES.index("home"), :])
    phrases = {phrase for number in numbers for phrase in list(closing.values())[int(number)]}
    assert not phrases & set(closing["good"]) - {""}


def test_bad_and_important_events_are_grave() -> None:
    valence, importance = np.array([-0.8, -0.8, -0.3, 0.9]), np.array([0.7, 0.2, 0.9, 0.9])
    assert [SIGNS[n] for n in find_signs(valence, importance)] == ["grave", "bad", "bad", "good"]


def test_ties_depend_on_kind_and_age() -> None:
    is_home = np.array([True, True, True, True, False, False])
    is_close = np.array([False, False, False, False, True, False])
    speaker, listener = np.array([40, 40, 9, 40, 40, 40]), np.array([38, 8, 40, 15, 40, 40])
    ties = [TIES[n] for n in find_ties(is_home, is_close, speaker, listener)]
    assert ties == ["home", "child", "parent", "close", "close", "other"]


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("We left {place}.", True),
        ("The shelter in {place} could not take us in.", True),
        ("Forecasters expect a storm in our area.", False),
        ("Weather is bad.", False),
        ("It rained.", False),
    ],
)
def test_own_life_is_in_the_first_person(text: str, *, is_own: bool) -> None:
    assert is_personal(text) == is_own


def memory(text: str, topic: str = "social", valence: float = 0.5) -> Remembered:
    return Remembered(text, topic, "on Monday", valence)


STORM = memory(RECEIVED + "Wind.", "disaster", -0.5)
MEETING = memory("I met {actor} in {place} and enjoyed it.")
QUARREL = memory("I met {actor} in {place}, and we argued.", valence=-0.4)


@pytest.mark.parametrize(
    ("memories", "topic", "tie", "words"),
    [
        ([], "disaster", "close", ""),
        ([MEETING, STORM], "disaster", "close", "the storm on Monday"),
        ([MEETING, STORM], "social", "close", "see you on Monday"),
        ([QUARREL], "social", "other", "argued on Monday"),
        ([STORM], "order", "other", "about the storm on Monday"),
        ([MEETING], "disaster", "home", ""),
        ([STORM], "disaster", "home", "the storm on Monday"),
        ([STORM, MEETING], "disaster", "child", ""),
    ],
)
def test_what_is_remembered_of_the_other_is_taken_up(
    memories: list[Remembered], topic: str, tie: str, words: str
) -> None:
    sentence = take_up(memories, topic, tie, 0.0)
    assert words in sentence
    assert bool(sentence) == bool(words)
