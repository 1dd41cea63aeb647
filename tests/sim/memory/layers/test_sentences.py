"""Cutting texts into sentences, and to a length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.memory.layers.summaries import ELLIPSIS, shorten, split_sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A storm came. We left!", ["A storm came.", "We left!"]),
        ("Dr. Smith paid 3.5 dollars, e.g. for ice. Why?", None),
        ("飓风来了。我们走。“好。”他说", ["飓风来了。", "我们走。", "“好。”他说"]),
        ("one\n\n two ", ["one", "two"]),
        ("no stop", ["no stop"]),
        (" \n ", []),
    ],
)
def test_sentences_end_at_stops_and_new_lines(text: str, parts: list[str] | None) -> None:
    expected = ["Dr. Smith paid 3.5 dollars, e.g. for ice.", "Why?"] if parts is None else parts
    assert split_sentences(text) == expected


def test_a_text_is_cut_at_a_word() -> None:
    assert shorten("hello world foo", 15) == "hello world foo"
    assert shorten("hello world foo", 14) == "hello world…"
    assert shorten("hello world foo", 12) == "hello world…"
    assert shorten("hello world foo", 11) == "hello…"
    assert shorten("well, then: we go", 6) == "well…"


def test_a_text_without_spaces_is_cut_between_characters() -> None:
    assert shorten("飓风警报响起需要立即撤离", 6) == "飓风警报响…"
    assert shorten("a" * 30, 10) == "a" * 9 + "…"


def test_a_grapheme_is_never_cut() -> None:
    assert shorten("e\u0301" * 10, 6) == "e\u0301" * 2 + "…"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
    assert shorten(family * 3, 9) == family + "…"
    flags = "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"
    assert shorten(flags, 4) == flags
    assert shorten(flags + "!", 4) == flags[:2] + "…"
    assert shorten("\U0001f44d\U0001f3fd" * 2, 3) == "\U0001f44d\U0001f3fd…"


@pytest.mark.parametrize("text", [" " * 10**6, "." * 10**6, ". " * 10**5, "e\u0301" * 10**5])
def test_a_long_text_is_cut_quickly(text: str) -> None:
    assert "".join(split_sentences(text)).replace(" ", "") == text.replace(" ", "")
    assert len(shorten(text, 200)) <= 200


@given(st.text(max_size=60), st.integers(1, 70))
def test_a_cut_text_keeps_its_beginning_within_the_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    if short != text:
        assert short.endswith(ELLIPSIS)
        assert text.startswith(short[:-1])
    assert (short == text) or len(text) > limit


@given(st.text(max_size=80))
def test_splitting_sentences_loses_only_spaces(text: str) -> None:
    def bare(whole: str) -> str:
        return "".join(whole.split())

    assert bare("".join(split_sentences(text))) == bare(text)
