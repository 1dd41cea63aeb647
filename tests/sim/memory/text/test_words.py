"""The word index: what words are, how they are counted, and what sweeps leave."""

import math
import re

import numpy as np
import pytest

from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.text.words import TextWords, WordIndex, lowered, split_words

SAID = ("Storm, STORM! A storm-shelter", "rent is due", "a")


def said_of(index: WordIndex, words: TextWords, place: int) -> dict[str, int]:
    """Words and counts of a text or query, in the order they are kept."""
    names = {number: word for word, number in index.numbers.items()}
    some = slice(int(words.start[place]), int(words.start[place] + words.length[place]))
    numbers, counts = words.flat[some].tolist(), words.count[some].tolist()
    return {names.get(n, str(n)): count for n, count in zip(numbers, counts, strict=True)}


def index_of(*item: str) -> tuple[Texts, WordIndex]:
    texts = Texts()
    texts.intern_many(item)
    index = WordIndex(texts)
    index.follow()
    return texts, index


@pytest.mark.parametrize(
    "text",
    [
        "Storm, STORM! A storm-shelter",
        "don't e-mail me_at 7 or 17:30",
        "Café ÉTÉ naïve ß",
        "Straße İstanbul",
        "عاصفة قادمة",
        "\u0301 a\u0301b",
        "",
        "   ",
    ],
)
def test_words_equal_those_of_scikit_learn(text: str) -> None:
    long, short = split_words(text)
    assert long == re.findall(r"(?u)\b\w\w+\b", text.lower())
    assert sorted(long + short) == sorted(re.findall(r"\w+", text.lower()))


def test_chinese_and_japanese_words_are_pairs_of_characters() -> None:
    assert split_words("Storm 飓风来了 x") == (
        ["storm", "飓风", "风来", "来了", "飓", "风", "来", "了"],
        ["x"],
    )


def test_template_fields_are_not_words() -> None:
    assert split_words("Talked with {actor} at {place}") == (["talked", "with", "at"], [])
    assert lowered("With {actor}, {other}") == "with  , {other}"


def test_counts_are_in_the_order_of_the_text() -> None:
    _, index = index_of(*SAID)
    words = index.arrays
    assert said_of(index, words, 0) == {"storm": 3, "shelter": 1}
    assert list(said_of(index, words, 1)) == ["rent", "is", "due"]
    assert said_of(index, words, 2) == {}
    assert index.length[:3].tolist() == [3, 3, 1]  # the word "a" too
    assert index.counted[:3].tolist() == [4, 2, 0]  # without "is" and "a"
    assert (index.living, int(index.counted.sum())) == (3, 6)
    arrays = (words.flat, words.count, words.start, words.length)
    assert [str(array.dtype) for array in arrays] == ["int32", "int32", "int64", "int32"]
    assert len(words.start) == len(words.length) >= 3


def test_document_frequency_counts_living_texts() -> None:
    texts, index = index_of("storm storm", "storm rent", "rent due")
    df = {word: int(index.df[number]) for word, number in index.numbers.items()}
    assert df == {"storm": 2, "rent": 2, "due": 1}
    texts.drop_from(2)
    index.follow()
    df = {word: int(index.df[number]) for word, number in index.numbers.items()}
    assert df == {"storm": 2, "rent": 1, "due": 0}
    assert (index.living, int(index.counted.sum())) == (2, 4)
    assert index.arrays.length[2] == 0


def test_a_reused_number_has_its_new_words() -> None:
    texts, index = index_of("storm coming", "rent due")
    texts.drop_from(1)
    assert texts.intern("calm") == 1
    index.follow()
    assert said_of(index, index.arrays, 0) == {"storm": 1, "coming": 1}
    assert said_of(index, index.arrays, 1) == {"calm": 1}


def test_unknown_query_words_have_new_numbers() -> None:
    _, index = index_of("storm coming", "rent due")
    size = index.arrays.size
    asked = index.split_queries(["Rent rent money", "money storm gold", ""])
    assert said_of(index, asked, 0) == {"rent": 2, str(size): 1}
    assert said_of(index, asked, 1) == {str(size): 1, "storm": 1, str(size + 1): 1}
    assert said_of(index, asked, 2) == {}
    assert asked.size == size + 2
    assert index.arrays.size == size


def test_the_arrays_give_the_tf_idf_cosine_worked_out_by_hand() -> None:
    # Fitted on the query "storm due" and the texts "storm storm rent" and "rent due":
    # each word is in 2 of 3 documents, so all weigh the same and it is counts that matter:
    # (1, 1, 0).(2, 0, 1) / (sqrt 2 * sqrt 5) = 0.632 and (1, 1, 0).(0, 1, 1) / 2 = 0.5.
    _, index = index_of("storm storm rent", "rent due")
    words, asked = index.arrays, index.split_queries(["storm due"])
    frequency = index.df[: asked.size] + np.bincount(asked.flat, minlength=asked.size)
    assert frequency.tolist() == [2, 2, 2]
    vectors = np.zeros((3, asked.size))
    for place, held in ((0, asked), (1, words), (2, words)):
        at = max(0, place - 1)
        some = slice(int(held.start[at]), int(held.start[at] + held.length[at]))
        vectors[place, held.flat[some]] = held.count[some]
    vectors *= np.log(4 / (1 + frequency)) + 1
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert (vectors[1:] @ vectors[0]).tolist() == pytest.approx([2 / math.sqrt(10), 0.5])


def test_many_dropped_texts_leave_no_gaps() -> None:
    texts = Texts()
    index = WordIndex(texts)
    for round_ in range(8):
        texts.intern_many([f"storm w{round_}x{n}" for n in range(600)])
        index.follow()
        texts.drop_from(2)
    index.follow()
    assert len(index.flat) < 2 * 2 * 600
    assert said_of(index, index.arrays, 1) == {"storm": 1, "w0x1": 1}
    assert int(index.df[index.numbers["storm"]]) == 2


def test_texts_are_split_on_first_use() -> None:
    texts = Texts()
    index = WordIndex(texts)
    texts.intern("storm")
    assert index.numbers == {}
    assert index.arrays.size == 0
    index.follow()
    assert index.numbers == {"storm": 0}
