"""Sentiment and urgency of texts, from word lists.

A text with more good than bad words is positive, with more bad than good words negative. One urgent
word makes it urgent. Word lists: `assets/word_lists.toml`.
"""

import re
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.grams import WORD_LISTS
from memopolis.sim.memory.text.texts import TextChanges, Texts

GOOD, BAD, URGENT = 1, 2, 4  # bits of a word or text
MARKS = ("positive", "negative", "urgent")  # tags of these bits, in their order
_MOST = 63  # of 127: half of the scale, symmetric


def _bits(lists: dict[str, str]) -> dict[str, int]:
    bits: dict[str, int] = {}
    for bit, name in zip((GOOD, BAD, URGENT), MARKS, strict=True):
        for word in lists[name].split():
            bits[word] = bits.get(word, 0) | bit
    return bits


ENGLISH = _bits(WORD_LISTS["english"])  # bits of each English word
CHINESE = _bits(WORD_LISTS["chinese"])  # bits of each Chinese word
_WORD = re.compile(r"[a-z]+")
_CHINESE = re.compile("|".join(sorted(CHINESE, key=lambda word: (-len(word), word))))


def count_words(text: str) -> tuple[int, int, bool]:
    """Count the good and the bad words of a text, and check for urgent words."""
    good, bad, urgent = 0, 0, False
    for sentence in text.split(". "):
        count = _count_cached if len(sentence) <= _LONGEST_CACHED else _count_words
        counts = count(sentence)
        good, bad, urgent = good + counts[0], bad + counts[1], urgent or counts[2]
    return good, bad, urgent


def _count_words(text: str) -> tuple[int, int, bool]:
    known = ENGLISH.get
    words = [bits for word in _WORD.findall(text.lower()) if (bits := known(word))]
    if not text.isascii():
        words += [CHINESE[word] for word in _CHINESE.findall(text)]
    good = sum(bits & GOOD for bits in words)
    bad = sum(bits & BAD for bits in words) // BAD
    return good, bad, any(bits & URGENT for bits in words)


_count_cached = lru_cache(4_096)(_count_words)  # sentences are often repeated
_LONGEST_CACHED = 100


def valence(good: int, bad: int) -> float:
    """Compute valence from numbers of words: -0.5 (all bad) to 0.5 (all good), 0 for none."""
    return 0.5 * (good - bad) / (good + bad) if good + bad else 0.0


@lru_cache(16_384)  # queries are often repeated
def mark_of(text: str) -> int:
    """Return the bits of a text."""
    return mark(*count_words(text))


def mark(good: int, bad: int, urgent: bool) -> int:  # noqa: FBT001
    """Return the bits of a text with these numbers of words."""
    return GOOD * (good > bad) | BAD * (bad > good) | URGENT * urgent


class Feelings:
    """Sentiment and urgency of the texts of a `Texts`, each text read when first requested.

    By number of a text, `known` says whether it was read, `marks` are its bits GOOD, BAD and
    URGENT, and `valence` is in -63..63; `one_...` are memory views of these, faster for single
    values.
    """

    def __init__(self, texts: Texts) -> None:
        """Create an empty cache of `texts`."""
        self.changes = TextChanges(texts)
        self.known = np.zeros(0, np.bool_)
        self.marks = np.zeros(0, np.uint8)
        self.valence = np.zeros(0, np.int8)
        self._view()

    def _view(self) -> None:
        self.one_known = memoryview(self.known)
        self.one_mark = memoryview(self.marks)
        self.one_valence = memoryview(self.valence)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the views, which cannot be copied."""
        return {k: v for k, v in vars(self).items() if not isinstance(v, memoryview)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._view()

    def learn(self, numbers: NDArray[np.intp]) -> None:
        """Read those of the texts that were not read yet."""
        if self.changes.waiting:
            self._follow()
        known = self.known[numbers]
        if known.all():
            return
        for number in np.unique(numbers[~known]).tolist():
            good, bad, urgent = count_words(self.changes.texts[number])
            self.marks[number] = mark(good, bad, urgent)
            size = int(abs(valence(good, bad)) * 127 + 0.5)
            self.valence[number] = min(_MOST, size) * (1 if good > bad else -1)
            self.known[number] = True

    def _follow(self) -> None:
        fresh, gone = self.changes.take()
        more = len(self.changes.in_use) - len(self.known)
        if more > 0:
            self.known = np.append(self.known, np.zeros(more, np.bool_))
            self.marks = np.append(self.marks, np.zeros(more, np.uint8))
            self.valence = np.append(self.valence, np.zeros(more, np.int8))
            self._view()
        self.known[fresh] = self.known[gone] = False
