"""Memories are found by words of related meaning, in English and Chinese."""

import pytest

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.text.pieces import bert_pieces, word_pieces

JAM = "Stuck in a traffic jam on the bridge for an hour"
LATE = "The traffic jam made me late"
OTHERS = (
    "Bought milk at the grocery shop",
    "Went to the bank to open an account",
    "Had dinner with Bob",
)


def texts_of(query: str, texts: tuple[str, ...], profile: str, k: int) -> list[str]:
    memory = Memory(1)
    for text in texts:
        memory[0].stream.add("other", text)
    matches = memory[0].observed.stream.search(query, k=k, profile=profile, explain=True)
    return [one.text for one in sorted(matches, key=lambda one: -one.score)]


@pytest.mark.parametrize("profile", ["recall", "society", "town", "act"])
@pytest.mark.parametrize("first", [True, False])
def test_a_commute_finds_the_traffic_jams(profile: str, first: bool) -> None:  # noqa: FBT001
    texts = (JAM, LATE, *OTHERS) if first else (*OTHERS, LATE, JAM)
    assert set(texts_of("commute", texts, profile, 2)) == {JAM, LATE}


@pytest.mark.parametrize(
    ("query", "text"),
    [("通勤", "今天早上堵车了。"), ("生病", "妈妈去医院了。"), ("旅行", "我订了机票和酒店。")],
)
def test_related_chinese_words_are_found(query: str, text: str) -> None:
    others = ("我喜欢听故事。", "昨天买了新鞋子。", "他在河边等你。")
    assert texts_of(query, (text, *others), "act", 1) == [text]


def test_inflected_forms_are_the_same_word() -> None:
    words, bert = word_pieces(), bert_pieces()
    (commute,) = words.tokens("commute")
    assert words.tokens("Commuting commutes, commuted") == [
        commute, commute, words.tokens(",")[0], *words.tokens("commuted"),
    ]  # fmt: skip
    assert len(bert.tokens("commute")) == 2
    assert words.vocabulary[: len(bert.vocabulary)] == bert.vocabulary
    assert words.tokens("naïve commuting") == [*words.tokens("naive"), commute]
