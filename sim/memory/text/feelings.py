"""What texts say about how things are: good, bad, urgent, by their words.

A text with more good words than bad ones is positive, with more bad ones negative, at a tie
neither; one urgent word makes it urgent. Words: `lexicon`.
"""

import re
import weakref
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text import lexicon
from memopolis.sim.memory.text.following import Following
from memopolis.sim.memory.text.texts import Texts

GOOD, BAD, URGENT = 1, 2, 4
"""Bits of what a word says."""

MARKS = ("positive", "negative", "urgent")
"""Tags of these bits, in their order."""

_MOST = 63  # of 127: half the scale, the same for good and bad


def _marked(*lists: Sequence[str]) -> dict[str, int]:
    """What each word says, from lists of good, bad and urgent words."""
    said: dict[str, int] = {}
    for bit, words in zip((GOOD, BAD, URGENT), lists, strict=True):
        for word in words:
            said[word] = said.get(word, 0) | bit
    return said


ENGLISH = _marked(lexicon.POSITIVE, lexicon.NEGATIVE, lexicon.URGENT)
"""What each English word says, as bits."""

CHINESE = _marked(lexicon.POSITIVE_CHINESE, lexicon.NEGATIVE_CHINESE, lexicon.URGENT_CHINESE)
"""What each Chinese word says, as bits."""

_WORD = re.compile(r"[a-z]+")
_CHINESE = re.compile("|".join(sorted(CHINESE, key=lambda word: (-len(word), word))))


def marks(text: str) -> tuple[int, int, bool]:
    """Count the good and the bad words of a text, and tell whether one is urgent.

    A text is read whole, however long.
    """
    known = ENGLISH.get
    said = [bits for word in _WORD.findall(text.lower()) if (bits := known(word))]
    if not text.isascii():
        said += [CHINESE[word] for word in _CHINESE.findall(text)]
    good = sum(bits & GOOD for bits in said)
    bad = sum(bits & BAD for bits in said) // BAD
    return good, bad, any(bits & URGENT for bits in said)


def valence(good: int, bad: int) -> float:
    """Weigh good words against bad ones: -0.5 (all bad) to 0.5 (all good), 0 for none."""
    return 0.5 * (good - bad) / (good + bad) if good + bad else 0.0


def strength(valence: float, *, urgent: bool) -> float:
    """How much a memory moves: min(1, |valence| + 0.3 if urgent)."""
    return min(1.0, abs(valence) + 0.3 * urgent)


def published_weight(*, positive: bool, negative: bool, urgent: bool) -> float:
    """Emotional weight as published: +0.5 positive, -0.3 negative, +0.3 urgent, added.

    An urgent bad memory comes out at 0: use `strength` where its size is meant.

    Source:
        memtool's ContextExtractor.
    """
    return (0.5 * positive + 0.3 * urgent) - 0.3 * negative


def mark(good: int, bad: int, urgent: bool) -> int:  # noqa: FBT001
    """Bits of what a text says as a whole."""
    return GOOD * (good > bad) | BAD * (bad > good) | URGENT * urgent


class Feelings:
    """What the texts of a `Texts` say, read when first asked for.

    Attributes:
        following: What follows the texts.
        known: Whether a number's text was read, bool, shape (columns,).
        marks: What it says, bits of GOOD, BAD and URGENT, uint8, shape (columns,).
        valence: -63..63, int8, shape (columns,).
        one_known: `known` for reading one at a time, which arrays are slow at.
        one_mark: `marks`, likewise.
        one_valence: `valence`, likewise.
    """

    def __init__(self, texts: Texts) -> None:
        """Follow `texts`."""
        self.following = Following(texts)
        self.known = np.zeros(0, np.bool_)
        self.marks = np.zeros(0, np.uint8)
        self.valence = np.zeros(0, np.int8)
        self._view()

    def _view(self) -> None:
        self.one_known = memoryview(self.known)
        self.one_mark = memoryview(self.marks)
        self.one_valence = memoryview(self.valence)

    def learn(self, numbers: NDArray[np.intp]) -> None:
        """Read those of the texts that were not read yet."""
        if self.following.behind:
            self._follow()
        known = self.known[numbers]
        if known.all():
            return
        for number in np.unique(numbers[~known]).tolist():
            good, bad, urgent = marks(self.following.texts[number])
            self.marks[number] = mark(good, bad, urgent)
            size = int(abs(valence(good, bad)) * 127 + 0.5)
            self.valence[number] = min(_MOST, size) * (1 if good > bad else -1)
            self.known[number] = True

    def _follow(self) -> None:
        fresh, gone = self.following.look()
        more = len(self.following.held) - len(self.known)
        if more > 0:
            self.known = np.append(self.known, np.zeros(more, np.bool_))
            self.marks = np.append(self.marks, np.zeros(more, np.uint8))
            self.valence = np.append(self.valence, np.zeros(more, np.int8))
            self._view()
        self.known[fresh] = self.known[gone] = False


# Feelings keep their texts alive, so while they live no other texts can have their id.
_feelings: "weakref.WeakValueDictionary[int, Feelings]" = weakref.WeakValueDictionary()


def feelings_of(texts: Texts) -> Feelings:
    """What some texts say, shared by all who ask."""
    feelings = _feelings.get(id(texts))
    if feelings is None:
        feelings = _feelings[id(texts)] = Feelings(texts)
    return feelings
