"""Statements of persons about themselves: which sentences are, and which replace others."""

import pytest

from memopolis.sim.memory.layers.key import (
    FRAMES,
    find_frame,
    find_statements,
    is_small_talk,
    replaces,
)


@pytest.mark.parametrize(
    ("sentence", "frame"),
    [
        ("My name's Tariq.", "name"),
        ("We now live near the harbour.", "home"),
        ("I\u2019m working as a nurse.", "work"),
        ("I grew up in Quito.", "origin"),
        ("I can't drive.", "ability"),
        ("I hope to run a marathon.", "wish"),
        ("My older sister Lea is a pilot.", "circle"),
        ("I've changed my mind about the tent.", "change"),
        ("I want to know the time.", ""),
        ("I would like to help you.", ""),
        ("Do I live in Rome?", ""),
        ("The roof of my house is gone.", ""),
        ("It rained.", ""),
        ("I love it.", ""),
        ('She said, "I live in Rome."', ""),
        ("", ""),
    ],
)
def test_a_frame_marks_a_statement(sentence: str, frame: str) -> None:
    assert find_frame(sentence) == frame
    assert frame in (*FRAMES, "")


def test_only_the_sentence_that_states_something_is_kept() -> None:
    text = "Hi there! I live in Oslo. Can you find me a bakery? It is cold."
    assert find_statements(text) == ["I live in Oslo."]


@pytest.mark.parametrize(
    ("text", "small"),
    [
        ("Sure, here you go.", True),
        ("Of course! Let me know if you need anything else.", True),
        ("What does a tent cost?", True),
        ("Write a poem about tents.", True),
        ("", True),
        ("Fed the cat", False),
        ("The storm tore the roof off the house", False),
        ("\u98d3\u98ce\u6765\u4e86", False),
    ],
)
def test_small_talk_has_no_content(text: str, small: bool) -> None:  # noqa: FBT001
    assert is_small_talk(text) is small


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ("I moved to Lima.", "I live in Cusco.", True),
        ("I work as a cook.", "I live in Cusco.", False),
        ("I love tea.", "I love coffee.", False),
        ("Actually, I'd rather have tea with milk.", "I prefer tea without milk.", True),
        ("Actually, I'd rather have tea.", "I want to see whales.", False),
        ("I no longer eat meat.", "I love meat.", True),
    ],
)
def test_a_change_replaces_what_it_is_about(new: str, old: str, *, expected: bool) -> None:
    assert replaces(new, old) is expected
