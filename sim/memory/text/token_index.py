"""Tokens of all texts in flat arrays, kept up to date with a `Texts`."""

from abc import ABC, abstractmethod
from itertools import chain
from typing import ClassVar

import numpy as np

from memopolis.sim.arrays import Array, Int64, UInt16
from memopolis.sim.memory.text.pieces import NUMBERS, WordPieces, word_pieces
from memopolis.sim.memory.text.texts import Numbers, TextChanges, Texts, lengthen

# Pieces up to this number are single characters and unused ones; words by frequency follow.
FIRST_WORD = 1_995
# Bits of a text that counts as full of information: some ten words of middling frequency.
MUCH = 120
_QUESTION = "?", "\uff1f"
_CLOSING = " \n\t\"')]\u201d\u2019\u300d"


class TokenIndex(ABC):
    """The distinct tokens of every text in use, and the number of texts with each token.

    The result depends on the texts in use only, not on the order in which they were added.

    Attributes:
        flat: Tokens of the texts, shape (room,).
        start: Index of a text's first token, int64, shape (columns,).
        length: Number of its tokens, 0 for an unused number, int32, shape (columns,).
        df: Number of texts with each token, int64, shape (tokens,).
        living: Number of texts in use.
    """

    flat: Array
    df: Int64

    _flats: ClassVar[tuple[str, ...]] = ("flat",)  # arrays with one value per stored token

    _columns: ClassVar[tuple[str, ...]] = ("start", "length")  # arrays with one value per text

    def __init__(self, texts: Texts) -> None:
        """Create an empty index of `texts`."""
        self._changes = TextChanges(texts)
        self._empty()

    def _empty(self) -> None:
        self.start = np.zeros(0, np.int64)
        self.length = np.zeros(0, np.int32)
        self.living = 0
        self._end = 0

    @abstractmethod
    def _tokenise(self, numbers: Numbers) -> tuple[Array, ...]:
        """Return the values of `_flats` for some texts, and set their `length`."""

    def follow(self) -> None:
        """Read texts added or removed since the last call."""
        if not self._changes.waiting:
            return
        first, texts = self._changes.take(), len(self._changes.texts)
        for name in self._columns:
            setattr(self, name, lengthen(getattr(self, name), texts))
        if first < self.living:  # the newest texts, whose tokens are the last ones
            end = int(self.start[first])
            np.subtract.at(self.df, self.flat[end : self._end], 1)
            self._end = end
            for name in self._columns:
                getattr(self, name)[first:] = 0
        if first < texts:
            self._add(np.arange(first, texts))
        self.living = texts

    def _add(self, numbers: Numbers) -> None:
        columns = self._tokenise(numbers)
        lengths = self.length[numbers].astype(np.int64)
        self.start[numbers] = self._end + np.cumsum(lengths) - lengths
        end = self._end + len(columns[0])
        for name, values in zip(self._flats, columns, strict=True):
            flat = lengthen(getattr(self, name), end)
            flat[self._end : end] = values
            setattr(self, name, flat)
        self._end = end
        np.add.at(self.df, columns[0], 1)


class TextPieces(TokenIndex):
    """Word pieces of all texts, split by `words`; see `TokenIndex`.

    Columns by text: `statement`, 1 for no question, and `information`, self-information as a share
    of `MUCH`, 0..1; float32.
    """

    _columns: ClassVar[tuple[str, ...]] = ("start", "length", "statement", "information")

    def __init__(self, texts: Texts, pieces: WordPieces | None = None) -> None:
        """Create an empty index of `texts`; None for the shipped word pieces."""
        super().__init__(texts)
        self.words = pieces or word_pieces()
        self.flat = np.zeros(0, np.uint16)
        self.df = np.zeros(NUMBERS, np.int64)
        self.statement = np.zeros(0, np.float32)
        self.information = np.zeros(0, np.float32)

    def _tokenise(self, numbers: Numbers) -> tuple[Array, ...]:
        texts = [self._changes.texts[number] for number in numbers.tolist()]
        pieces = [self.words.distinct(text) for text in texts]
        lengths = self.length[numbers] = np.fromiter(map(len, pieces), np.int32, len(pieces))
        self.statement[numbers] = [not is_question(text) for text in texts]
        flat = np.fromiter(chain.from_iterable(pieces), np.uint16, lengths.sum())
        sums = np.concatenate(([0], np.cumsum(piece_information(flat))))
        ends = np.cumsum(lengths)
        bits = (sums[ends] - sums[ends - lengths]).astype(np.float32)
        self.information[numbers] = np.minimum(bits / np.float32(MUCH), np.float32(1))
        return (flat,)


def is_question(text: str) -> bool:
    """Return whether a text ends with a question mark, quotation marks and brackets aside."""
    return text.rstrip(_CLOSING).endswith(_QUESTION)


def piece_information(pieces: UInt16) -> Int64:
    """Compute the self-information of word pieces in bits, 1..16, shape (pieces,).

    Pieces are ordered by frequency, so by Zipf's law the piece of rank r has about log2(r) bits
    more than the first one (this project). A pair of Chinese or Japanese characters counts as a
    rare word.
    """
    rank = np.maximum(pieces.astype(np.int64) - FIRST_WORD, 1)
    # frexp returns floor(log2(rank)) + 1.
    return np.asarray(np.frexp(rank)[1], np.int64)
