"""Tags and valence read from the time of the simulation and from texts."""

# ruff: noqa: RUF001  commas of Chinese texts

from datetime import datetime, timedelta

import numpy as np
import pytest

from memopolis.sim.memory.context_tags import (
    BAD,
    CHINESE,
    ENGLISH,
    GOOD,
    URGENT,
    ContextExtractor,
    asked_tags,
    count_words,
    valence,
)
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.text.grams import WORD_LISTS


def memory_at(tick: int = 0) -> Memory:
    memory = Memory(2)
    memory.now = tick
    memory.extractor = ContextExtractor()
    return memory


def names_at(memory: Memory, tick: int) -> set[str]:
    extractor = memory.extractor
    assert isinstance(extractor, ContextExtractor)
    return set(memory.tags.names(extractor.tags_of_time(memory, tick)))


def names_of(text: str) -> set[str]:
    return set(memory_at().tags.names(ContextExtractor().tags_of_text(Memory(1), text)))


@pytest.mark.parametrize(
    ("hour", "expected"),
    [
        (0, {"late_night"}), (5, {"late_night"}), (6, set()), (8, set()), (9, {"work_hours"}),
        (17, {"work_hours"}), (18, set()), (21, set()), (22, {"late_night"}),
        (23, {"late_night"}),
    ],
)  # fmt: skip
def test_hours_give_tags_of_the_time_of_day(hour: int, expected: set[str]) -> None:
    assert names_at(memory_at(), hour) == expected
    assert names_at(memory_at(), 24 + hour) == expected


def test_the_weekend_follows_from_the_start_of_the_run() -> None:
    weekend = ["weekend" in names_at(memory_at(), 24 * day + 12) for day in range(7)]
    assert weekend == [False] * 5 + [True] * 2


def test_dates_determine_the_weekday() -> None:
    memory = memory_at()
    start = datetime(2019, 8, 31, 18)  # a Saturday evening
    memory.date_of = lambda tick: start + timedelta(hours=tick)
    memory.day_offset = 18.0
    assert names_at(memory, 0) == {"weekend"}
    assert names_at(memory, 4) == {"weekend", "late_night"}
    assert names_at(memory, 24) == {"weekend"}
    assert names_at(memory, 39) == {"work_hours"}  # Monday, 9 o'clock


def test_a_clock_moved_later_is_noticed() -> None:
    memory = memory_at()
    assert names_at(memory, 12) == {"work_hours"}
    memory.day_offset = 12.0
    assert names_at(memory, 12) == {"late_night"}


@pytest.mark.parametrize(
    ("per_day", "expected"), [(1.0, {"weekend"}), (1 / 7, set()), (0.25, set())]
)
def test_long_ticks_have_no_tags_of_the_hour(per_day: float, expected: set[str]) -> None:
    memory = memory_at()
    memory.ticks_per_day = per_day
    assert names_at(memory, 5) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A lovely day with friends", {"positive"}),
        ("The storm destroyed the house", {"negative"}),
        ("EVACUATE!", {"urgent"}),
        ("Happy, but sad", set()),
        ("glad and happy, but sad", {"positive"}),
        ("unhappiness gladness", set()),  # whole words only
        ("Rent is due", set()),
        ("", set()),
        ("飓风警报响起，需要立即撤离", {"negative", "urgent"}),
        ("收到朋友的礼物，很高兴", {"positive"}),
        ("这里不安全", {"negative"}),  # not also 安全
        ("这里很安全", {"positive"}),
        ("今天吃了面条", set()),
        ("I sat idle all morning", {"idle"}),
        ("Stayed in and felt lonely", {"idle", "negative"}),
        ("An idler sidled by", set()),
        ("他整天无所事事", {"idle"}),
        ("Danger 危险 danger", {"negative", "urgent"}),
        ("🌀 \u0301 عاصفة", set()),
    ],
)
def test_words_of_a_text_give_tags(text: str, expected: set[str]) -> None:
    assert names_of(text) == expected


def test_valence_compares_good_and_bad_words() -> None:
    assert [valence(*pair) for pair in ((0, 0), (2, 2), (1, 0), (0, 3), (3, 1))] == [
        0, 0, 0.5, -0.5, 0.25,
    ]  # fmt: skip
    assert count_words("happy happy sad") == (2, 1, False)


def test_word_lists_are_long_enough_and_disjoint() -> None:
    lists = [
        words.split()
        for language in ("english", "chinese")
        for words in WORD_LISTS[language].values()
    ]
    assert len(lists) == 6
    assert all(len(words) >= 50 for words in lists)
    assert all(len(set(words)) == len(words) for words in lists)
    for item in (ENGLISH, CHINESE):
        assert [word for word, bits in item.items() if bits & GOOD and bits & BAD] == []
        assert {GOOD, BAD, URGENT, BAD | URGENT} == set(item.values())
    assert all(word == word.lower() and word.isascii() for word in ENGLISH)


