"""BM25, keyword score and cosine compared with slow implementations, for any history."""

import math
import re
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.text.words import STOP, WordTerms, split_words
from memopolis.sim.memory.vectors.embedding import TextVectors

SPOKEN = "storm Storm hurricane rent, landlord the of a I x 2021 café 飓风 東京 避難 ! 🌀 {actor}"
phrases = st.lists(st.sampled_from(SPOKEN.split()), max_size=7).map(" ".join)
queries = st.lists(phrases, min_size=1, max_size=4)
# What happens to the texts between two searches: some interned, or a share of them swept.
events = st.lists(
    st.tuples(st.lists(phrases, max_size=5), st.booleans(), queries), min_size=1, max_size=4
)


class AllTerms:
    """The three tables of some texts."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        words, dense = WordTerms(texts), TextVectors(texts)
        self.asks = {"bm25": words.bm25, "keyword": words.keyword, "dense": dense.dense}

    def values(self, asked: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Copies of the rows of the queries, each of shape (queries, capacity)."""
        by_name = {}
        for name, ask in self.asks.items():
            table, rows = ask(asked)
            by_name[name] = table[rows, : self.texts.capacity].copy()
        return by_name


def bm25_of(query: str, text: str, living: Sequence[str]) -> float:
    """Compute the formula of `WordTerms.bm25`."""
    held = [[w for w in split_words(other)[0] if w not in STOP] for other in living]
    own = [w for w in split_words(text)[0] if w not in STOP]
    mean = sum(map(len, held)) / len(living)
    above = below = 0.0
    for word in {w for w in split_words(query)[0] if w not in STOP}:
        df = sum(word in words for words in held)
        idf = math.log(1 + (len(living) - df + 0.5) / (df + 0.5))
        tf = own.count(word)
        above += idf * tf / (tf + 1.2 * (0.75 + 0.25 * len(own) / mean)) if tf else 0.0
        below += idf
    return above / below if below else 0.0


def keyword_of(query: str, text: str) -> float:
    """Compute the formula of `WordTerms.keyword`."""
    q, t = query.lower(), re.sub(r"\{actor\}", " ", text).lower()
    if not q.strip():
        return 0.0
    if q in t:
        return len(q) / len(t)
    ours, theirs = ({w for part in split_words(output) for w in part} for output in (query, text))
    return 0.8 * len(ours & theirs) / max(1, len(ours | theirs))


@settings(max_examples=60, deadline=None)
@given(st.lists(phrases, min_size=1, max_size=10), queries)
def test_values_equal_the_formulas(lines: list[str], asked: list[str]) -> None:
    texts = Texts()
    texts.intern_many(lines)
    living = [texts[n] for n in range(len(texts))]
    result = AllTerms(texts).values(asked)
    for row, query in enumerate(asked):
        expected = [bm25_of(query, text, living) for text in living]
        np.testing.assert_allclose(result["bm25"][row], expected, rtol=1e-6, atol=1e-7)
        expected = [keyword_of(query, text) for text in living]
        np.testing.assert_allclose(result["keyword"][row], expected, rtol=1e-6, atol=0)


@settings(max_examples=60, deadline=None)
@given(events, st.integers(0, 2**32))
def test_updated_tables_equal_rebuilt_ones(
    happened: list[tuple[list[str], bool, list[str]]], seed: int
) -> None:
    texts = Texts()
    kept = AllTerms(texts)
    rng = np.random.default_rng(seed)
    for item, swept, asked in happened:
        if swept:
            texts.drop_from(int(rng.integers(texts.capacity + 1)))
        texts.intern_many(item)
        now, rebuilt = kept.values(asked), AllTerms(texts).values(asked)
        for name, values in now.items():
            np.testing.assert_array_equal(values, rebuilt[name])
            dead = values[:, texts.capacity :]
            assert np.isnan(dead).all() if name == "dense" else not dead.any()


@settings(max_examples=60, deadline=None)
@given(st.lists(phrases, min_size=1, max_size=10, unique=True), queries)
def test_order_and_batch_change_no_bit(lines: list[str], asked: list[str]) -> None:
    texts, other = Texts(), Texts()
    numbers = texts.intern_many(lines)
    turned = other.intern_many(lines[::-1])[::-1]
    together = AllTerms(texts).values(asked)
    alone = AllTerms(other)
    for row in range(len(asked) - 1, -1, -1):
        for name, values in alone.values([asked[row]]).items():
            np.testing.assert_array_equal(values[0, turned], together[name][row, numbers])


@settings(max_examples=60, deadline=None)
@given(st.lists(phrases, min_size=1, max_size=10), queries)
def test_values_are_within_their_bounds(lines: list[str], asked: list[str]) -> None:
    texts = Texts()
    texts.intern_many(lines)
    result = AllTerms(texts).values([*asked, *lines])
    for name in ("bm25", "keyword"):
        assert ((result[name] >= 0) & (result[name] <= 1)).all()
    dense = result["dense"][np.isfinite(result["dense"])]
    assert ((dense >= -1) & (dense <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_a_query_equal_to_the_text_has_the_highest_keyword_score(query: str, other: str) -> None:
    if query.encode(errors="ignore").decode() != query or "{" in query or not query.strip():
        return
    texts = Texts()
    number = texts.intern(query)
    texts.intern(other if other.encode(errors="ignore").decode() == other else "other")
    table, rows = WordTerms(texts).keyword([query])
    assert table[rows[0], number] == 1
    assert table.max() == 1
