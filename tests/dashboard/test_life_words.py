"""A life in words: attributes, memories, decisions, and texts that no page can hold."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.dashboard.odd_texts import ODD

from memopolis import Memory
from memopolis.analysis.status_words import NEEDS
from memopolis.commands.shown_text import MOST, beginning, harmless, one_line
from memopolis.dashboard.life.words import (
    MEMORIES,
    count_without_memories,
    describe_attitude,
    describe_attributes,
    describe_memories,
    describe_reason,
    describe_scale,
    describe_subject,
    format_answer,
    in_words,
    is_forgotten,
    newest_first,
    page_of_memory,
    stream_page,
    topics_of,
)
from memopolis.sim.errors import ParameterError


@pytest.mark.parametrize("text", [*ODD.values(), "half \ud83c of a pair \udf00", "", "\ud800" * 9])
def test_any_memory_text_can_be_sent_and_is_cut(text: str) -> None:
    for shown in (beginning(text).text, one_line(text), harmless(text)):
        assert json.loads(json.dumps(shown).encode()) == shown
        shown.encode()  # no half of a pair is left
        assert "\x00" not in shown
    assert len(beginning(text).text) == min(len(text), MOST)
    assert beginning(text).cut == (len(text) > MOST)
    assert len(one_line(text)) <= 120


def test_lone_surrogates_are_marked_and_markup_stays_text() -> None:
    assert harmless("a\x00b\ud83cc\td\n") == "a\ufffdb\ufffdc\td\n"
    assert harmless(ODD["script"]) == ODD["script"]
    with pytest.raises(ParameterError, match="surrogate"):
        Memory(agents=1)[0].stream.add("home", "half \ud83c")


def test_a_cut_line_is_marked() -> None:
    assert one_line("a\n b\t c") == "a b c"
    assert one_line("word " * 100).endswith("…")
    assert one_line(" ") == "(an empty text)"


@pytest.mark.parametrize(
    ("value", "facts", "message"),
    [
        (True, {}, "yes"),
        (np.False_, {}, "no"),
        (70.0, {"unit": "years"}, "70 years"),
        (np.float32(0.42), {"low": 0, "high": 1}, "42%"),
        (0.0024, {"unit": "share"}, "0.24%"),
        (1, {"low": 0, "high": 1}, "1 of 1"),
        (7.25, {"low": 0, "high": 10}, "7.25 of 10"),
        (123_456, {"unit": "cents"}, "1,235 USD"),
        (52_000.4, {"unit": "USD/year", "low": 0}, "52,000 USD/year"),
        (12_345, {}, "12345"),
        ("at home", {}, "at home"),
        (float("nan"), {}, "-"),
        (pd.NA, {}, "-"),
    ],
)
def test_values_have_units_or_a_maximum(
    value: object, facts: dict[str, object], message: str
) -> None:
    assert in_words(value, facts) == message


@pytest.mark.parametrize("name", NEEDS)
def test_needs_are_in_words_that_differ_by_level(name: str) -> None:
    texts = [in_words(level, {"role": "need", "low": 0, "high": 1}, name) for level in (0, 0.5, 1)]
    assert len(set(texts)) == 3
    assert not any(character.isdigit() for text in texts for character in text)


def test_attributes_without_a_value_are_empty() -> None:
    facts = {"description": "Satisfaction of hunger", "role": "need", "low": 0, "high": 1}
    (result,) = describe_attributes({"race": "", "hunger": 0.955, "wage": None}, {"hunger": facts})
    assert (result.label, result.value) == ("Hunger", "well fed")
    assert result.meaning == "Satisfaction of hunger"


@pytest.fixture
def memories() -> pd.DataFrame:
    count = 40
    frame = pd.DataFrame(
        {
            "time": pd.Timestamp("2026-01-01") + np.arange(count) * pd.Timedelta(hours=1),
            "topic": pd.Categorical(np.where(np.arange(count) % 4, "home", "storm")),
            "text": [f"memory {number}" for number in range(count)],
            "importance": 0.5,
            "emotion": pd.Categorical([""] * count),
            "accesses": pd.array([2] * count, dtype="Int32"),
            "held": True,
        }
    )
    frame.loc[3, "held"] = False
    frame.loc[3, "accesses"] = pd.NA
    return frame


def test_the_stream_is_newest_first_and_keeps_its_page(
    memories: pd.DataFrame,
) -> None:
    before = newest_first(memories.iloc[:30])
    page = stream_page(before, 1)
    after = stream_page(newest_first(memories), 1, upto=29)
    assert page.numbers == after.numbers == tuple(range(14, -1, -1))
    assert (page.newer, after.newer) == (0, 10)
    assert stream_page(newest_first(memories), 0).numbers[0] == 39


def test_memories_of_a_topic_have_their_own_pages(memories: pd.DataFrame) -> None:
    assert topics_of(memories) == ["home", "storm"]
    storm = newest_first(memories, "storm")
    assert storm.tolist() == list(range(36, -1, -4))
    assert page_of_memory(storm, 35) is None
    everything = newest_first(memories)
    assert page_of_memory(everything, 39 - MEMORIES) == 1
    assert page_of_memory(everything, 39) == 0


def test_forgotten_memories_are_marked(memories: pd.DataFrame) -> None:
    third, fourth = describe_memories(memories, (3, 4), hours=1)
    assert third.notes == ("importance 0.50", "forgotten")
    assert fourth.notes[-1] == "recalled 2 times"
    assert is_forgotten(memories, 3)
    assert not is_forgotten(memories, 4)
    missing = pd.array([pd.NA] * 40, dtype="Int32")
    unknown = memories.assign(held=missing, accesses=missing)
    assert describe_memories(unknown, (3,), hours=720)[0].notes == ("importance 0.50",)


def test_decisions_show_choice_and_mind() -> None:
    assert describe_subject("attitude", "government_trust") == "Attitude: government trust"
    assert describe_subject("stay_or_go", "") == "Stay or go"
    assert format_answer("family_or_friends", 2.0) == "family or friends"
    assert format_answer("", 7.456) == "7.46"
    assert describe_scale("stay_or_go", "") == " (readiness to leave, from 0 to 10)"
    assert not describe_scale("plan", "")
    assert not describe_scale("attitude", "support")
    assert describe_reason("memories speak for it", "rule") == "memories speak for it; by the rules"
    assert describe_reason("", "model") == "by a language model"


def test_decisions_without_evidence_are_counted() -> None:
    made = pd.DataFrame({"kind": ["plan", "plan", "attitude"], "rests_on": [[], [], [3]]})
    assert count_without_memories(made) == "Decisions based on no memory: plan 2."
    assert not count_without_memories(made.iloc[2:])
    assert not count_without_memories(pd.DataFrame())


def test_an_attitude_shows_direction_and_change() -> None:
    assert describe_attitude("trust", 7.0, 5.5) == (
        "trust: 7.0 of 10, supports; +1.5 since the first record"
    )
    assert describe_attitude("trust", 5.0, 5.0) == "trust: 5.0 of 10, is undecided; unchanged"
