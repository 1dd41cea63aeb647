"""The wording check finds wrong words and nothing else."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def wording() -> Iterator[Any]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("wording")
    finally:
        sys.path.remove(str(BENCHMARKS))


def matches(wording: Any, source: str) -> list[str]:
    return [words for _, words, _ in wording.find_in_python(source, wording.load_wording())]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('"""Draw the luck of a run."""', "luck"),
        ("there = 1", "there"),
        ("def f(told_facts): ...", "told_facts"),
        ("class ToldFacts: ...", "ToldFacts"),
        ("self.what_was_told = 1", "what_was_told"),
        ("x = 1  # made anew", "anew"),
        ('x = Field(1, description="Number that\\nhangs  on others")', "hangs on"),
        ('raise ValueError(f"{x}: somebody is missing")', "somebody"),
    ],
)
def test_names_comments_docstrings_help_texts_and_errors_are_checked(
    wording: Any, source: str, words: str
) -> None:
    assert matches(wording, source) == [words]


@pytest.mark.parametrize(
    "source",
    [
        'memory = "Somebody told me about the storm."',
        '"""Return whether there is a row."""',
        "print(there)",
        "x = is_there = 1",
        'find("luck")',
        '"""An unlucky guess; a party; the storyteller."""',
    ],
)
def test_other_strings_and_other_words_are_not(wording: Any, source: str) -> None:
    assert matches(wording, source) == []


def test_markdown_is_checked_outside_of_code(wording: Any) -> None:
    text = "A `luck`.\n\n```python\nluck = 1\n```\n\nThe luck, [here](luck.md).\n"
    results = list(wording.find_in_markdown(text, wording.load_wording()))
    assert [(line, words) for line, words, _ in results] == [(7, "luck")]


def test_every_unchecked_place_exists(wording: Any) -> None:
    assert all((wording.ROOT / name).exists() for name in wording.load_wording().unchecked)
