"""Texts: numbers, hashes, sweeps."""

from hashlib import blake2b
from typing import Any, cast

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.texts import TextChanges, Texts


@pytest.fixture
def texts() -> Texts:
    texts = Texts()
    texts.intern_many(["a", "b", "c", "d"])
    return texts


def test_a_text_is_stored_once(texts: Texts) -> None:
    assert texts.intern("b") == texts.intern("b") == 1
    numbers = texts.intern_many(["d", "e", "a", "e"])
    assert numbers.tolist() == [3, 4, 0, 4]
    assert numbers.dtype == np.int32
    assert len(texts) == texts.capacity == 5
    assert texts[4] == "e"


def test_interning_nothing_is_accepted(texts: Texts) -> None:
    assert texts.intern_many([]).shape == (0,)
    assert texts.hash_of([]).shape == (0,)
    Texts().drop_from(0)


def test_numbers_of_dropped_texts_are_used_again(texts: Texts) -> None:
    texts.drop_from(2)
    assert (len(texts), texts.capacity, texts.version) == (2, 2, (2, 1))
    assert texts.numbers.tolist() == [0, 1]
    assert texts.intern_many(["x", "a", "c"]).tolist() == [2, 0, 3]
    assert texts.version == (4, 1)


def test_dropping_nothing_changes_nothing(texts: Texts) -> None:
    texts.drop_from(4)
    assert texts.version == (4, 0)


def test_changes_begin_at_the_lowest_cut(texts: Texts) -> None:
    changes = TextChanges(texts)
    assert changes.take() == 0
    texts.intern("e")
    assert changes.waiting
    assert changes.take() == 4
    texts.drop_from(3)
    texts.intern_many(["x", "y", "z"])
    texts.drop_from(5)
    assert changes.take() == 3
    assert not changes.waiting


@pytest.mark.parametrize("number", [-1, 2, 9])
def test_a_number_not_in_use_is_refused(number: int) -> None:
    texts = Texts(["c", "a"])
    with pytest.raises(ParameterError):
        texts[number]
    with pytest.raises(ParameterError):
        texts.hash_of([number])


def test_hashes_depend_on_the_text(texts: Texts) -> None:
    expected = int.from_bytes(blake2b(b"b", digest_size=8).digest(), "little", signed=True)
    assert texts.hash_of(np.array([[1, 1]])).tolist() == [[expected, expected]]
    texts.drop_from(1)
    assert texts.intern("new") == 1
    other = Texts()
    assert texts.hash_of([1, 0]).tolist() == other.hash_of(other.intern_many(["new", "a"])).tolist()


def test_a_restored_state_continues_identically(texts: Texts) -> None:
    restored = Texts(texts.all)
    assert restored.version == texts.version
    new = ["x", "y", "c", "z"]
    assert restored.intern_many(new).tolist() == texts.intern_many(new).tolist() == [4, 5, 2, 6]


def test_invalid_input_is_refused(texts: Texts) -> None:
    with pytest.raises(ParameterError, match="surrogate"):
        texts.intern("half \ud800")
    with pytest.raises(ParameterError, match="text is 5; a str"):
        texts.intern(cast("Any", 5))
    with pytest.raises(ParameterError, match="sequence"):
        texts.intern_many("abc")
    with pytest.raises(ParameterError, match="distinct"):
        Texts(["a", "a"])
    assert len(texts) == 4


def test_texts_start_with_a_prefix_or_one_of_several() -> None:
    texts = Texts(["We left.", "I met Ann.", "I met Bob."])
    numbers = np.array([[2, -1], [0, 1]])
    assert texts.start_with(numbers, "I met").tolist() == [[True, False], [False, True]]
    assert texts.start_with(numbers, ("We", "I met B")).tolist() == [[True, False], [True, False]]
    assert texts.start_with(np.empty(0, np.int32), "I").tolist() == []
