"""Sentences are composed from phrases in a file."""

from pathlib import Path

import numpy as np

from memopolis.agents.grammar import Grammar
from memopolis.sim.memory.text.texts import Texts

GRAMMAR = Grammar(
    {
        "greeting": {"morning": ("Good morning.", "Hello."), "others": ("Hi.",)},
        "end": {"others": ("", "Bye.")},
    }
)


def compose(keys: list[str], *draws: tuple[float, float]) -> list[str]:
    texts = Texts()
    parts = {"greeting": GRAMMAR.numbers("greeting", keys), "end": GRAMMAR.numbers("end", keys)}
    return [texts[int(number)] for number in GRAMMAR.compose(parts, np.array(draws), texts)]


def test_each_agent_gets_one_phrase_of_each_section() -> None:
    composed = compose(["morning", "morning", "morning"], (0, 0), (0.5, 0.5), (0.99, 0.99))
    assert composed == ["Good morning.", "Hello. Bye.", "Hello. Bye."]


def test_an_unknown_key_takes_the_phrases_of_others() -> None:
    assert compose(["evening"], (0.7, 0.2)) == ["Hi."]


def test_equal_texts_are_stored_once() -> None:
    texts = Texts()
    parts = {"greeting": GRAMMAR.numbers("greeting", ["morning"] * 100)}
    numbers = GRAMMAR.compose(parts, np.linspace(0, 0.99, 100)[:, None], texts)
    assert len(texts) == 2
    assert len(np.unique(numbers)) == 2


def test_later_files_replace_keys(tmp_path: Path) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text('[a]\nx = ["one"]\ny = ["two"]\n', encoding="utf-8")
    second.write_text('[a]\nx = ["three"]\n', encoding="utf-8")
    assert Grammar.read(first, second).sections == {"a": {"x": ("three",), "y": ("two",)}}


def test_texts_composed_again_are_the_same() -> None:
    grammar = Grammar({"a": {"x": ("One.", "Two.")}, "b": {"y": ("Three.",), "z": ("", "Four.")}})
    texts, u = Texts(), np.array([[0.1, 0.9], [0.9, 0.1], [0.9, 0.9]])
    parts = {"a": grammar.numbers("a", ["x"] * 3), "b": grammar.numbers("b", ["y", "z", "z"])}
    first = grammar.compose(parts, u, texts)
    assert [texts[number] for number in first.tolist()] == ["One. Three.", "Two.", "Two. Four."]
    # Texts of another society have other numbers.
    others = Texts()
    others.intern("Before.")
    again = grammar.compose(parts, u, others)
    assert [others[number] for number in again.tolist()] == ["One. Three.", "Two.", "Two. Four."]


def test_texts_are_composed_again_after_texts_were_removed() -> None:
    texts, u = Texts(), np.zeros((1, 1))
    parts = {"greeting": GRAMMAR.numbers("greeting", ["morning"])}
    for _ in range(3):
        kept = len(texts)
        assert texts[int(GRAMMAR.compose(parts, u, texts)[0])] == "Good morning."
        texts.drop_from(kept)
        texts.intern("Another text.")
