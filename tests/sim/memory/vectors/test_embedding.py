"""Vectors of the texts a memory keeps."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.vectors import embedding
from memopolis.sim.memory.vectors.embedders.static import static_table
from memopolis.sim.memory.vectors.embedding import TextVectors

SAID = ["A hurricane is coming.", "The storm will hit us", "My landlord raised the rent", "", "?"]


@pytest.fixture
def texts() -> Texts:
    texts = Texts()
    texts.intern_many([*SAID, "\u4dff"])
    return texts


def test_texts_of_similar_meaning_have_similar_vectors(texts: Texts) -> None:
    vectors = TextVectors(texts)
    near, far, same = vectors.likeness([0, 0, 0], [1, 2, 0])
    assert same == pytest.approx(1.0)
    assert near > 0.3 > far
    assert vectors.likeness(1, 0) == near


def test_a_text_without_known_word_pieces_has_no_vector(texts: Texts) -> None:
    vectors = TextVectors(texts)
    assert vectors.likeness([3, 3, 5], [0, 3, 5]).tolist() == [0, 0, 0]
    assert not vectors.vectors([3, 5]).any()


def test_stored_vectors_are_close_to_the_exact_ones(texts: Texts) -> None:
    kept = TextVectors(texts).vectors([2, 0])
    exact = static_table().vectors([SAID[2], SAID[0]])
    assert (kept * exact).sum(axis=1) == pytest.approx([1, 1], abs=1e-3)


def test_stored_vectors_do_not_depend_on_the_order_of_requests(texts: Texts) -> None:
    one_by_one = TextVectors(texts)
    for number in (4, 0, 2, 1, 3):
        one_by_one.rounded([number])
    numbers = np.arange(5)
    assert np.array_equal(one_by_one.rounded(numbers), TextVectors(texts).rounded(numbers))


def test_a_reused_number_has_the_vector_of_its_new_text(texts: Texts) -> None:
    vectors = TextVectors(texts)
    last = texts.capacity - 1
    vectors.rounded([0, last])
    texts.drop_from(last)
    with pytest.raises(ParameterError, match="text numbers"):
        vectors.rounded([last])
    assert texts.intern("My landlord raised the rent again") == last
    assert vectors.likeness(last, 2) > 0.9


def test_invalid_input_is_refused(texts: Texts) -> None:
    with pytest.raises(ParameterError, match="the str 'storm'"):
        TextVectors(texts).of_queries("storm")
    with pytest.raises(ParameterError, match="text is 3; a str"):
        TextVectors(texts).of_queries([3])  # type: ignore[list-item]
    for number in (-1, texts.capacity):
        with pytest.raises(ParameterError, match="text numbers"):
            TextVectors(texts).rounded([number])


class Counting:
    """An embedder that keeps what it was given."""

    def __init__(self, dimensions: int = 3) -> None:
        self.received: list[list[str]] = []
        self.width = dimensions

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.received.append(list(texts))
        rows = [[len(text), text.count("a"), 1.0] + [0.0] * (self.width - 3) for text in texts]
        return np.array(rows, np.float32) * 1e3


def test_a_text_is_embedded_once_and_together_with_others(texts: Texts) -> None:
    embedder = Counting()
    vectors = TextVectors(texts, embedder)
    assert embedder.received == []
    vectors.rounded([0, 1, 1])
    vectors.rounded([1, 2, 0])
    assert embedder.received == [SAID[:2], [SAID[2]]]


def test_many_texts_are_embedded_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    texts, embedder = Texts(), Counting()
    numbers = texts.intern_many(list("vwxyz"))
    TextVectors(texts, embedder).rounded(numbers)
    assert embedder.received == [["v", "w"], ["x", "y"], ["z"]]


def test_blank_texts_are_not_sent_and_template_fields_are_left_out() -> None:
    texts, embedder = Texts(), Counting()
    numbers = texts.intern_many(["", " \n", "{actor}", "Saw {actor} at {place}"])
    vectors = TextVectors(texts, embedder).rounded(numbers)
    assert embedder.received == [["Saw   at  "]]
    assert not vectors[:3].any()
    assert vectors[3].any()


def test_other_embedders_use_sixteen_bits_by_default(texts: Texts) -> None:
    embedder = Counting()
    wide = TextVectors(texts, embedder)
    assert wide.rounded([0]).dtype == np.int16
    embedder.bits = 8  # type: ignore[attr-defined]
    assert TextVectors(texts, embedder).rounded([0]).dtype == np.int8
    embedder.bits = 4  # type: ignore[attr-defined]
    with pytest.raises(ParameterError, match="bits are 4; allowed are 8 and 16"):
        TextVectors(texts, embedder)


def test_integer_cosines_of_long_vectors_are_exact() -> None:
    class Full:
        bits = 8

        def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.ones((len(texts), 5001), np.float32)

    texts = Texts()
    numbers = texts.intern_many(["a", "b"])
    assert TextVectors(texts, Full()).likeness(numbers[:1], numbers[1:])[0] == 1.0


def test_an_embedder_whose_vectors_change_in_length_is_refused(texts: Texts) -> None:
    embedder = Counting()
    vectors = TextVectors(texts, embedder)
    vectors.rounded([0])
    embedder.width = 4
    with pytest.raises(ParameterError, match="4 dimensions, before of 3"):
        vectors.rounded([1])


def test_memories_of_the_same_texts_and_embedder_share_vectors() -> None:
    texts, embedder = Texts(), Counting()
    first, second = Memory(1, texts=texts, embedder=embedder), Memory(1, texts=texts)
    third = Memory(1, texts=texts, embedder=embedder)
    assert first.vectors is third.vectors
    assert first.vectors is not second.vectors
    assert second.vectors is Memory(1, texts=texts, embedder="static").vectors


def test_cosines_are_those_of_the_definition(texts: Texts) -> None:
    queries = ["a storm", "rent", ""]
    vectors = TextVectors(texts)
    table, rows = vectors.dense(queries)
    a, b = vectors.of_queries(queries).astype(float), vectors.rounded(texts.numbers).astype(float)
    with np.errstate(invalid="ignore"):
        lengths = np.sqrt((a * a).sum(axis=1)[:, None] * (b * b).sum(axis=1))
        expected = (a @ b.T / lengths).astype(np.float32)
    np.testing.assert_array_equal(table[rows][:, texts.numbers], expected)
    assert np.isnan(expected[2]).all()
    assert np.isnan(expected).sum() < expected.size