def test_added_memories_have_tags_and_valence() -> None:
    memory = memory_at(tick=10)
    stream = memory[0].stream
    stream.add("social", "The storm is coming, hurry")
    stream.add("economy", "rent is due")
    stream.add("weather", "sunny and pleasant")
    memory.flush()
    tags = [set(memory.tags.names(bits)) for bits in memory.streams.get("tags", 0, range(3))]
    assert tags == [
        {"work_hours", "company", "negative", "urgent"},
        {"work_hours", "work"},
        {"work_hours", "positive"},
    ]
    assert memory.streams.get("valence", 0, range(3)).tolist() == [-63, 0, 63]


def test_passed_tags_and_valence_are_kept() -> None:
    memory = memory_at(tick=10)
    stream = memory[0].stream
    stream.add("social", "The storm is coming, hurry", tags=("family",), valence=0.2)
    stream.add("social", "The storm is coming, hurry", tags=())
    stream.add("social", "The storm is coming, hurry", valence=0.0)
    memory.flush()
    tags = [set(memory.tags.names(bits)) for bits in memory.streams.get("tags", 0, range(3))]
    assert tags[:2] == [{"family"}, set()]
    assert "urgent" in tags[2]
    assert memory.streams.get("valence", 0, range(3)).tolist() == [25, -63, 0]


def test_without_an_extractor_nothing_is_read() -> None:
    memory = Memory(1)
    memory[0].stream.add("social", "The storm is coming, hurry")
    memory.flush()
    assert memory.streams.get("tags", 0, [0]).tolist() == [0]
    assert memory.streams.get("valence", 0, [0]).tolist() == [0]
    assert asked_tags(memory, ["storm"]).tolist() == [0]


def test_single_texts_equal_a_batch() -> None:
    memory, extractor = Memory(1), ContextExtractor()
    texts = ["storm, flee", "happy", "rent", "飓风警报", "happy sad", "good good bad"]
    numbers = memory.texts.intern_many(texts)
    topics = np.array([memory.topic_number(t) for t in ("social", "mobility")])[[0, 1, 1, 0, 1, 0]]
    ticks = np.array([0, 10, 130, 10, 23, 150])
    tags, codes = extractor.read(memory, topics, ticks, numbers)
    assert [str(tags.dtype), str(codes.dtype)] == ["uint16", "int8"]
    one = [
        extractor.read_one(memory, *map(int, item))
        for item in zip(topics, ticks, numbers, strict=True)
    ]
    assert one == list(zip(tags.tolist(), codes.tolist(), strict=True))
    fresh = ContextExtractor().read_one(memory, 1, 10, 1)
    assert fresh == one[1]
    assert "travel" in memory.tags.names(one[1][0])
    assert one[5][1] == 21  # 0.5 * (2 - 1) / 3 of 127
    shaped = extractor.read(
        memory, topics.reshape(2, 3), ticks.reshape(2, 3), numbers.reshape(2, 3)
    )
    np.testing.assert_array_equal(shaped[0].ravel(), tags)
    np.testing.assert_array_equal(shaped[1].ravel(), codes)
    nothing = extractor.read(memory, topics[:0], ticks[:0], numbers[:0])
    assert nothing[0].shape == nothing[1].shape == (0,)


def test_a_topic_declared_later_is_read_too() -> None:
    memory, extractor = Memory(1), ContextExtractor()
    number = memory.texts.intern("rent")
    extractor.read_one(memory, memory.topic_number("social"), 8, number)
    assert extractor.read_one(memory, memory.topic_number("economy"), 8, number) == (
        memory.tags.bits("work"),
        0,
    )


def test_a_reused_text_number_is_reread() -> None:
    memory, extractor = Memory(1), ContextExtractor()
    topic = memory.topic_number("weather")
    number = memory.texts.intern("a terrible day")
    assert extractor.read_one(memory, topic, 8, number)[1] == -63
    memory.texts.drop_from(0)
    assert memory.texts.intern("a wonderful day") == number
    assert extractor.read_one(memory, topic, 8, number)[1] == 63
    assert extractor.read(memory, np.array([topic]), np.array([8]), np.array([number]))[1] == 63


def test_an_extractor_serves_several_memories() -> None:
    extractor = ContextExtractor()
    one, other = Memory(1), Memory(1)
    other.tags.all[:] = other.tags.all[::-1]
    number = one.texts.intern("storm")
    assert other.texts.intern("happy") == number
    for memory, name in ((one, "negative"), (other, "positive"), (one, "negative")):
        bits, _ = extractor.read_one(memory, memory.topic_number("weather"), 8, number)
        assert memory.tags.names(bits) == (name,)


def test_tags_of_the_current_time_and_of_queries() -> None:
    memory = memory_at(tick=10)
    asked = asked_tags(memory, ["", "storm, hurry", ""])
    named = [set(memory.tags.names(int(bits))) for bits in asked]
    assert asked.dtype == np.uint16
    assert named == [{"work_hours"}, {"work_hours", "negative", "urgent"}, {"work_hours"}]
    assert asked_tags(memory, []).shape == (0,)


def test_a_million_characters_are_read_completely() -> None:
    message = "nothing 没有什么 " * 70_000
    assert count_words(f"{message} happy 高兴") == (2, 0, False)
