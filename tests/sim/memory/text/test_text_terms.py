"""BM25, keyword score and cosine: numbers by hand, caches, sweeps and sharing."""

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.text import words
from memopolis.sim.memory.text.lexical import TermTable
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.text.words import WordTerms, idf
from memopolis.sim.memory.vectors.embedding import TextVectors
from memopolis.sim.memory.vectors.text_likeness import squared_lengths
from memopolis.sim.memory.vectors.text_likeness_kernels import fill_cosines

THREE = ("Storm storm warning", "rent due", "storm shelter open tonight")


def terms_of(*item: str) -> tuple[Texts, WordTerms]:
    texts = Texts()
    texts.intern_many(item)
    return texts, WordTerms(texts)


def values(terms: tuple[NDArray[np.float32], NDArray[np.intp]], texts: int) -> list[list[float]]:
    table, rows = terms
    return [[float(value) for value in row] for row in table[rows, :texts]]


class Counting:
    """An embedder of three letters that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        counts = [[text.count(letter) for letter in "abc"] for text in texts]
        return np.array(counts, np.float32).reshape(-1, 3)

    dimensions = 3
    bits = 8


def dense_of(*item: str) -> tuple[Texts, TextVectors, Counting]:
    texts, embedder = Texts(), Counting()
    texts.intern_many(item)
    return texts, TextVectors(texts, cast("Any", embedder)), embedder


def test_bm25_of_three_texts_worked_out_by_hand() -> None:
    _, terms = terms_of(*THREE)
    storm, warning = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)  # in 2 and in 1 of 3
    # Lengths 3, 2 and 4, mean 3: k1 * (1 - b + b * length / mean) is 1.2 for the first.
    first = (storm * 2 / (2 + 1.2) + warning * 1 / (1 + 1.2)) / (storm + warning)
    third = storm * 1 / (1 + 1.2 * (0.75 + 0.25 * 4 / 3)) / (storm + warning)
    output = values(terms.bm25(["warning of a Storm!"]), 3)[0]
    assert output == pytest.approx([first, 0, third], rel=1e-6)
    assert output == pytest.approx([0.50976, 0, 0.14085], abs=1e-5)


def test_bm25_includes_unknown_words_in_its_bound() -> None:
    _, terms = terms_of(*THREE)
    known, half = values(terms.bm25(["rent", "rent zeppelin"]), 3)
    assert half[1] == pytest.approx(known[1] * idf(3, 1) / (idf(3, 1) + idf(3, 0)), rel=1e-6)


def test_rare_words_have_more_weight_and_every_word_some() -> None:
    weights = [idf(10, df) for df in range(11)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0


def test_bm25_parameters_change_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "K1", 0.0)
    assert values(terms_of(*THREE)[1].bm25(["storm"]), 3)[0] == [1, 0, 1]
    monkeypatch.undo()
    monkeypatch.setattr(words, "B", 1.0)
    output = values(terms_of(*THREE)[1].bm25(["storm"]), 3)[0]
    assert output == pytest.approx([2 / 3.2, 0, 1 / (1 + 1.2 * 4 / 3)], rel=1e-6)


@pytest.mark.parametrize("query", ["", "the of and", "?!", "a", "zeppelin", "的"])
def test_bm25_is_0_for_a_query_without_known_content_words(query: str) -> None:
    _, terms = terms_of(*THREE, "the of and a ?!")
    assert values(terms.bm25([query]), 4)[0] == [0, 0, 0, 0]


def test_keyword_of_a_part_is_its_share_of_the_text() -> None:
    _, terms = terms_of("A storm warning", "STORM", "no more")
    assert values(terms.keyword(["Storm"]), 3)[0] == pytest.approx([5 / 15, 1, 0])


def test_keyword_of_words_in_common_is_their_share_of_all() -> None:
    _, terms = terms_of("A storm is near", "Rent, storm!", "no more")
    # storm of {storm, rent, a, is, near}; both of {storm, rent}.
    assert values(terms.keyword(["storm rent"]), 3)[0] == pytest.approx([0.8 / 5, 0.8, 0])


def test_keyword_of_a_part_of_a_word_counts_as_a_part() -> None:
    _, terms = terms_of("The storms came")
    assert values(terms.keyword(["storm", "e s", "storm the"]), 1) == [
        [pytest.approx(5 / 15)],
        [pytest.approx(3 / 15)],
        [pytest.approx(0.8 * 1 / 4)],
    ]


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_keyword_of_an_empty_query_is_0(query: str) -> None:
    _, terms = terms_of("", " ", "a storm", "two\nlines\t")
    assert values(terms.keyword([query]), 4)[0] == [0, 0, 0, 0]


def test_a_match_never_spans_two_texts() -> None:
    _, terms = terms_of("ab", "cd", "ab\ncd")
    assert values(terms.keyword(["ab\ncd", "b\nc"]), 3) == [
        pytest.approx([0.8 / 2, 0.8 / 2, 1]),
        pytest.approx([0, 0, 3 / 5]),
    ]


def test_lower_case_may_have_more_characters() -> None:
    _, terms = terms_of("İx")  # three characters in lower case
    assert values(terms.keyword(["x"]), 1) == [[pytest.approx(1 / 3)]]


def test_dense_is_the_cosine_of_rounded_vectors() -> None:
    _, terms, _ = dense_of("ab", "aab", "c", "none", "")
    output = values(terms.dense(["a", "b"]), 5)
    # aab is (127, 64, 0) in whole numbers.
    long = math.hypot(127, 64)
    assert output[0][:3] == pytest.approx([math.sqrt(0.5), 127 / long, 0], rel=1e-6)
    assert output[1][:3] == pytest.approx([math.sqrt(0.5), 64 / long, 0], rel=1e-6)
    assert np.isnan(np.array(output)[:, 3:]).all()


def test_a_query_without_a_vector_scores_0() -> None:
    _, terms, _ = dense_of("ab", "c")
    assert np.isnan(np.array(values(terms.dense(["", "xyz"]), 2))).all()


def test_no_text_and_no_query_is_embedded_twice() -> None:
    texts, terms, embedder = dense_of("ab", "c")
    for asked in (["a"], ["a", "b"], ["b", "a", "b"]):
        terms.dense(asked)
    texts.intern_many(["abc", "ab"])
    terms.dense(["b", "a"])
    assert sorted(embedder.asked) == ["a", "ab", "abc", "b", "c"]


@pytest.mark.parametrize(
    ("dimensions", "most"), [(3, 127), (1_040, 127), (2_000, 127), (1 << 16, 127), (4_000, 63)]
)
def test_cosines_are_exact_at_any_width(dimensions: int, most: int) -> None:
    rng = np.random.default_rng(dimensions)
    kept = np.int8 if most == 127 else np.int16
    a = rng.integers(-most, most + 1, (5, dimensions)).astype(kept)
    b = rng.integers(-most, most + 1, (7, dimensions)).astype(kept)
    a[0], b[0], b[1] = most, most, -most
    dots = a.astype(np.int64) @ b.astype(np.int64).T
    squares = [(v.astype(np.int64) ** 2).sum(axis=1).astype(float) for v in (a, b)]
    expected = (dots / np.sqrt(squares[0][:, None] * squares[1])).astype(np.float32)
    cosines = np.empty((5, 7), np.float32)
    for vector, line in zip(a, cosines, strict=True):
        fill_cosines(vector, b, squared_lengths(b), np.arange(7), line)
    np.testing.assert_array_equal(cosines, expected)
    assert cosines[0, :2].tolist() == [1, -1]


def test_equal_queries_share_a_row_and_no_query_gives_no_row() -> None:
    _, terms = terms_of(*THREE)
    for ask in (terms.bm25, terms.keyword):
        table, rows = ask(["storm", "rent", "storm"])
        assert rows[0] == rows[2] != rows[1]
        assert table.dtype == np.float32
        assert table.flags.c_contiguous
        assert ask([])[1].shape == (0,)


def test_an_empty_set_of_texts_is_accepted() -> None:
    _, terms = terms_of()
    assert values(terms.bm25(["storm"]), 0) == [[]]
    assert values(terms.keyword(["storm"]), 0) == [[]]
    assert values(dense_of()[1].dense(["a"]), 0) == [[]]


def test_a_dropped_text_scores_0_and_its_number_is_reused() -> None:
    texts, terms, _ = dense_of("c", "b", "ab")
    words = WordTerms(texts)
    asked = ["ab", "b"]
    for ask in (words.bm25, words.keyword, terms.dense):
        ask(asked)
    texts.drop_from(2)
    assert [row[2] for row in values(words.bm25(asked), 3)] == [0, 0]
    assert [row[2] for row in values(words.keyword(asked), 3)] == [0, 0]
    assert all(math.isnan(row[2]) for row in values(terms.dense(asked), 3))
    assert texts.intern("b ab") == 2
    assert values(words.bm25(asked), 3)[0][2] > 0
    assert values(words.keyword(asked), 3)[0][2] == pytest.approx(2 / 4)
    assert values(terms.dense(asked), 3)[1][2] == pytest.approx(
        127 * 127 / math.hypot(64, 127) / 127
    )


def test_cached_rows_are_limited_and_recomputed_identically() -> None:
    texts = Texts()
    texts.intern_many([f"text {n}" for n in range(100)])
    made: list[str] = []

    def fill(queries: list[str], columns: NDArray[np.intp], out: NDArray[np.float32]) -> None:
        made.extend(queries)
        out[:] = [[len(q) + c for c in columns] for q in queries]

    table = TermTable(texts, fill, room=4_000)
    first = table.table(["storm"])[0][0].copy()
    for n in range(50):
        table.table([f"query {n}"])
    assert len(table) <= 10
    assert table._table.nbytes < 16_000
    again, rows = table.table(["storm"])
    np.testing.assert_array_equal(again[rows[0]], first)
    assert made.count("storm") == 2
    many = [f"query {n} of many" for n in range(30)]
    wide, rows = table.table([*many, "storm"])
    assert len(np.unique(rows)) == 31
    np.testing.assert_array_equal(wide[rows[-1]], first)
    table.table(["storm"])
    assert made.count("storm") == 2


def test_only_what_changed_is_computed_again() -> None:
    texts = Texts()
    texts.intern_many(["one", "two"])
    asked: list[list[int]] = []

    def fill(_queries: list[str], columns: NDArray[np.intp], out: NDArray[np.float32]) -> None:
        asked.append(columns.tolist())
        out[:] = 1

    table = TermTable(texts, fill)
    table.table(["storm"])
    table.table(["storm"])
    texts.intern("three")
    table.table(["rain"])
    texts.intern("four")
    table.table(["storm"])
    assert asked == [[0, 1], [0, 1, 2], [2, 3]]


def test_memories_of_the_same_texts_share_their_terms() -> None:
    one = Memory(2)
    other = Memory(3, texts=one.texts)
    one[0].stream.add("social", "A storm is coming")
    one.flush()
    first, second = one.word_terms, other.word_terms
    assert first is second
    assert one.vectors is other.vectors
    assert first.words().size == first.index.split_queries(["storm"]).size == 4
    assert first is not Memory(1).word_terms
    dense = one.vectors
    one.texts = Texts()
    one.forget_index()
    assert one.word_terms is not first
    assert one.vectors is not dense
