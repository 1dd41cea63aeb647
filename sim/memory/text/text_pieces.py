"""The pieces of every living text, and how many texts hold each piece."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.following import Following
from memopolis.sim.memory.text.pieces import NUMBERS, WordPieces, word_pieces
from memopolis.sim.memory.text.texts import Texts


class TextPieces:
    """Pieces of all texts in one flat array, kept up with a `Texts`.

    Nothing is cut before it is asked for: `follow` takes in, in one batch, what was interned
    and swept since the last call. What it holds afterwards follows from the living texts
    alone, whatever the order and the batches they came in.

    Attributes:
        flat: Pieces of the texts, uint16, shape (room,), with gaps where texts were swept.
        start: Where a text's pieces begin, int64, shape (columns,).
        length: How many it has, 0 for a number not in use, int32, shape (columns,).
        df: Living texts that hold each piece, int64, shape (NUMBERS,).
        width: Number above every piece that a text has held so far. It is that of the
            vocabulary, as long as no text has pairs of Chinese or Japanese characters.
        living: Number of living texts.
    """

    def __init__(self, texts: Texts, pieces: WordPieces | None = None) -> None:
        """Follow `texts`, cut into the shipped pieces unless others are given."""
        self.words = pieces or word_pieces()
        self.flat = np.zeros(0, np.uint16)
        self.start = np.zeros(0, np.int64)
        self.length = np.zeros(0, np.int32)
        self.df = np.zeros(NUMBERS, np.int64)
        self.width = len(self.words.vocabulary)
        self.living = 0
        self._following = Following(texts)
        self._end = 0
        self._gaps = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.flat, self.start, self.length, self.df, self._following.held)
        return sum(array.nbytes for array in arrays)

    def follow(self) -> NDArray[np.intp]:
        """Take in what was interned and swept since the last call.

        Returns:
            Numbers whose pieces changed, ascending, intp, shape (changed,).
        """
        if not self._following.behind:
            return np.zeros(0, np.intp)
        fresh, gone = self._following.look()
        self._grow(len(self._following.held))
        self._drop(gone)
        self._take(fresh)
        self.living = len(self._following.texts)
        return np.union1d(fresh, gone)

    def _grow(self, columns: int) -> None:
        more = columns - len(self.start)
        if more > 0:
            self.start = np.append(self.start, np.zeros(more, np.int64))
            self.length = np.append(self.length, np.zeros(more, np.int32))

    def _drop(self, numbers: NDArray[np.intp]) -> None:
        if not len(numbers):
            return
        from memopolis.sim.memory.text import lexical_kernels

        lexical_kernels.count(numbers, self.start, self.length, self.flat, self.df, -1)
        self._gaps += int(self.length[numbers].sum())
        self.length[numbers] = 0
        if self._gaps > 4_096 and 2 * self._gaps > self._end:
            self._close_gaps()

    def _close_gaps(self) -> None:
        from memopolis.sim.memory.text import lexical_kernels

        held = np.flatnonzero(self.length)
        packed = np.zeros(self._end - self._gaps, np.uint16)
        self._end = int(lexical_kernels.move(held, self.start, self.length, self.flat, packed))
        self.flat, self._gaps = packed, 0

    def _take(self, numbers: NDArray[np.intp]) -> None:
        if not len(numbers):
            return
        from memopolis.sim.memory.text import lexical_kernels

        cut = [self.words.distinct(self._following.texts[number]) for number in numbers.tolist()]
        lengths = np.fromiter(map(len, cut), np.int32, len(cut))
        pieces = np.fromiter((p for text in cut for p in text), np.uint16, int(lengths.sum()))
        end = self._end + len(pieces)
        if end > len(self.flat):
            room = max(end, len(self.flat) * 3 // 2, 1_024)
            self.flat = np.append(self.flat, np.zeros(room - len(self.flat), np.uint16))
        self.flat[self._end : end] = pieces
        if self.width < NUMBERS and pieces.max(initial=0) >= self.width:
            self.width = NUMBERS
        self.start[numbers] = self._end + np.cumsum(lengths, dtype=np.int64) - lengths
        self.length[numbers] = lengths
        self._end = end
        lexical_kernels.count(numbers, self.start, self.length, self.flat, self.df, 1)
