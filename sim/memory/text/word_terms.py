"""Terms by whole words: BM25 and the keyword score."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.following import Following, Numbers
from memopolis.sim.memory.text.term_table import Float32, Table, TermTable
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.text.words import STOP, TextWords, WordIndex, cut, lowered

K1, B = 1.2, 0.25
"""How soon more of the same word counts no more, and how much less long texts count."""

OVERLAP = 0.8
"""Most that words in common are worth where the query is no part of the text."""


def idf(living: int, df: int) -> float:
    """Weigh a word by how few texts hold it.

    Args:
        living: Number of texts.
        df: How many of them hold it.

    Returns:
        ln(1 + (living - df + 0.5) / (df + 0.5)), above 0.

    Source:
        Robertson & Zaragoza 2009, doi:10.1561/1500000019; the 1 + is Lucene's.
    """
    return math.log1p((living - df + 0.5) / (df + 0.5))


class _Asked(NamedTuple):
    """Words of queries that some text holds, turned around for the compiled loops."""

    lead: NDArray[np.int64]
    place: NDArray[np.int64]
    owner: NDArray[np.int64]


class WordTerms:
    """Terms by whole words of some texts: BM25 and the keyword score.

    Attributes:
        index: Words of the texts.
    """

    def __init__(self, texts: Texts, *, k1: float = K1, b: float = B) -> None:
        """Follow `texts`; `k1` and `b` are those of BM25."""
        self.index = WordIndex(texts)
        self._texts = texts
        self._k1, self._b = k1, b
        self._bm25 = TermTable(Following(texts), self._fill_bm25, entwined=True)
        self._keyword = TermTable(Following(texts), self._fill_keyword)

    def words(self) -> TextWords:
        """Words of all texts, by text number; valid until the texts change."""
        self.index.follow()
        return self.index.arrays

    def bm25(self, queries: Sequence[str]) -> Table:
        """BM25 as a share of the most it could be, with statistics over all living texts.

        sum over the query's words of idf * tf / (tf + k1 * (1 - b + b * length / mean length)),
        divided by the sum of idf: 0..1. Stop words count nowhere. A word no text holds counts
        in the divisor: the share is of all that was asked.
        """
        self.index.follow()
        return self._bm25.table(queries)

    def keyword(self, queries: Sequence[str]) -> Table:
        """Keyword score: len(query) / len(text) where the text contains the query, in lower case.

        Elsewhere 0.8 * |words in both| / |words in either|, words of one letter included;
        0 for a query of nothing but blanks.
        """
        self.index.follow()
        return self._keyword.table(queries)

    def _asked(self, words: list[list[str]]) -> tuple[_Asked, list[tuple[int, int]]]:
        """Look up the words of queries, and tell at which (row, place in the row) they stand."""
        from memopolis.sim.memory.text import word_kernels

        number = self.index.numbers.get
        found = [
            (known, row, at)
            for row, one in enumerate(words)
            for at, word in enumerate(one)
            if (known := number(word)) is not None
        ]
        numbers = np.array([known for known, _, _ in found], np.int64)
        owner = np.array([row for _, row, _ in found], np.int64)
        lead, place = word_kernels.leads(numbers, len(self.index.numbers))
        return _Asked(lead, place, owner), [(row, at) for _, row, at in found]

    def _fill_bm25(self, queries: list[str], columns: Numbers) -> Float32:
        from memopolis.sim.memory.text import word_kernels

        index = self.index
        words = [[w for w in dict.fromkeys(cut(query)[0]) if w not in STOP] for query in queries]
        shares = [self._shares(one) for one in words]
        asked, stands = self._asked(words)
        share = np.array([shares[row][at] for row, at in stands], np.float64)
        out = np.zeros((len(queries), len(columns)))
        mean = index.told / index.living if index.told else 1.0
        texts = (index.flat, index.count, index.start, index.length)
        word_kernels.bm25(
            columns, *asked, share, texts, index.telling, mean, self._k1, self._b, out
        )
        return np.asarray(np.minimum(out, 1.0), np.float32)

    def _shares(self, words: list[str]) -> list[float]:
        """Share of each distinct word of a query in the most the query could reach."""
        index = self.index
        numbers = [index.numbers.get(word) for word in words]
        weights = [idf(index.living, 0 if n is None else int(index.df[n])) for n in numbers]
        bound = sum(weights)
        return [weight / bound for weight in weights]

    def _fill_keyword(self, queries: list[str], columns: Numbers) -> Float32:
        from memopolis.sim.memory.text import word_kernels

        index = self.index
        words = [list(dict.fromkeys([*long, *short])) for long, short in map(cut, queries)]
        asked, _ = self._asked(words)
        both = np.zeros((len(queries), len(columns)), np.int64)
        word_kernels.in_both(columns, *asked, index.flat, index.start, index.whole, both)
        widths = np.array([len(one) for one in words], np.int64)
        either = widths[:, None] + index.whole[columns] - both
        score = OVERLAP * (both / np.maximum(either, 1))
        self._contained(queries, columns, score)
        return np.asarray(score, np.float32)

    def _contained(self, queries: list[str], columns: Numbers, score: NDArray[np.float64]) -> None:
        """Write the score of texts that contain a query, and 0 for an empty one."""
        said = [lowered(self._texts[number]) for number in columns.tolist()]
        lengths = np.array([len(text) for text in said])
        starts = (np.cumsum(lengths + 1) - lengths - 1).tolist()
        whole = "\n".join(said)
        for row, query in enumerate(queries):
            low = query.lower()
            if not low.strip():
                score[row] = 0.0
                continue
            within = containing(whole, starts, lengths, low)
            score[row, within] = len(low) / lengths[within]


def containing(whole: str, starts: list[int], lengths: NDArray[np.int64], part: str) -> list[int]:
    """List the texts that contain a part, of texts joined by one character each.

    Args:
        whole: All texts.
        starts: Where each begins.
        lengths: How long each is.
        part: What they are to contain, not empty.
    """
    found: list[int] = []
    at = whole.find(part)
    while at >= 0:
        text = bisect_right(starts, at) - 1
        if at + len(part) > starts[text] + lengths[text]:
            at = whole.find(part, at + 1)
            continue
        found.append(text)
        at = whole.find(part, starts[text + 1]) if text + 1 < len(starts) else -1
    return found
