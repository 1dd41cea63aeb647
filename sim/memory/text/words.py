"""The words of every text in use, with their counts, BM25, and the keyword score.

Words are those of scikit-learn's TfidfVectorizer: in lower case, at least two consecutive letters,
digits or underscores. Scripts without spaces and emoji have groups of characters (see `grams`).
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from memopolis.sim.arrays import Array, Float64, Int32, Int64
from memopolis.sim.memory.text.grams import MARKS, UNSPACED, split_grams
from memopolis.sim.memory.text.grams import STOP as STOP_GRAMS
from memopolis.sim.memory.text.lexical import Table, TermTable
from memopolis.sim.memory.text.pieces import STOP_WORDS, without_fields
from memopolis.sim.memory.text.texts import Numbers, Texts, lengthen
from memopolis.sim.memory.text.token_index import TokenIndex

STOP: frozenset[str] = frozenset(STOP_WORDS) | STOP_GRAMS  # words that BM25 ignores
_WORD = re.compile(rf"[\w{MARKS}]+")


class TextWords(NamedTuple):
    """Words of texts in flat arrays, each distinct word of a text once, in order of appearance."""

    flat: Int32  # numbers of words, shape (room,)
    # How often the word is in the text, int32, shape (room,).
    count: Int32  # type: ignore[assignment]  # hides tuple.count
    start: Int64  # index of a text's first word, shape (columns,)
    length: Int32  # number of its words, 0 for an unused number, shape (columns,)
    size: int  # upper bound of the numbers of words


def lowered(text: str) -> str:
    """Return a text in lower case, with each field of a template replaced by a blank."""
    return without_fields(text).lower()


def split_words(text: str) -> tuple[list[str], list[str]]:
    """Split a text into words in reading order, and words of one letter (for the keyword score)."""
    rest, groups = split_grams(lowered(text), UNSPACED)
    words = _WORD.findall(rest)
    long = [word for word in words if len(word) > 1]
    short = [word for word in words if len(word) == 1] if len(long) < len(words) else []
    return long + groups, short


class WordIndex(TokenIndex):
    """Words of all texts; see `TokenIndex`.

    `count` is how often each word of `flat` is in its text, and `numbers` the number of each word.
    Of each text, `words` counts the distinct words, without those of one letter, which are stored
    after them, and `counted` the words without stop words, with repetitions.
    """

    _flats: ClassVar[tuple[str, ...]] = ("flat", "count")
    _columns: ClassVar[tuple[str, ...]] = ("start", "length", "words", "counted")

    def _empty(self) -> None:
        super()._empty()
        self.flat = np.zeros(0, np.int32)
        self.count = np.zeros(0, np.int32)
        self.words = np.zeros(0, np.int32)
        self.counted = np.zeros(0, np.int32)
        self.df = np.zeros(0, np.int64)
        self.numbers: dict[str, int] = {}

    @property
    def arrays(self) -> TextWords:
        """The words by text number; valid until the next `follow`."""
        return TextWords(self.flat, self.count, self.start, self.words, len(self.numbers))

    def split_queries(self, queries: Sequence[str]) -> TextWords:
        """Split queries like texts; unknown words get numbers from `arrays.size` on."""
        new: dict[str, int] = {}
        flat: list[int] = []
        count: list[int] = []
        length = np.zeros(len(queries), np.int32)
        known = len(self.numbers)
        for place, query in enumerate(queries):
            times = Counter(split_words(query)[0])
            length[place] = len(times)
            count += times.values()
            for word in times:
                number = self.numbers.get(word)
                flat.append(new.setdefault(word, known + len(new)) if number is None else number)
        start = np.cumsum(length, dtype=np.int64) - length
        size = known + len(new)
        return TextWords(np.array(flat, np.int32), np.array(count, np.int32), start, length, size)

    def _tokenise(self, numbers: Numbers) -> tuple[Array, ...]:
        flat: list[int] = []
        count: list[int] = []
        known = self.numbers
        for number in numbers.tolist():
            long, short = map(Counter, split_words(self._changes.texts[number]))
            self.words[number] = len(long)
            self.length[number] = len(long) + len(short)
            self.counted[number] = sum(n for word, n in long.items() if word not in STOP)
            for counter in (long, short):
                count += counter.values()
                flat += [known.setdefault(word, len(known)) for word in counter]
        self.df = lengthen(self.df, len(known))
        return np.array(flat, np.int32), np.array(count, np.int32)


K1, B = 1.2, 0.25  # saturation of repeated words, and the penalty for long texts
OVERLAP = 0.8  # greatest score of shared words if the text does not contain the query


def idf(living: int, df: int) -> float:
    """Compute the inverse frequency ln(1 + (living - df + 0.5) / (df + 0.5)), > 0, of a word.

    Source:
        Robertson & Zaragoza 2009, doi:10.1561/1500000019; the 1 + is Lucene's.
    """
    return math.log1p((living - df + 0.5) / (df + 0.5))


class WordTerms:
    """BM25 and the keyword score of some texts, by the `index` of their words."""

    def __init__(self, texts: Texts) -> None:
        """Create the terms of `texts`."""
        self.index = WordIndex(texts)
        self._texts = texts
        # A value depends on all texts.
        self._bm25 = TermTable(texts, self._fill_bm25, basis=lambda q: [texts.version] * len(q))
        self._keyword = TermTable(texts, self._fill_keyword)

    def words(self) -> TextWords:
        """Return the words of all texts, by text number; valid until the texts change."""
        self.index.follow()
        return self.index.arrays

    def bm25(self, queries: Sequence[str]) -> Table:
        """Compute BM25 relative to its maximum, with statistics over all texts in use, 0..1.

        sum over the query's words of idf * tf / (tf + k1 * (1 - b + b * length / mean length)),
        divided by the sum of idf. Stop words are ignored; a word without a text counts in the
        divisor.
        """
        self.index.follow()
        return self._bm25.table(queries)

    def keyword(self, queries: Sequence[str]) -> Table:
        """Compute the keyword score, ignoring case.

        len(query) / len(text) if the text contains the query, else 0.8 * |words in both| / |words
        in either|, including words of one letter; 0 for a blank query.
        """
        self.index.follow()
        return self._keyword.table(queries)

    def _products(
        self,
        columns: Numbers,
        lengths: Numbers,
        values: Array,
        queries: Sequence[Mapping[str, float]],
    ) -> Array:
        """Sum the values of texts' words times those of a query's words, shape (queries, texts).

        Sums run in the order of each text's words, of which the first `lengths` count.
        """
        from scipy.sparse import csr_array

        number = self.index.numbers.get
        places = [
            (known, row, value)
            for row, one in enumerate(queries)
            for word, value in one.items()
            if (known := number(word)) is not None
        ]
        words, rows, weights = zip(*places, strict=True) if places else ((), (), ())
        size = len(self.index.numbers)
        asked = csr_array((weights, (words, rows)), shape=(size, len(queries)), dtype=values.dtype)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        flat = self.index.flat[self._places(columns, lengths)]
        texts = csr_array((values, flat, ends), shape=(len(columns), size))
        return np.asarray((texts @ asked).toarray().T)

    def _places(self, columns: Numbers, lengths: Numbers) -> Numbers:
        """Return where the first words of texts are stored, text by text."""
        before = np.cumsum(lengths) - lengths
        starts = np.repeat(self.index.start[columns] - before, lengths)
        return np.asarray(np.arange(lengths.sum()) + starts)

    def _fill_bm25(self, queries: list[str], columns: Numbers, out: Array) -> None:
        index = self.index
        words = [
            [w for w in dict.fromkeys(split_words(query)[0]) if w not in STOP] for query in queries
        ]
        total = int(index.counted.sum())
        mean = total / index.living if total else 1.0
        lengths = index.words[columns].astype(np.int64)
        counts = index.count[self._places(columns, lengths)]
        tail = K1 * (1.0 - B + B * index.counted[columns] / mean)
        values = counts / (counts + np.repeat(tail, lengths))
        sums = self._products(columns, lengths, values, [self._shares(word) for word in words])
        out[:] = np.minimum(sums, 1.0)

    def _shares(self, words: list[str]) -> dict[str, float]:
        """Return the share of each distinct word of a query in the query's maximum."""
        index = self.index
        numbers = [index.numbers.get(word) for word in words]
        weights = [idf(index.living, 0 if n is None else int(index.df[n])) for n in numbers]
        bound = sum(weights)
        return {word: weight / bound for word, weight in zip(words, weights, strict=True)}

    def _fill_keyword(self, queries: list[str], columns: Numbers, out: Array) -> None:
        index = self.index
        words = [dict.fromkeys([*long, *short], 1) for long, short in map(split_words, queries)]
        lengths = index.length[columns].astype(np.int64)
        both = self._products(columns, lengths, np.ones(lengths.sum(), np.int64), words)
        widths = np.array([len(word) for word in words], np.int64)
        score = OVERLAP * (both / np.maximum(widths[:, None] + lengths - both, 1))
        self._contained(queries, columns, score)
        out[:] = score

    def _contained(self, queries: list[str], columns: Numbers, score: Float64) -> None:
        """Write the score of texts that contain a query, and 0 for a blank one."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = [lowered(self._texts[number]) for number in columns.tolist()]
        lengths, whole = np.array([len(text) for text in texts]), pa.array(texts, pa.large_string())
        for row, query in enumerate(queries):
            low = query.lower()
            if not low.strip():
                score[row] = 0.0
                continue
            part = low.encode("utf-8", "surrogatepass")  # no text has a lone surrogate
            matches = np.array(pc.match_substring(whole, part), np.bool_)
            score[row, matches] = len(low) / lengths[matches]
