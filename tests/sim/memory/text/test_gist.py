"""The gist of similar texts."""

import pytest

from memopolis.sim.memory.night.merging import find_gist


def gist_of(*texts: str) -> str:
    return find_gist(texts, (1,) * len(texts))


@pytest.mark.parametrize(
    ("texts", "gist"),
    [
        (
            (
                "Standup on Monday was moved to 9:30.",
                "Standup on Tuesday was moved to 9:30.",
                "Standup on Friday was moved to 9:30.",
            ),
            "Standup on … was moved to 9:30.",
        ),
        (
            (
                "I waited 20 minutes for the bus.",
                "I waited 35 minutes for the bus.",
                "I waited for the bus in the rain.",
            ),
            "I waited … minutes for the bus.",
        ),
        (
            ("{actor} told me the road is shut.", "{actor} told me: the bridge is shut."),
            "{actor} told me the … is shut.",
        ),
        (("今天早上堵车。", "昨天早上堵车。"), "…天早上堵车。"),
    ],
)
def test_words_that_differ_are_left_out(texts: tuple[str, ...], gist: str) -> None:
    assert gist_of(*texts) == gist


def test_case_and_punctuation_do_not_differ() -> None:
    assert gist_of("The bus, late again!", "the bus: late again") == "The bus, late again!"


@pytest.mark.parametrize("texts", [("The cat sleeps.", "A dog barks."), ("", "A dog."), ("1",)])
def test_texts_with_little_in_common_keep_the_first(texts: tuple[str, ...]) -> None:
    assert gist_of(*texts) == texts[0]


def test_frequent_texts_count_as_often_as_they_occur() -> None:
    texts = ("The red bus was late.", "The blue bus was late.")
    assert find_gist(texts, (3, 1)) == texts[0]
    assert find_gist(texts, (1, 1)) == "The … bus was late."
