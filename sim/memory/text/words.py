"""The whole words of every living text, counted, and how many texts hold each word.

Words are those of scikit-learn's TfidfVectorizer: in lower case, letters, digits and
underscores that follow each other, at least two. Chinese and Japanese have their pairs of
characters instead (see `cjk`). Fields of a template are no words.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.cjk import STOP as STOP_GRAMS
from memopolis.sim.memory.text.cjk import apart
from memopolis.sim.memory.text.following import Following, Numbers
from memopolis.sim.memory.text.pieces import STOP_WORDS, without_fields
from memopolis.sim.memory.text.texts import Texts

STOP: frozenset[str] = frozenset(STOP_WORDS) | STOP_GRAMS
"""Words that BM25 passes over."""

_WORD = re.compile(r"\w+")
_SPARE = 65_536


class TextWords(NamedTuple):
    """Words of texts in flat arrays, each distinct word of a text once.

    A text's words stand in the order in which they first appear in it, so what is summed in
    that order follows from the text alone; numbers of words follow from who came first.

    Attributes:
        flat: Numbers of words, int32, shape (room,), with gaps where texts were swept.
        count: How often the word is in the text, int32, shape (room,).
        start: Where a text's words begin, int64, shape (columns,).
        length: How many they are, 0 for a number not in use, int32, shape (columns,).
        size: Above every number of a word.
    """

    flat: NDArray[np.int32]
    count: NDArray[np.int32]  # type: ignore[assignment]  # hides tuple.count
    start: NDArray[np.int64]
    length: NDArray[np.int32]
    size: int


def lowered(text: str) -> str:
    """A text in lower case, a blank in place of each field of a template."""
    return without_fields(text).lower()


def cut(text: str) -> tuple[list[str], list[str]]:
    """Cut a text into words, in reading order, repeated ones included.

    Returns:
        Words as above, and words of one letter, which only the keyword score counts.
    """
    rest, pairs = apart(lowered(text))
    words = _WORD.findall(rest)
    long = [word for word in words if len(word) > 1]
    short = [word for word in words if len(word) == 1] if len(long) < len(words) else []
    return long + pairs, short


class WordIndex:
    """Words of all texts, kept up with a `Texts`.

    Nothing is cut before it is asked for. Words that no text holds any more are dropped in
    a round when they are many; then all words are numbered anew.

    Attributes:
        flat: As in `TextWords`; after a text's words come its words of one letter.
        count: As in `TextWords`.
        start: As in `TextWords`.
        length: As in `TextWords`.
        whole: Distinct words of a text, those of one letter included, int32,
            shape (columns,).
        telling: Words of a text that are no stop words, repeated ones included, int32,
            shape (columns,).
        df: Living texts that hold each word, int64, shape (room for words,).
        living: Number of living texts.
        told: Sum of `telling` over the living texts.
        numbers: Number of each word.
    """

    def __init__(self, texts: Texts) -> None:
        """Follow `texts`."""
        self._following = Following(texts)
        self._empty()

    def _empty(self) -> None:
        self.flat = np.zeros(0, np.int32)
        self.count = np.zeros(0, np.int32)
        self.start = np.zeros(0, np.int64)
        self.length = np.zeros(0, np.int32)
        self.whole = np.zeros(0, np.int32)
        self.telling = np.zeros(0, np.int32)
        self.df = np.zeros(0, np.int64)
        self.living = 0
        self.told = 0
        self.numbers: dict[str, int] = {}
        self._end = 0
        self._gaps = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.flat, self.count, self.start, self.length, self.whole, self.telling, self.df)
        return sum(array.nbytes for array in arrays)

    @property
    def arrays(self) -> TextWords:
        """The words by text number; valid until the next `follow`."""
        return TextWords(self.flat, self.count, self.start, self.length, len(self.numbers))

    def follow(self) -> Numbers:
        """Take in what was interned and swept since the last call.

        Returns:
            Numbers whose words changed, ascending, intp, shape (changed,).
        """
        if not self._following.behind:
            return np.zeros(0, np.intp)
        fresh, gone = self._following.look()
        self._grow(len(self._following.held))
        self._drop(gone)
        self._take(fresh)
        self.living = len(self._following.texts)
        if len(gone) and len(self.numbers) > _SPARE + 2 * np.count_nonzero(self.df):
            self._renumber()
        return np.union1d(fresh, gone)

    def asked(self, queries: Sequence[str]) -> TextWords:
        """Cut queries as texts are cut, by their place in the list.

        Words that no text holds have numbers of their own, from `arrays.size` on, which hold
        for this answer only.
        """
        new: dict[str, int] = {}
        flat: list[int] = []
        count: list[int] = []
        length = np.zeros(len(queries), np.int32)
        known = len(self.numbers)
        for place, query in enumerate(queries):
            times = _counts(cut(query)[0])
            length[place] = len(times)
            count += times.values()
            for word in times:
                number = self.numbers.get(word)
                flat.append(new.setdefault(word, known + len(new)) if number is None else number)
        start = np.cumsum(length, dtype=np.int64) - length
        size = known + len(new)
        return TextWords(np.array(flat, np.int32), np.array(count, np.int32), start, length, size)

    def _grow(self, columns: int) -> None:
        more = columns - len(self.start)
        if more > 0:
            self.start = np.append(self.start, np.zeros(more, np.int64))
            for name in ("length", "whole", "telling"):
                longer = np.append(getattr(self, name), np.zeros(more, np.int32))
                setattr(self, name, longer)

    def _drop(self, numbers: Numbers) -> None:
        if not len(numbers):
            return
        from memopolis.sim.memory.text import lexical_kernels

        lexical_kernels.count(numbers, self.start, self.whole, self.flat, self.df, -1)
        self._gaps += int(self.whole[numbers].sum())
        self.told -= int(self.telling[numbers].sum())
        self.length[numbers] = self.whole[numbers] = self.telling[numbers] = 0
        if self._gaps > 4_096 and 2 * self._gaps > self._end:
            self._close_gaps()

    def _close_gaps(self) -> None:
        from memopolis.sim.memory.text import word_kernels

        held = np.flatnonzero(self.whole)
        flat, count = (np.zeros(self._end - self._gaps, np.int32) for _ in range(2))
        into = (self.flat, self.count, flat, count)
        self._end = int(word_kernels.move(held, self.start, self.whole, *into))
        self.flat, self.count, self._gaps = flat, count, 0

    def _take(self, numbers: Numbers) -> None:
        if not len(numbers):
            return
        from memopolis.sim.memory.text import lexical_kernels

        flat: list[int] = []
        count: list[int] = []
        for number in numbers.tolist():
            self._cut(number, flat, count)
        whole = self.whole[numbers].astype(np.int64)
        self.start[numbers] = self._end + np.cumsum(whole) - whole
        self._put(flat, count)
        if len(self.numbers) > len(self.df):
            more = max(len(self.numbers), 2 * len(self.df)) - len(self.df)
            self.df = np.append(self.df, np.zeros(more, np.int64))
        self.told += int(self.telling[numbers].sum())
        lexical_kernels.count(numbers, self.start, self.whole, self.flat, self.df, 1)

    def _cut(self, number: int, flat: list[int], count: list[int]) -> None:
        """Count the words of one text, and put them at the end of the lists."""
        long, short = cut(self._following.texts[number])
        times = _counts(long)
        letters = _counts(short)
        self.length[number] = len(times)
        self.whole[number] = len(times) + len(letters)
        self.telling[number] = sum(n for word, n in times.items() if word not in STOP)
        numbers = self.numbers
        for counted in (times, letters):
            count += counted.values()
            flat += [numbers.setdefault(word, len(numbers)) for word in counted]

    def _put(self, flat: list[int], count: list[int]) -> None:
        end = self._end + len(flat)
        if end > len(self.flat):
            room = max(end, len(self.flat) * 3 // 2, 1_024) - len(self.flat)
            self.flat = np.append(self.flat, np.zeros(room, np.int32))
            self.count = np.append(self.count, np.zeros(room, np.int32))
        self.flat[self._end : end] = flat
        self.count[self._end : end] = count
        self._end = end

    def _renumber(self) -> None:
        """Cut all living texts again, with numbers for their words only."""
        self._empty()
        self._grow(len(self._following.held))
        self._take(np.flatnonzero(self._following.held))
        self.living = len(self._following.texts)


def _counts(words: Sequence[str]) -> dict[str, int]:
    times: dict[str, int] = {}
    for word in words:
        times[word] = times.get(word, 0) + 1
    return times
