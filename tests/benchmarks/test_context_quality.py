"""Token F1 and BLEU-1 against numbers worked out by hand; the best sentence of a context."""

import importlib
import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.memory.layers.contexts import Context, Line, Part

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    quality = importlib.import_module("context_quality")
finally:
    sys.path.pop(0)

best_sentence, bleu_1 = quality.best_sentence, quality.bleu_1
token_f1, words = quality.token_f1, quality.words


def context(*item: str, asked: str = "") -> Context:
    lines = tuple(Line(f"- day 0: {text}", text, (at,)) for at, text in enumerate(item))
    parts = (Part("history", lines), Part("input", (Line(asked, asked),)))
    return Context("", 0, parts, 100, "full history")


def test_words_are_lower_case_and_single_in_languages_without_spaces() -> None:
    assert words("It's 3pm, Bob!") == ["it", "s", "3pm", "bob"]
    assert words("飓风 warning_两") == ["飓", "风", "warning", "两"]
    assert words("ガス gas") == ["ガ", "ス", "gas"]


def test_token_f1_equals_hand_calculations() -> None:
    # said: cat sat on mat (articles out); right: cat on mat. 3 shared: P 3/4, R 3/3.
    assert token_f1("The cat sat on the mat.", "a cat on a mat") == pytest.approx(6 / 7)
    # A word counts as often as both have it: 1 of 3 said, 1 of 2 right.
    assert token_f1("no no no", "no yes") == pytest.approx(2 * (1 / 3) * (1 / 2) / (5 / 6))
    assert token_f1("飓风撤离", "撤离") == pytest.approx(2 * 0.5 * 1 / 1.5)
    assert token_f1("red", "blue") == 0


def test_bleu_1_equals_hand_calculations() -> None:
    # 3 of 3 said are right; 3 words for 6: exp(1 - 6 / 3).
    assert bleu_1("the cat sat", "the cat sat on the mat") == pytest.approx(math.exp(-1))
    # "the" counts twice of four times; longer than the answer: no penalty.
    assert bleu_1("the the the the mat", "the cat the") == pytest.approx(2 / 5)
    assert bleu_1("red", "blue") == 0


def test_an_empty_text_matches_only_an_empty_text() -> None:
    for measure in (token_f1, bleu_1):
        assert measure("", "") == 1
        assert measure("", "word") == 0
        assert measure("word", "!?") == 0


@given(st.text(max_size=40), st.text(max_size=40))
def test_both_measures_are_in_0_to_1_and_equal_texts_score_1(texts: str, right: str) -> None:
    for measure in (token_f1, bleu_1):
        assert 0 <= measure(texts, right) <= 1
        assert measure(texts, texts) == pytest.approx(1)
    assert token_f1(texts, right) == pytest.approx(token_f1(right, texts))


def test_the_best_sentence_holds_the_rarest_words_of_the_question() -> None:
    made = context(
        "We talked a while. Bob lost his job at the harbour.",
        "Bob came by.",
        "Bob came again.",
        asked="Where did Bob lose his harbour job?",
    )
    assert best_sentence(made, "Which job did Bob have?") == "Bob lost his job at the harbour."


def test_the_best_sentence_is_never_the_question_itself() -> None:
    assert best_sentence(context(asked="Who are you?"), "Who are you?") == ""
    assert best_sentence(context("I am Ann.", asked="Who are you?"), "Who are you?") == "I am Ann."
