"""Cutting a draft to its budget, with budgets worked out by hand."""

import pytest

from memopolis.sim.memory.layers.contexts import (
    HEADINGS,
    Draft,
    Line,
    Part,
    count_tokens,
    fit,
)


def one_a_word(text: str) -> int:
    return len(text.split())


def lines(*texts: str, first: int = 0) -> tuple[Line, ...]:
    return tuple(Line(text, text, (first + at,)) for at, text in enumerate(texts))


KEY = Part("key", (Line("k k", "k k"),))  # heading 2 + 2
LONG = Part("long", lines("l2 x", "l1 x", first=10))  # heading 3 + 4
MID = Part("mid", lines("m1 x", "m2 x", first=20))  # heading 1 + 4
SHORT = Part("short", lines("s1 x", "s2 x", first=30))  # heading 2 + 4
INPUT = Part("input", (Line("i i", "i i"),))  # heading 1 + 2
PARTS = (KEY, LONG, MID, SHORT, INPUT)
DROPS = ((2, 1), (2, 0), (1, 1), (1, 0), (3, 0), (3, 1))


def kept(budget: int) -> list[str]:
    context = fit(Draft(PARTS, DROPS), budget, one_a_word, "layers")
    return [line.text for part in context.parts for line in part.lines]


def test_parts_of_the_example_have_the_expected_sizes() -> None:
    assert [one_a_word(HEADINGS[part.name]) for part in PARTS] == [2, 3, 1, 2, 1]
    whole = fit(Draft(PARTS, DROPS), 1_000, one_a_word, "layers")
    assert whole.tokens == 4 + 7 + 5 + 6 + 3 == 25
    assert whole.text.splitlines()[:3] == [HEADINGS["key"], "k k", HEADINGS["long"]]
    assert str(whole).endswith("Now:\ni i")
    assert whole.evidence == (10, 11, 20, 21, 30, 31)


@pytest.mark.parametrize(
    ("budget", "gone"),
    [
        (25, []),
        (24, ["m2 x"]),
        (23, ["m2 x"]),
        (22, ["m2 x", "m1 x"]),  # with its heading: 20 are left
        (20, ["m2 x", "m1 x"]),
        (19, ["m2 x", "m1 x", "l1 x"]),
        (17, ["m2 x", "m1 x", "l1 x", "l2 x"]),  # 13 are left
        (12, ["m2 x", "m1 x", "l1 x", "l2 x", "s1 x"]),
        (10, ["m2 x", "m1 x", "l1 x", "l2 x", "s1 x", "s2 x"]),  # 7 are left
    ],
)
def test_a_budget_drops_mid_term_then_summaries_then_oldest_memories(
    budget: int, gone: list[str]
) -> None:
    every = [line.text for part in PARTS for line in part.lines]
    assert kept(budget) == [text for text in every if text not in gone]


@pytest.mark.parametrize("budget", [1, 6])
def test_key_memories_and_input_are_kept_beyond_the_budget(budget: int) -> None:
    context = fit(Draft(PARTS, DROPS), budget, one_a_word, "layers")
    assert [part.name for part in context.parts] == ["key", "input"]
    assert context.tokens == 7
    assert not context.fits
    assert fit(Draft(PARTS, DROPS), 7, one_a_word, "layers").fits


@pytest.mark.parametrize("budget", range(7, 40))
def test_a_counter_that_is_not_additive_is_respected(budget: int) -> None:
    def dear(text: str) -> int:
        return one_a_word(text) + 2 * text.count("\n") // 3

    context = fit(Draft(PARTS, DROPS), budget, dear, "layers")
    assert context.tokens == dear(context.text)
    assert context.fits or not {"mid", "long", "short"} & {part.name for part in context.parts}


def test_an_empty_part_has_no_heading() -> None:
    context = fit(Draft((Part("key", ()), INPUT), ()), 10, one_a_word, "layers")
    assert context.text == "Now:\ni i"
    assert context.part("key") is None
    nothing = fit(Draft((Part("key", ()),), ()), 10, one_a_word, "layers")
    assert (nothing.text, nothing.tokens, nothing.evidence) == ("", 0, ())


def test_tokens_are_word_pieces() -> None:
    assert count_tokens("") == 0
    assert count_tokens("a storm.") == 3
    assert count_tokens("a\nb") == count_tokens("a") + count_tokens("b")
