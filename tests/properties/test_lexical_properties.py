"""Lexical relevance compared with a slow implementation of its formula."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.sim.memory.text import lexical_kernels
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.pieces import NUMBERS, likeness, word_pieces
from memopolis.sim.memory.text.relevance import FULL
from memopolis.sim.memory.text.texts import Texts

SPOKEN = (
    "storm hurricane shelter evacuation escape hungry starving rent landlord the of not 2021 2019 "
    "work office bridge unaffable 7 café 東京 {actor} ! | money cash"
)
phrases = st.lists(st.sampled_from(SPOKEN.split()), max_size=7).map(" ".join)
queries = st.lists(phrases, min_size=1, max_size=4)
# What happens to the texts between two searches: some interned, or a share of them swept.
events = st.lists(
    st.tuples(st.lists(phrases, max_size=5), st.booleans(), queries), min_size=1, max_size=4
)


def relevance_of(query: str, text: str, living: Sequence[str]) -> int:
    """Compute the formula of the module's docstring literally."""
    lists, cut = likeness(), word_pieces().distinct
    holders = [set(cut(other)) for other in living]
    above, below = 0, 0
    for p in set(cut(query)):
        df = sum(p in pieces for pieces in holders)
        weight = max(1, (len(living) // max(1, df)).bit_length() - 1)
        some = range(lists.start[p], lists.start[p + 1])
        like = {int(lists.piece[i]): int(lists.likeness[i]) for i in some}
        above += weight * max((like.get(v, 0) for v in cut(text)), default=0)
        below += weight
    return 256 * above // below if below else 0


def table_of(index: LexicalIndex, texts: Texts, asked: Sequence[str]) -> NDArray[np.uint16]:
    """Copy the table's rows of the queries, shape (queries, capacity)."""
    table, rows = index.table(asked)
    return table[rows, : texts.capacity].copy()


def by_pairs(index: LexicalIndex, texts: Texts, asked: Sequence[str]) -> NDArray[np.uint16]:
    """Compute the same from pairs."""
    pairs, rows = index.pairs(asked)
    word_of, best = np.zeros(NUMBERS, np.uint64), np.zeros((0, 0), np.uint8)
    values = np.zeros((len(rows), texts.capacity), np.uint16)
    numbers = np.arange(texts.capacity)
    for row, out in zip(rows.tolist(), values, strict=True):
        lexical_kernels.relevances_of_texts(
            pairs, row, numbers, 0, len(numbers), word_of, best, out
        )
        assert not word_of.any()
    return values


@settings(max_examples=60, deadline=None)
@given(st.lists(phrases, max_size=12), queries)
def test_table_and_pairs_equal_the_formula(lines: list[str], asked: list[str]) -> None:
    texts = Texts()
    texts.intern_many(lines)
    expected = [
        [
            relevance_of(query, texts[n], [texts[i] for i in range(len(texts))])
            for n in range(len(texts))
        ]
        for query in asked
    ]
    index = LexicalIndex(texts)
    shape = (len(asked), texts.capacity)
    np.testing.assert_array_equal(
        table_of(index, texts, asked), np.array(expected, np.uint16).reshape(shape)
    )
    np.testing.assert_array_equal(
        by_pairs(index, texts, asked), np.array(expected, np.uint16).reshape(shape)
    )


@settings(max_examples=60, deadline=None)
@given(events, st.sampled_from([0, 2_000, 2**26]), st.integers(0, 2**32))
def test_an_updated_index_equals_a_rebuilt_one(
    happened: list[tuple[list[str], bool, list[str]]], room: int, seed: int
) -> None:
    texts = Texts()
    kept = LexicalIndex(texts, room=room)
    rng = np.random.default_rng(seed)
    for item, swept, asked in happened:
        if swept:
            texts.drop_from(int(rng.integers(texts.capacity + 1)))
        texts.intern_many(item)
        from_kept = table_of(kept, texts, asked)
        np.testing.assert_array_equal(from_kept, table_of(LexicalIndex(texts), texts, asked))
        np.testing.assert_array_equal(from_kept, by_pairs(kept, texts, asked))
        assert not from_kept[:, texts.capacity :].any()


@settings(max_examples=40, deadline=None)
@given(events)
def test_a_restored_state_gives_the_same(
    happened: list[tuple[list[str], bool, list[str]]],
) -> None:
    texts = Texts()
    kept = LexicalIndex(texts)
    for item, swept, asked in happened:
        texts.intern_many(item)
        if swept:
            texts.drop_from(texts.capacity // 2)
        saved = [texts[number] for number in texts.numbers.tolist()]
        restored = Texts(saved)
        now, then = table_of(kept, texts, asked), table_of(LexicalIndex(restored), restored, asked)
        np.testing.assert_array_equal(now[:, texts.numbers], then[:, restored.numbers])


@settings(max_examples=60, deadline=None)
@given(phrases, st.lists(phrases, max_size=6))
def test_a_text_equal_to_the_query_scores_highest(query: str, lines: list[str]) -> None:
    texts = Texts()
    numbers = texts.intern_many([query, f"{query} and the money", *lines])
    table, rows = LexicalIndex(texts).table([query])
    full = FULL if word_pieces().distinct(query) else 0
    assert table[rows[0], numbers[0]] == table[rows[0], numbers[1]] == full
    assert table.max(initial=0) <= FULL


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=120))
def test_the_fast_word_split_equals_the_tokenizer(text: str) -> None:
    words = word_pieces()
    if "{" not in text:
        assert words.tokens(text) == words._encode(text)
