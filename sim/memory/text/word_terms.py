"""Terms of whole words: BM25 and the keyword score."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.term_table import Float32, Table, TermTable
from memopolis.sim.memory.text.text_changes import Numbers
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.text.words import STOP, TextWords, WordIndex, lowered, split_words

K1, B = 1.2, 0.25
"""Saturation of repeated words, and the penalty for long texts."""

OVERLAP = 0.8
"""Greatest score of shared words if the text does not contain the query."""


def idf(living: int, df: int) -> float:
    """Compute the inverse document frequency of a word.

    Args:
        living: Number of texts.
        df: Number of texts with the word.

    Returns:
        ln(1 + (living - df + 0.5) / (df + 0.5)), > 0.

    Source:
        Robertson & Zaragoza 2009, doi:10.1561/1500000019; the 1 + is Lucene's.
    """
    return math.log1p((living - df + 0.5) / (df + 0.5))


class _QueryWords(NamedTuple):
    """Words of queries that are in some text, indexed by word for the compiled loops."""

    word_start: NDArray[np.int64]
    place: NDArray[np.int64]
    owner: NDArray[np.int64]


class WordTerms:
    """BM25 and the keyword score of some texts.

    Attributes:
        index: Words of the texts.
    """

    def __init__(self, texts: Texts, *, k1: float = K1, b: float = B) -> None:
        """Create the terms of `texts`; `k1` and `b` are the parameters of BM25."""
        self.index = WordIndex(texts)
        self._texts = texts
        self._k1, self._b = k1, b
        # A value depends on all texts.
        self._bm25 = TermTable(texts, self._fill_bm25, basis=lambda q: [texts.version] * len(q))
        self._keyword = TermTable(texts, self._fill_keyword)

    def words(self) -> TextWords:
        """Return the words of all texts, by text number; valid until the texts change."""
        self.index.follow()
        return self.index.arrays

    def bm25(self, queries: Sequence[str]) -> Table:
        """Compute BM25 relative to its maximum, with statistics over all texts in use.

        sum over the query's words of idf * tf / (tf + k1 * (1 - b + b * length / mean length)),
        divided by the sum of idf: 0..1. Stop words are ignored. A word without a text counts in
        the divisor.
        """
        self.index.follow()
        return self._bm25.table(queries)

    def keyword(self, queries: Sequence[str]) -> Table:
        """Compute the keyword score, ignoring case.

        len(query) / len(text) if the text contains the query, else
        0.8 * |words in both| / |words in either|, including words of one letter; 0 for a blank
        query.
        """
        self.index.follow()
        return self._keyword.table(queries)

    def _look_up(self, words: list[list[str]]) -> tuple[_QueryWords, list[tuple[int, int]]]:
        """Look up the words of queries; return them with their (row, index in the row)."""
        from memopolis.sim.memory.text import word_kernels

        number = self.index.numbers.get
        places = [
            (known, row, at)
            for row, one in enumerate(words)
            for at, word in enumerate(one)
            if (known := number(word)) is not None
        ]
        numbers = np.array([known for known, _, _ in places], np.int64)
        owner = np.array([row for _, row, _ in places], np.int64)
        word_start, place = word_kernels.index_words(numbers, len(self.index.numbers))
        return _QueryWords(word_start, place, owner), [(row, at) for _, row, at in places]

    def _fill_bm25(self, queries: list[str], columns: Numbers) -> Float32:
        from memopolis.sim.memory.text import word_kernels

        index = self.index
        words = [
            [w for w in dict.fromkeys(split_words(query)[0]) if w not in STOP] for query in queries
        ]
        shares = [self._shares(one) for one in words]
        query_words, places = self._look_up(words)
        share = np.array([shares[row][at] for row, at in places], np.float64)
        out = np.zeros((len(queries), len(columns)))
        total = int(index.counted.sum())
        mean = total / index.living if total else 1.0
        texts = (index.flat, index.count, index.start, index.words)
        word_kernels.bm25(
            columns, *query_words, share, texts, index.counted, mean, self._k1, self._b, out
        )
        return np.asarray(np.minimum(out, 1.0), np.float32)

    def _shares(self, words: list[str]) -> list[float]:
        """Return the share of each distinct word of a query in the query's maximum."""
        index = self.index
        numbers = [index.numbers.get(word) for word in words]
        weights = [idf(index.living, 0 if n is None else int(index.df[n])) for n in numbers]
        bound = sum(weights)
        return [weight / bound for weight in weights]

    def _fill_keyword(self, queries: list[str], columns: Numbers) -> Float32:
        from memopolis.sim.memory.text import word_kernels

        index = self.index
        words = [list(dict.fromkeys([*long, *short])) for long, short in map(split_words, queries)]
        query_words, _ = self._look_up(words)
        both = np.zeros((len(queries), len(columns)), np.int64)
        word_kernels.count_shared(
            columns, *query_words, index.flat, index.start, index.length, both
        )
        widths = np.array([len(one) for one in words], np.int64)
        either = widths[:, None] + index.length[columns] - both
        score = OVERLAP * (both / np.maximum(either, 1))
        self._contained(queries, columns, score)
        return np.asarray(score, np.float32)

    def _contained(self, queries: list[str], columns: Numbers, score: NDArray[np.float64]) -> None:
        """Write the score of texts that contain a query, and 0 for a blank one."""
        texts = [lowered(self._texts[number]) for number in columns.tolist()]
        lengths = np.array([len(text) for text in texts])
        starts = (np.cumsum(lengths + 1) - lengths - 1).tolist()
        whole = "\n".join(texts)
        for row, query in enumerate(queries):
            low = query.lower()
            if not low.strip():
                score[row] = 0.0
                continue
            matches = containing(whole, starts, lengths, low)
            score[row, matches] = len(low) / lengths[matches]


def containing(whole: str, starts: list[int], lengths: NDArray[np.int64], part: str) -> list[int]:
    """List the texts that contain a part.

    Args:
        whole: All texts, joined by one character each.
        starts: Index of the first character of each text.
        lengths: Length of each text.
        part: A text that is not empty.
    """
    matches: list[int] = []
    at = whole.find(part)
    while at >= 0:
        text = bisect_right(starts, at) - 1
        if at + len(part) > starts[text] + lengths[text]:
            at = whole.find(part, at + 1)
            continue
        matches.append(text)
        at = whole.find(part, starts[text + 1]) if text + 1 < len(starts) else -1
    return matches
