"""The words of every text in use, with their counts, and the number of texts with each word.

Words are those of scikit-learn's TfidfVectorizer: in lower case, at least two consecutive
letters, digits or underscores. Scripts without spaces and emoji have groups of characters instead
(see `grams`). Fields of a template are not words.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.grams import MARKS, UNSPACED, split_grams
from memopolis.sim.memory.text.grams import STOP as STOP_GRAMS
from memopolis.sim.memory.text.pieces import STOP_WORDS, without_fields
from memopolis.sim.memory.text.text_changes import Numbers
from memopolis.sim.memory.text.token_index import TokenIndex

STOP: frozenset[str] = frozenset(STOP_WORDS) | STOP_GRAMS
"""Words that BM25 ignores."""

_WORD = re.compile(rf"[\w{MARKS}]+")
_SPARE = 65_536


class TextWords(NamedTuple):
    """Words of texts in flat arrays, each distinct word of a text once.

    The words of a text are in order of first appearance, so sums in that order depend on the
    text only. The numbers of words depend on the order of texts.

    Attributes:
        flat: Numbers of words, int32, shape (room,), with gaps for swept texts.
        count: How often the word is in the text, int32, shape (room,).
        start: Index of a text's first word, int64, shape (columns,).
        length: Number of its words, 0 for an unused number, int32, shape (columns,).
        size: Upper bound of the numbers of words.
    """

    flat: NDArray[np.int32]
    count: NDArray[np.int32]  # type: ignore[assignment]  # hides tuple.count
    start: NDArray[np.int64]
    length: NDArray[np.int32]
    size: int


def lowered(text: str) -> str:
    """Return a text in lower case, with each field of a template replaced by a blank."""
    return without_fields(text).lower()


def split_words(text: str) -> tuple[list[str], list[str]]:
    """Split a text into words, in reading order, with repetitions.

    Returns:
        Words as above, and words of one letter, which only the keyword score counts.
    """
    rest, groups = split_grams(lowered(text), UNSPACED)
    words = _WORD.findall(rest)
    long = [word for word in words if len(word) > 1]
    short = [word for word in words if len(word) == 1] if len(long) < len(words) else []
    return long + groups, short


class WordIndex(TokenIndex):
    """Words of all texts; see `TokenIndex`.

    Words without a text are removed once they are many; then all words get new numbers.

    Attributes:
        count: How often each word of `flat` is in its text, int32, shape (room,).
        words: Distinct words of a text, without those of one letter, which are stored after
            them, int32, shape (columns,).
        counted: Words of a text without stop words, with repetitions, int32, shape (columns,).
        numbers: Number of each word.
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

    def follow(self) -> Numbers:
        """Read texts interned or swept since the last call; see `TokenIndex.follow`."""
        changed = super().follow()
        if len(changed) and len(self.numbers) > _SPARE + 2 * np.count_nonzero(self.df):
            in_use = self._changes.in_use
            self._empty()
            self._grow(len(in_use))
            self._add(np.flatnonzero(in_use))
            self.living = len(self._changes.texts)
        return changed

    def split_queries(self, queries: Sequence[str]) -> TextWords:
        """Split queries like texts, by their index in the list.

        Words without a text get numbers from `arrays.size` on, which are valid for this result
        only.
        """
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

    def _tokenise(self, numbers: Numbers) -> tuple[NDArray[Any], ...]:
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
        if len(known) > len(self.df):
            more = max(len(known), 2 * len(self.df)) - len(self.df)
            self.df = np.append(self.df, np.zeros(more, np.int64))
        return np.array(flat, np.int32), np.array(count, np.int32)
