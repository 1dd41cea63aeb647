"""A table [query, text] of one term, kept up row by row with the texts."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.following import Following, Numbers
from memopolis.sim.memory.text.pieces import check_queries

ROOM = 64 * 2**20
"""Bytes the rows of a table may take, unless one call asks for more."""

_AT_ONCE = 2**21

Float32 = NDArray[np.float32]
Table = tuple[Float32, NDArray[np.intp]]
"""Values, shape (rows, columns), and the row of each query, shape (queries,)."""

Fill = Callable[[list[str], Numbers], Float32]
"""Values of some queries and some text numbers, shape (queries, texts)."""


class TermTable:
    """Cached rows of a term; a row is renewed when it is asked for, where texts changed."""

    def __init__(
        self,
        following: Following,
        fill: Fill,
        *,
        blank: float = 0.0,
        entwined: bool = False,
        room: int = ROOM,
    ) -> None:
        """Make an empty table.

        Args:
            following: What follows the texts, of this table alone.
            fill: Computes values; only numbers in use are asked for.
            blank: Value of a number not in use.
            entwined: Whether a value also depends on the other texts, so that any change
                renews whole rows.
            room: Bytes that rows may take; beyond, the longest unused go first.
        """
        self._following = following
        self._fill = fill
        self._blank = blank
        self._entwined = entwined
        self._room = room
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._table = np.zeros((0, 0), np.float32)
        self._changed = np.zeros(0, np.int64)
        self._seen = np.zeros(0, np.int64)
        self._used = np.zeros(0, np.int64)
        self._calls = 0
        self._version = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self._table.nbytes + self._changed.nbytes + self._seen.nbytes + self._used.nbytes

    def __len__(self) -> int:
        """How many queries have a row."""
        return len(self._rows)

    def table(self, queries: Sequence[str]) -> Table:
        """Give the values of queries and all texts.

        Args:
            queries: One or more; equal ones share a row.

        Returns:
            Values, float32, shape (rows, columns) with columns >= `texts.capacity`,
            C-contiguous, and the row of each query, intp, shape (queries,). The array is the
            table's own: it holds until the next call, other queries' rows in it may be out of
            date, and it must not be written to.

        Raises:
            ParameterError: If `queries` is itself a str, or a query is not a str.
        """
        check_queries(queries)
        self._follow()
        given = self._rows_of(list(queries))
        renewed = list(dict.fromkeys(queries))
        rows = np.array([self._rows[query] for query in renewed], np.intp)
        seen = self._seen[rows]
        for late in np.unique(seen[seen < self._version]).tolist():
            some = np.flatnonzero(seen == late)
            self._renew([renewed[i] for i in some], rows[some], late)
        self._seen[rows] = self._version
        return self._table, given

    def _follow(self) -> None:
        if not self._following.behind:
            return
        fresh, gone = self._following.look()
        held = len(self._following.held)
        missing = held - len(self._changed)
        if missing > 0:
            self._changed = np.append(self._changed, np.zeros(missing, np.int64))
            widths = ((0, 0), (0, missing))
            self._table = np.pad(self._table, widths, constant_values=self._blank)
        self._version += 1
        if self._entwined:
            self._changed[:] = self._version
        self._changed[fresh] = self._changed[gone] = self._version

    def _renew(self, queries: list[str], rows: Numbers, late: int) -> None:
        """Compute what changed since version `late`, some rows at a time."""
        living = self._following.held
        if late < 0:
            self._table[rows] = self._blank
            columns = np.flatnonzero(living)
        else:
            changed = self._changed > late
            columns = np.flatnonzero(changed & living)
            self._table[np.ix_(rows, np.flatnonzero(changed & ~living))] = self._blank
        step = max(1, _AT_ONCE // max(1, len(columns)))
        for begin in range(0, len(rows) if len(columns) else 0, step):
            some = slice(begin, begin + step)
            self._table[np.ix_(rows[some], columns)] = self._fill(queries[some], columns)

    def _rows_of(self, queries: list[str]) -> NDArray[np.intp]:
        """Give the row of each query; new queries take the place of those longest unused."""
        self._calls += 1
        known = [self._rows[query] for query in queries if query in self._rows]
        self._used[known] = self._calls
        new = [query for query in dict.fromkeys(queries) if query not in self._rows]
        if new:
            self._make_room(len(new))
            for query in new:
                row = self._rows[query] = self._free.pop()
                self._seen[row] = -1
                self._used[row] = self._calls
        return np.array([self._rows[query] for query in queries], np.intp)

    def _make_room(self, new: int) -> None:
        """Drop rows unused for longest, but none of this call's, and add what is lacking."""
        most = self._room // max(1, 4 * self._table.shape[1])
        surplus = len(self._rows) + new - most
        if surplus > 0:
            by_use = sorted(self._rows.items(), key=lambda held: self._used[held[1]])
            for query, row in by_use[:surplus]:
                if self._used[row] == self._calls:
                    break
                del self._rows[query]
                self._free.append(row)
        rows = len(self._table)
        more = new - len(self._free)
        if more > 0:
            more = max(more, min(rows // 2, most - rows))
            self._free += range(rows, rows + more)
            self._table = np.pad(self._table, ((0, more), (0, 0)), constant_values=self._blank)
            self._seen = np.append(self._seen, np.full(more, -1))
            self._used = np.append(self._used, np.zeros(more, np.int64))
