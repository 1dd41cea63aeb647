"""Tokens of all texts in flat arrays, kept up to date with a `Texts`."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.texts import Numbers, TextChanges, Texts


class TokenIndex(ABC):
    """The distinct tokens of every text in use, and the number of texts with each token.

    `follow` reads new texts in one batch. The result depends on the texts in use only, not on the
    order or the batches in which they were added.

    Attributes:
        flat: Tokens of the texts, shape (room,).
        start: Index of a text's first token, int64, shape (columns,).
        length: Number of its tokens, 0 for an unused number, int32, shape (columns,).
        df: Number of texts with each token, int64, shape (tokens,).
        living: Number of texts in use.
    """

    flat: NDArray[Any]
    df: NDArray[np.int64]

    _flats: ClassVar[tuple[str, ...]] = ("flat",)
    """Arrays with one value per stored token."""

    _columns: ClassVar[tuple[str, ...]] = ("start", "length")
    """Arrays with one value per text."""

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
    def _tokenise(self, numbers: Numbers) -> tuple[NDArray[Any], ...]:
        """Return the values of `_flats` for some texts, and set their `length`."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = [getattr(self, name) for name in (*self._flats, *self._columns)]
        return sum(array.nbytes for array in (*arrays, self.df, self._changes.in_use))

    def follow(self) -> Numbers:
        """Read texts added or removed since the last call.

        Returns:
            Numbers whose tokens changed, ascending, intp, shape (changed,).
        """
        if not self._changes.waiting:
            return np.zeros(0, np.intp)
        fresh, gone = self._changes.take()
        self._grow(len(self._changes.in_use))
        self._drop(gone)
        self._add(fresh)
        self.living = len(self._changes.texts)
        return np.union1d(fresh, gone)

    def _grow(self, columns: int) -> None:
        more = columns - len(self.start)
        if more > 0:
            for name in self._columns:
                values = getattr(self, name)
                setattr(self, name, np.append(values, np.zeros(more, values.dtype)))

    def _drop(self, numbers: Numbers) -> None:
        """Remove the newest texts, whose tokens are the last ones."""
        if not len(numbers):
            return
        from memopolis.sim.memory.text import lexical_kernels

        lexical_kernels.count(numbers, self.start, self.length, self.flat, self.df, -1)
        self._end = int(self.start[numbers[0]])
        for name in self._columns:
            getattr(self, name)[numbers] = 0

    def _add(self, numbers: Numbers) -> None:
        if not len(numbers):
            return
        from memopolis.sim.memory.text import lexical_kernels

        columns = self._tokenise(numbers)
        lengths = self.length[numbers].astype(np.int64)
        self.start[numbers] = self._end + np.cumsum(lengths) - lengths
        end = self._end + len(columns[0])
        for name, values in zip(self._flats, columns, strict=True):
            flat = getattr(self, name)
            if end > len(flat):
                room = max(end, len(flat) * 3 // 2, 1_024) - len(flat)
                flat = np.append(flat, np.zeros(room, flat.dtype))
                setattr(self, name, flat)
            flat[self._end : end] = values
        self._end = end
        lexical_kernels.count(numbers, self.start, self.length, self.flat, self.df, 1)
