"""Texts: numbers, hashes, sweeps."""

from hashlib import blake2b
from typing import Any, cast

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.texts import Texts


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
    assert list(texts.log) == [0, 1, 2, 3, 4]


def test_interning_nothing_is_accepted(texts: Texts) -> None:
    assert texts.intern_many([]).shape == (0,)
    assert texts.hash_of([]).shape == (0,)
    assert Texts().sweep(np.zeros(0, np.bool_)) == 0


def test_swept_numbers_are_reused_smallest_first(texts: Texts) -> None:
    assert texts.sweep(np.array([False, True, False, True])) == 2
    assert (len(texts), texts.capacity, texts.version) == (2, 4, (4, 1))
    assert texts.numbers.tolist() == [1, 3]
    assert texts.intern_many(["x", "a", "c"]).tolist() == [0, 2, 4]
    assert list(texts.log) == [0, 1, 2, 3, 0, 2, 4]


def test_a_sweep_without_unused_texts_does_nothing(texts: Texts) -> None:
    assert texts.sweep(np.ones(4, np.bool_)) == 0
    assert texts.version == (4, 0)


@pytest.mark.parametrize("number", [-1, 1, 9])
def test_a_number_not_in_use_is_refused(texts: Texts, number: int) -> None:
    texts.sweep(np.array([True, False, True, True]))
    with pytest.raises(ParameterError):
        texts[number]
    with pytest.raises(ParameterError):
        texts.hash_of([number])


def test_hashes_depend_on_the_text(texts: Texts) -> None:
    expected = int.from_bytes(blake2b(b"b", digest_size=8).digest(), "little", signed=True)
    assert texts.hash_of(np.array([[1, 1]])).tolist() == [[expected, expected]]
    texts.sweep(np.array([True, False, True, True]))
    assert texts.intern("new") == 1
    other = Texts()
    assert texts.hash_of([1, 0]).tolist() == other.hash_of(other.intern_many(["new", "a"])).tolist()


def test_a_restored_state_continues_identically(texts: Texts) -> None:
    texts.sweep(np.array([True, False, True, False]))
    restored = Texts.restore([2, 0], ["c", "a"], texts.log)
    assert list(restored.log) == list(texts.log)
    assert [restored[n] for n in restored.numbers] == ["a", "c"]
    new = ["x", "y", "c", "z"]
    assert restored.intern_many(new).tolist() == texts.intern_many(new).tolist() == [1, 3, 2, 4]


def test_invalid_input_is_refused(texts: Texts) -> None:
    with pytest.raises(ParameterError, match="surrogate"):
        texts.intern("half \ud800")
    with pytest.raises(ParameterError, match="must be a str, got int"):
        texts.intern(cast("Any", 5))
    with pytest.raises(ParameterError, match="sequence"):
        texts.intern_many("abc")
    with pytest.raises(ParameterError, match="shape"):
        texts.sweep(np.ones(3, np.bool_))
    with pytest.raises(ParameterError, match="distinct"):
        Texts.restore([0, 0], ["a", "b"])
    with pytest.raises(ParameterError, match="distinct"):
        Texts.restore([0, 1], ["a", "a"])
    assert len(texts) == 4
