"""The static table: vectors of whole texts."""

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.embedding import TextVectors, piece_weights, static_table
from memopolis.sim.memory.texts import Texts

SAID = ["A hurricane is coming.", "The storm will hit us", "My landlord raised the rent", "", "?"]


@pytest.fixture
def texts() -> Texts:
    texts = Texts()
    texts.intern_many([*SAID, "\u4dff"])
    return texts


def test_vectors_have_length_one_or_zero() -> None:
    vectors = static_table().vectors([*SAID[:4], "\u4dff"])
    assert vectors.shape == (5, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0, 0], abs=1e-6)
    assert static_table().vectors([]).shape == (0, 256)


def test_a_vector_does_not_depend_on_its_batch() -> None:
    alone = [static_table().vectors([text])[0] for text in SAID]
    together = static_table().vectors(SAID * 20)
    assert np.array_equal(together, np.stack(alone * 20))


def test_rarer_pieces_weigh_more() -> None:
    weights = piece_weights(30_522)
    assert (np.diff(weights) > 0).all()
    assert 0 < weights[0] < weights[-1] < 1


def test_texts_of_like_meaning_are_alike(texts: Texts) -> None:
    vectors = TextVectors(texts)
    near, far, same = vectors.likeness([0, 0, 0], [1, 2, 0])
    assert same == pytest.approx(1.0)
    assert near > 0.3 > far
    assert vectors.likeness(1, 0) == near


def test_a_text_without_a_known_piece_is_like_nothing(texts: Texts) -> None:
    vectors = TextVectors(texts)
    assert vectors.likeness([3, 3, 5], [0, 3, 5]).tolist() == [0, 0, 0]
    assert not vectors.vectors([3, 5]).any()


def test_kept_vectors_are_close_to_the_exact_ones(texts: Texts) -> None:
    kept = TextVectors(texts).vectors([2, 0])
    exact = static_table().vectors([SAID[2], SAID[0]])
    assert (kept * exact).sum(axis=1) == pytest.approx([1, 1], abs=1e-3)


def test_kept_vectors_do_not_depend_on_when_they_were_asked_for(texts: Texts) -> None:
    one_by_one = TextVectors(texts)
    for number in (4, 0, 2, 1, 3):
        one_by_one.rounded([number])
    numbers = np.arange(5)
    assert np.array_equal(one_by_one.rounded(numbers), TextVectors(texts).rounded(numbers))


def test_a_number_used_again_has_its_new_texts_vector(texts: Texts) -> None:
    vectors = TextVectors(texts)
    vectors.rounded([0, 1])
    used = np.ones(texts.capacity, np.bool_)
    used[0] = False
    texts.sweep(used)
    with pytest.raises(ParameterError, match="no text has number 0"):
        vectors.rounded([0])
    assert texts.intern("My landlord raised the rent again") == 0
    assert vectors.likeness(0, 2) > 0.9


def test_bad_input_is_refused(texts: Texts) -> None:
    with pytest.raises(ParameterError, match="sequence"):
        static_table().vectors("storm")
    for number in (-1, texts.capacity):
        with pytest.raises(ParameterError, match="text numbers"):
            TextVectors(texts).rounded([number])
