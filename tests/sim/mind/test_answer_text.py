"""Finding the answer in the text of a model: repairs, reasoning, drafts and examples."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.memory.memory import Memory
from memopolis.sim.mind.answer_text import LONGEST, read_answer
from memopolis.sim.mind.group import read_group_answers
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.reading import Reading, Unreadable, read_one
from memopolis.sim.population import Agent, Population
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

ROOT = Path(__file__).parents[3]


class Person(Agent):
    pass


def _rating() -> Question:
    population = Population(Society[Settings](rng=1), Person, 3, Memory(3))
    return Question("test", population.cohort(), "rating", lambda _: Answer(np.zeros(3)))


RATING = _rating()
DRAFT = '{"reason": "draft", "rating": 1}'
FINAL = '{"reason": "so", "rating": 7}'


def rating_of(text: str) -> Reading:
    return read_answer(text, lambda data: read_one(RATING, data))


@pytest.mark.parametrize(
    "text",
    [
        FINAL,
        f"Sure! Here it is:\n```json\n{FINAL}\n```\nHope it helps.",
        "{'rating': 7, 'reason': 'so',}",
        '{rating: 7, "reason": "so"}',
        '{"reason": "so" "rating": 7}',
        '{"rating": "7", "reason": "so"}',
        '{"rating": 7, "reason": "so", "confidence": 1}',
        f"[{FINAL}]",
        f"{{see {FINAL}}}",
        f"An open brace {{ and then {FINAL}",
        f"{FINAL} with {{braces}} after it",
    ],
)
def test_small_errors_are_repaired(text: str) -> None:
    assert (rating_of(text).value, rating_of(text).reason) == (7.0, "so")


_REASONING = [
    "<think>{draft}</think>{final}",
    "<think>\n{draft}\n</think>\n\n{final}",
    "<thinking>{draft}</thinking>{final}",
    "<THINK>{draft}</Think >{final}",
    '<think type="deep">{draft}</think>{final}',
    "<reasoning>{draft}</reasoning>{final}",
    "<thought>{draft}</thought>{final}",
    "[THINK]{draft}[/THINK]{final}",
    "<|START_THINKING|>{draft}<|END_THINKING|>{final}",
    "{draft} so I am sure.</think>{final}",
    "<think>a<think>b {draft}</think>{draft}</think>{final}",
    "<think>{draft}</think><think>{draft}</think>{final}",
    "{final}<think>{draft}</think>",
    '<think>braces {{ and "quotes {draft}</think>{final}',
    (
        "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant"
        "<|channel|>final<|message|>{final}<|return|>"
    ),
    (
        "<|channel|>analysis<|message|>{draft}<|end|>"
        "<|channel|>commentary<|message|>{draft}<|end|><|channel|> final<|message|>{final}"
    ),
]


@pytest.mark.parametrize("text", _REASONING)
def test_a_draft_in_the_reasoning_is_not_the_answer(text: str) -> None:
    reading = rating_of(text.format(draft=DRAFT, final=FINAL))
    assert (reading.value, reading.reason) == (7.0, "so")


@pytest.mark.parametrize(
    "text",
    [
        "<think>{draft}",
        "<think>a</think><think>{draft} but wait",
        "<|channel|>analysis<|message|>{draft}",
        "{draft}</think> I cannot say.",
        "<think>{draft}</think>",
    ],
)
def test_reasoning_without_an_answer_is_no_answer(text: str) -> None:
    with pytest.raises(Unreadable, match="no whole JSON object"):
        rating_of(text.format(draft=DRAFT))


def test_marks_in_the_words_of_an_answer_are_not_reasoning() -> None:
    assert rating_of('{"reason": "she wrote <think> and </think>", "rating": 7}').value == 7


def test_reasoning_may_be_long() -> None:
    long = "a" * (LONGEST + 1)
    assert rating_of(f"<think>{long}</think>{FINAL}").value == 7
    with pytest.raises(Unreadable, match="more than 20000 characters"):
        rating_of(f"{long}{FINAL}")


@pytest.mark.parametrize(
    "text",
    [
        f"{DRAFT} and {FINAL}",
        f"For example:\n```json\n{DRAFT}\n```\nMy answer:\n```json\n{FINAL}\n```",
        f"{DRAFT}\nWait, that is wrong.\n{FINAL}",
        f'{FINAL}\n{{"note": "the schema has a reason and a rating"}}',
        f'{FINAL} {{"reason": "no", "rating": "high"}}',
        f'{FINAL} {{"agent": 99, "reason": "of another", "rating": 2}}',
        f"{FINAL} {{'reason': 'unfinished', 'rating'",
        "{'reason': 'draft', 'rating': 1,} {'reason': 'so', 'rating': 7,}",
        f'{{"reason": "so", "rating": 7, "draft": {DRAFT}}}',
    ],
)
def test_the_last_object_that_fits_is_the_answer(text: str) -> None:
    assert (rating_of(text).value, rating_of(text).reason) == (7.0, "so")


def test_answers_within_a_damaged_list_are_not_taken_for_the_list() -> None:
    text = '{"answers": [{"rating": 1}, {"rating": 2}, {"rating": 7},]}'
    answers = read_answer(text, lambda data: read_group_answers(RATING, data))
    assert [reading.value for reading in answers.readings] == [1, 2, 7]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it holds no whole JSON object"),
        ("I would say seven.", "it holds no whole JSON object"),
        ('{"reason": "so", "rating": 1', "it holds no whole JSON object"),  # of 10, perhaps
        ('{"reason": "so"}', "wrong type: rating .missing"),
        ('{"rating": true}', "rating .value_error"),
        ('{"rating": null}', "rating .float_type"),
        ('{"rating": "high"}', "rating .float_parsing"),
        ('{"rating": NaN}', "rating .finite_number"),
        ('{"rating": Infinity}', "rating .finite_number"),
        ('{"rating": 1e999}', "rating .finite_number"),
        ('{"rating": [7]}', "rating .float_type"),
        ('{"rating": []} {"rating": {}} {prose}', "rating .float_type"),
    ],
)
def test_the_fault_of_an_invalid_answer_is_that_of_its_last_object(text: str, fault: str) -> None:
    with pytest.raises(Unreadable, match=fault):
        rating_of(text)


_UNITS = (
    "{", "{}", '{"a":', "{a: 1}", '{"', '\\"', '"', "{[", "//", '{"a" ', '"a', ":", "a,", '""',
    '{"a": "b', "{'", "{'a': ", "\n", "\\", "```", "<think>", "<think ", "</think", "[THINK]",
    "<|channel|>", "<|channel|>  ",
)  # fmt: skip


@pytest.mark.parametrize("unit", _UNITS)
@pytest.mark.parametrize("frame", ["", "{", "nested"])
def test_a_hostile_text_is_refused_quickly(unit: str, frame: str) -> None:
    text = (unit * (LONGEST // len(unit)))[: LONGEST - 1]
    if frame:
        text = f"{{{text[:-1]}}}" if frame == "{" else text[: LONGEST // 4] + "}" * (LONGEST // 4)
    started = time.process_time()
    with pytest.raises(Unreadable):
        rating_of(text)
    assert time.process_time() - started < 2


_PIECES = st.sampled_from(
    [DRAFT, "{", "}", '"', "prose ", "<think>", "</think>", "```json\n", "[", "]", ",", "{'a': 1}"]
)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_the_answer_at_the_end_counts_whatever_comes_before(before: str) -> None:
    is_open = before.rfind("<think>") > before.rfind("</think>")
    text = f"{before}{'</think>' if is_open else ''}\n{FINAL}"
    try:
        reading = rating_of(text)
    except Unreadable:
        # Braces and quotes before it can make the object a part of another.
        assert before.count("{") != before.count("}") or '"' in before
    else:
        assert reading.value in {1.0, 7.0}
        assert reading.value == 7.0 or '"' in before or before.count("{") != before.count("}")


@pytest.mark.parametrize("cassette", sorted((ROOT / "notebooks/cassettes").glob("*.jsonl")))
def test_recorded_answers_are_read_as_before(cassette: Path) -> None:
    texts = [json.loads(line)["text"] for line in cassette.read_text("utf-8").splitlines()]
    assert texts
    for text in texts:
        expected: Any = json.loads(text)["rating"] if text.rstrip().endswith("}") else None
        if expected is None:
            with pytest.raises(Unreadable):
                rating_of(text)
        else:
            assert rating_of(text).value == min(max(expected, 0), 10)
