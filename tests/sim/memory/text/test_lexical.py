"""Soft lexical relevance: examples, shipped files, caches and their limits."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.grams import ASSETS
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.pieces import likeness, word_pieces
from memopolis.sim.memory.text.relevance import FULL
from memopolis.sim.memory.text.texts import Texts


def relevances(query: str, *item: str) -> list[int]:
    texts = Texts()
    numbers = texts.intern_many(item)
    table, rows = LexicalIndex(texts).table([query])
    return [int(value) for value in table[rows[0], numbers]]


def like(first: str, second: str) -> float:
    """Likeness of two words, as the cosine it was made from; 0 where not listed."""
    lists, number = likeness(), word_pieces().vocabulary.index
    listed = slice(*lists.start[number(first) : number(first) + 2])
    at = lists.piece[listed] == number(second)
    return float(lists.likeness[listed][at][0]) / 255 * 0.65 + 0.35 if at.any() else 0.0


def test_shipped_files_have_the_expected_checksums() -> None:
    pinned = dict(
        re.findall(r"`([\w.]+)` \|.*`([0-9a-f]{64})`", (ASSETS / "README.md").read_text("utf-8"))
    )
    assert set(pinned) == {
        "vocabulary.txt", "words.txt", "related_words.txt", "likeness.npz", "static_table.npz",
        "simplified.txt",
    }  # fmt: skip
    for name, expected in pinned.items():
        assert hashlib.sha256((ASSETS / name).read_bytes()).hexdigest() == expected, name
    assert (ASSETS / "likeness.npz").stat().st_size <= 3_200_000


def test_each_word_piece_is_most_similar_to_itself() -> None:
    lists = likeness()
    lengths = np.diff(lists.start)
    assert lengths.min() == 1
    assert lengths.max() == 80
    assert np.array_equal(lists.piece[lists.start[:-1]], np.arange(len(lengths)))
    assert (lists.likeness[lists.start[:-1]] == 255).all()


@pytest.mark.parametrize(
    ("first", "second", "cosine"),
    [
        ("hungry", "starving", 0.69),
        ("rent", "landlord", 0.71),
        ("hurricane", "storm", 0.67),
        ("evacuation", "escape", 0.58),
        ("cheap", "expensive", 0.76),
        ("commute", "traffic", 0.58),
        ("commute", "grocery", 0.0),
        ("2019", "2018", 0.0),
    ],
)
def test_words_of_similar_meaning_are_similar(first: str, second: str, cosine: float) -> None:
    assert like(first, second) == pytest.approx(cosine, abs=0.03)


def test_relevance_falls_from_equal_to_similar_to_other_words() -> None:
    same, near, other = relevances(
        "Is a hurricane coming?",
        "A hurricane is coming.",
        "The storm is coming.",
        "My landlord plays chess.",
    )
    assert same == FULL
    assert FULL > near > FULL // 4
    assert other < near // 2


@pytest.mark.parametrize("query", ["", "the of and", "?!", "\u4dff", "{actor}"])
def test_a_query_without_known_word_pieces_scores_0(query: str) -> None:
    assert relevances(query, "The storm is coming.", query) == [0, 0]


def test_rare_word_pieces_have_more_weight() -> None:
    common = [f"work number {n}" for n in range(100, 160)]
    rare, often = relevances("chess work", "chess", "work", *common)[:2]
    assert rare > often > 0


def test_template_fields_are_not_words() -> None:
    filled, field = relevances("which actor told me", "An actor told me", "{actor} told me")
    assert filled == FULL
    assert field < FULL
    assert word_pieces().tokens("{place}") == []


def test_an_empty_set_of_texts_is_accepted() -> None:
    index = LexicalIndex(Texts())
    table, rows = index.table(["storm", "storm", "rain"])
    assert table.shape[1] == 0
    assert rows[0] == rows[1] != rows[2]
    pairs, _ = index.pairs(["storm"])
    assert pairs.widest == 1
    assert index.table([])[1].shape == (0,)


def test_a_reused_number_has_the_relevance_of_its_new_text() -> None:
    texts = Texts()
    texts.intern_many(["Rent is due", "A storm is coming"])
    index = LexicalIndex(texts)
    before = index.table(["storm"])[0][0, :2].tolist()
    texts.drop_from(1)
    dropped = index.table(["storm"])[0][0, :2].tolist()
    texts.intern("Rent is due again")
    after = index.table(["storm"])[0][0, :2].tolist()
    assert before == [dropped[0], FULL]
    assert dropped[1] == 0
    assert after[1] < FULL


def test_many_dropped_texts_leave_no_gaps() -> None:
    texts = Texts()
    index = LexicalIndex(texts)
    for round_ in range(8):
        texts.intern_many([f"storm shelter bridge office {round_} {n + 1000}" for n in range(600)])
        index.table(["storm office"])
        texts.drop_from(2)
    table, rows = index.table(["storm office"])
    assert table[rows[0], :2].tolist() == [FULL, FULL]
    assert len(index._texts.flat) < 3 * 600 * 7


def test_the_number_of_cached_rows_is_limited() -> None:
    texts = Texts()
    texts.intern_many([f"text {n + 1000}" for n in range(100)])
    index = LexicalIndex(texts, room=20_000)
    first = index.table(["storm"])[0][0].copy()
    for n in range(400):
        index.table([f"query {n + 1000}"])
    assert len(index._table) <= 20_000 // (2 * 100)
    assert "storm" not in index._table._rows
    assert index._table._table.nbytes < 40_000
    table, rows = index.table(["storm"])
    assert np.array_equal(table[rows[0]], first)
    many = [f"query {n + 1000}" for n in range(300)]
    table, rows = index.table(many)
    assert len(np.unique(rows)) == 300
    assert index.relevance(many, lambda: 10**9, 300).table is None


def test_rows_that_are_renewed_together_stay_within_the_room() -> None:
    texts = Texts()
    texts.intern_many([f"text {n + 1000} of a storm" for n in range(100)])
    index = LexicalIndex(texts, room=1_500)
    for n in range(20):
        texts.intern(f"another text {n}")
        index.table([f"query {n}"])
    assert len(index._table) <= 1_500 // (2 * 120)


def test_the_cheaper_form_is_used() -> None:
    texts = Texts()
    texts.intern_many([f"text {n + 1000} of a storm" for n in range(2_000)])
    index = LexicalIndex(texts)
    few = index.relevance(["storm"], lambda: 10, 1)
    assert few.pairs is not None
    assert few.table is None
    many = index.relevance(["storm"], lambda: 1_000_000, 1)
    assert many.table is not None
    assert many.pairs is None
    assert index.relevance(["storm"], lambda: 10, 1).table is not None  # cached already


def test_rows_used_last_are_renewed_together() -> None:
    texts = Texts()
    texts.intern_many([f"text {n + 1000} of a storm with rain" for n in range(2_000)])
    index = LexicalIndex(texts)
    index.table(["storm", "rain"])
    texts.intern("After the storm there was no rain")
    index.table(["storm"])
    table, row = index._table.known("rain") or pytest.fail("it was not renewed")
    fresh, (first,) = LexicalIndex(texts).table(["rain"])
    assert np.array_equal(table[row, : len(texts)], fresh[first, : len(texts)])
    assert table[row, len(texts) - 1] > 0


def test_invalid_queries_are_refused_without_damage() -> None:
    texts = Texts()
    texts.intern("A storm is coming")
    index = LexicalIndex(texts)
    for ask in (index.table, index.pairs):
        with pytest.raises(ParameterError, match="text is 5; a str"):
            ask(["storm", cast("Any", 5)])
        with pytest.raises(ParameterError, match="surrogate"):
            ask(["storm \ud800"])
    table, rows = index.table(["storm"])
    assert table[rows[0], 0] == FULL


_FIRST_SEARCH = """
import numpy as np
from numba import njit
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.lexical_kernels import relevances_of_texts
from memopolis.sim.memory.text.pieces import NUMBERS
from memopolis.sim.memory.text.texts import Texts

@njit(_nrt=False)
def search(pairs, texts, word_of, best, out):
    relevances_of_texts(pairs, 0, texts, 0, len(texts), word_of, best, out)

texts = Texts()
numbers = texts.intern_many(["storm", "bread"])
pairs, _ = LexicalIndex(texts).pairs(["storm"])
out = np.zeros(2, np.int32)
search(pairs, numbers, np.zeros(NUMBERS, np.uint64), np.zeros((0, 0), np.uint8), out)
print(*out)
"""


def test_relevance_is_compiled_first_by_a_search_without_references(tmp_path: Path) -> None:
    # Numba passes a caller's options on to what it compiles first for it, unless set there.
    printed = subprocess.run(
        [sys.executable, "-c", _FIRST_SEARCH],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.split() == [str(FULL), "0"]
