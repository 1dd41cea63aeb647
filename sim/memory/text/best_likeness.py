"""M[piece, text]: the likeness of each text to each word piece of the cached queries."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.pieces import Likeness
from memopolis.sim.memory.text.text_pieces import TextPieces

Near = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8], NDArray[np.bool_]]


class BestLikeness:
    """Rows of best likeness of the word pieces of cached queries.

    Attributes:
        rows: Greatest likeness of the row's piece to any piece of the text, 0 for an unused
            number, uint8, shape (rows, columns).
    """

    def __init__(self, texts: TextPieces, lists: Likeness) -> None:
        """Create an empty table from the pieces of the texts and the likeness lists."""
        self.rows = np.zeros((0, 0), np.uint8)
        self._texts = texts
        self._lists = lists
        self._row_of: dict[int, int] = {}
        self._users: dict[int, int] = {}
        self._free: list[int] = []
        self._near: Near | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        near = sum(array.nbytes for array in self._near) if self._near else 0
        return self.rows.nbytes + near

    def hold(self, queries: Sequence[NDArray[np.uint16]]) -> list[list[int]]:
        """Return the rows of the queries' pieces, computing those of new pieces.

        Args:
            queries: The distinct pieces of each query.

        Returns:
            The rows of each query's pieces.
        """
        self._fit_columns()
        new: list[int] = []
        for pieces in queries:
            for piece in pieces.tolist():
                users = self._users.get(piece, 0)
                self._users[piece] = users + 1
                if not users:
                    new.append(piece)
        self._compute(new)
        return [[self._row_of[piece] for piece in pieces.tolist()] for pieces in queries]

    def release(self, pieces: NDArray[np.uint16]) -> None:
        """Release the rows of a dropped query's pieces."""
        for piece in pieces.tolist():
            self._users[piece] -= 1
            if not self._users[piece]:
                del self._users[piece]
                self._free.append(self._row_of.pop(piece))
                self._near = None

    def renew(self, columns: NDArray[np.intp]) -> None:
        """Compute the columns of changed texts."""
        self._fit_columns()
        if not self._row_of:
            return
        if self._near is None or len(self._near[3]) != self._texts.width:
            self._near = self._reverse(list(self._row_of.values()), list(self._row_of))
        self.rows[:, columns] = 0
        self._spread(columns, self._near)

    def _compute(self, pieces: list[int]) -> None:
        if not pieces:
            return
        more = len(pieces) - len(self._free)
        if more > 0:
            more = max(more, len(self.rows) // 2)
            self._free += range(len(self.rows), len(self.rows) + more)
            self.rows = np.pad(self.rows, ((0, more), (0, 0)))
        rows = [self._free.pop() for _ in pieces]
        self._row_of.update(zip(pieces, rows, strict=True))
        self._near = None
        self.rows[rows] = 0
        self._spread(np.flatnonzero(self._texts.length), self._reverse(rows, pieces))

    def _spread(self, columns: NDArray[np.intp], near: Near) -> None:
        from memopolis.sim.memory.text import lexical_kernels

        texts = self._texts
        lexical_kernels.spread(columns, texts.start, texts.length, texts.flat, *near, self.rows)

    def _reverse(self, rows: list[int], pieces: list[int]) -> Near:
        from memopolis.sim.memory.text import lexical_kernels

        lists, width = self._lists, self._texts.width
        # A piece beyond the width is in no text, and similar to itself only.
        numbers = np.array(pieces, np.int64)
        within = numbers < width
        near: Near = lexical_kernels.reverse(
            np.array(rows, np.int32)[within], numbers[within], lists.start, lists.piece,
            lists.likeness, width,
        )  # fmt: skip
        return near

    def _fit_columns(self) -> None:
        missing = len(self._texts.start) - self.rows.shape[1]
        if missing > 0:
            self.rows = np.pad(self.rows, ((0, 0), (0, missing)))
