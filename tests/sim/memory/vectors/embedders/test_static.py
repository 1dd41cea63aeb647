"""The static table: vectors of whole texts."""

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.vectors.embedders.static import piece_weights, static_table

SAID = ["A hurricane is coming.", "The storm will hit us", "My landlord raised the rent", "", "?"]


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


def test_rarer_word_pieces_have_more_weight() -> None:
    weights = piece_weights(30_522)
    assert (np.diff(weights) > 0).all()
    assert 0 < weights[0] < weights[-1] < 1


def test_a_single_text_is_refused() -> None:
    with pytest.raises(ParameterError, match="sequence"):
        static_table().vectors("storm")
