"""The material of ten languages and its table."""

import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def languages() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield importlib.import_module("languages")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def test_each_language_has_the_same_number_of_memories_and_questions(languages: Any) -> None:
    material = [languages.load(path) for path in sorted(languages.FOLDER.glob("*.tsv"))]
    assert len(material) == 10
    for language in material:
        assert len(set(language.memories)) == 24
        assert set(Counter(one.kind for one in language.questions).values()) == {12}


def test_the_page_shows_the_table_of_this_version(languages: Any) -> None:
    assert languages.table() in (ROOT / "docs/memory.md").read_text(encoding="utf-8")


def test_words_and_parts_of_words_are_found_in_every_language(languages: Any) -> None:
    for path in languages.FOLDER.glob("*.tsv"):
        language = languages.load(path)
        share = languages.shares(language, languages.search(language), 5)
        assert share["words"] == 1.0, path.stem
        assert share["parts"] > 0.9, path.stem
