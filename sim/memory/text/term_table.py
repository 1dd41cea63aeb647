"""A cached table [query, text] of one term."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.following import Following, Numbers
from memopolis.sim.memory.text.pieces import check_queries
from memopolis.sim.memory.text.row_cache import RowCache

ROOM = 64 * 2**20
"""Most bytes of the rows of a table, unless one call needs more."""

_BATCH = 2**21

Float32 = NDArray[np.float32]
Table = tuple[Float32, NDArray[np.intp]]
"""Values, shape (rows, columns), and the row of each query, shape (queries,)."""

Fill = Callable[[list[str], Numbers], Float32]
"""Values of some queries and some text numbers, shape (queries, texts)."""


class TermTable:
    """Cached rows of a term; a requested row is renewed where texts have changed."""

    def __init__(
        self,
        following: Following,
        fill: Fill,
        *,
        blank: float = 0.0,
        global_term: bool = False,
        room: int = ROOM,
    ) -> None:
        """Create an empty table.

        Args:
            following: Reports changes of the texts; not shared with other tables.
            fill: Computes values of texts in use.
            blank: Value of an unused number.
            global_term: Whether a value depends on all texts, so that any change renews whole
                rows.
            room: Most bytes of the rows; the least recently used are dropped first.
        """
        self._following = following
        self._fill = fill
        self._blank = blank
        self._global_term = global_term
        self._room = room
        self._rows = RowCache()
        self._table = np.zeros((0, 0), np.float32)
        self._changed = np.zeros(0, np.int64)
        self._seen = np.zeros(0, np.int64)
        self._version = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self._table.nbytes + self._changed.nbytes + self._seen.nbytes + self._rows.nbytes

    def __len__(self) -> int:
        return len(self._rows)

    def table(self, queries: Sequence[str]) -> Table:
        """Return the values of queries and all texts.

        Args:
            queries: One or more; equal ones share a row.

        Returns:
            Values, float32, shape (rows, columns) with columns >= `texts.capacity`,
            C-contiguous, and the row of each query, intp, shape (queries,). The array belongs
            to the table: it is valid until the next call, rows of other queries may be out of
            date, and it must not be written to.

        Raises:
            ParameterError: If `queries` is a str, or a query is not a str.
        """
        check_queries(queries)
        self._follow()
        every = self._rows_of(list(queries))
        renewed = list(dict.fromkeys(queries))
        rows = self._rows.rows(renewed)
        seen = self._seen[rows]
        for late in np.unique(seen[seen < self._version]).tolist():
            some = np.flatnonzero(seen == late)
            self._renew([renewed[i] for i in some], rows[some], late)
        self._seen[rows] = self._version
        return self._table, every

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
        if self._global_term:
            self._changed[:] = self._version
        self._changed[fresh] = self._changed[gone] = self._version

    def _renew(self, queries: list[str], rows: Numbers, late: int) -> None:
        """Compute what has changed since version `late`, in batches of rows."""
        living = self._following.held
        if late < 0:
            self._table[rows] = self._blank
            columns = np.flatnonzero(living)
        else:
            changed = self._changed > late
            columns = np.flatnonzero(changed & living)
            self._table[np.ix_(rows, np.flatnonzero(changed & ~living))] = self._blank
        step = max(1, _BATCH // max(1, len(columns)))
        for begin in range(0, len(rows) if len(columns) else 0, step):
            some = slice(begin, begin + step)
            self._table[np.ix_(rows[some], columns)] = self._fill(queries[some], columns)

    def _rows_of(self, queries: list[str]) -> NDArray[np.intp]:
        """Return the row of each query; new queries replace the least recently used ones."""
        rows, new = self._rows.use(queries)
        if not new:
            return rows
        most = self._room // max(1, 4 * self._table.shape[1])
        self._rows.free(len(self._rows) + len(new) - most)
        more = self._rows.grow(len(new), most)
        if more:
            self._table = np.pad(self._table, ((0, more), (0, 0)), constant_values=self._blank)
            self._seen = np.append(self._seen, np.full(more, -1))
        for query in new:
            self._seen[self._rows.assign(query)] = -1
        return self._rows.rows(queries)
