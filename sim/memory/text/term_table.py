"""A cached table [query, text] of one term."""

from collections.abc import Callable, Hashable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from memopolis.sim.memory.text.texts import Numbers, TextChanges, Texts

ROOM = 64 * 2**20
"""Most bytes of the rows of a table, unless one call needs more."""

_BATCH = 2**21

Float32 = NDArray[np.float32]
Table = tuple[NDArray[Any], NDArray[np.intp]]
"""Values, shape (rows, columns), and the row of each query, shape (queries,)."""

Fill = Callable[[list[str], Numbers], NDArray[Any]]
"""Values of some queries and some text numbers, shape (queries, texts)."""

Basis = Callable[[list[str]], Sequence[Hashable]]
"""Whatever else the values of each query depend on, such as weights of its words."""


class TermTable:
    """Cached rows of a term; a requested row is renewed where texts have changed."""

    def __init__(
        self,
        texts: Texts,
        fill: Fill,
        *,
        dtype: DTypeLike = np.float32,
        blank: float = 0,
        basis: Basis | None = None,
        room: int = ROOM,
    ) -> None:
        """Create an empty table.

        Args:
            texts: The texts.
            fill: Computes values of texts in use.
            dtype: Type of the values.
            blank: Value of an unused number.
            basis: A row is renewed as a whole if its basis has changed; None for no basis.
            room: Most bytes of the rows; the least recently used are dropped first.
        """
        self._changes = TextChanges(texts)
        self._fill = fill
        self._blank = blank
        self._basis = basis
        self._room = room
        self._rows: dict[str, int] = {}  # the least recently used first
        self._free: list[int] = []
        self._table = np.zeros((0, 0), dtype)
        self._changed = np.zeros(0, np.int64)
        self._seen = np.zeros(0, np.int64)
        self._bases: list[Hashable] = []
        self._version = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self._table.nbytes + self._changed.nbytes + self._seen.nbytes

    def __len__(self) -> int:
        return len(self._rows)

    def table(self, queries: Sequence[str], numbers: Numbers | None = None) -> Table:
        """Return the values of queries, of which equal ones share a row, and texts.

        `numbers` are the texts that are needed, whose values are not cached; None for all texts.

        Returns:
            Values, shape (rows, columns) with columns >= `texts.capacity`, C-contiguous, and the
            row of each query, intp, shape (queries,). The array belongs to the table: it is valid
            until the next call, rows of other queries may be out of date, and it must not be
            written to.
        """
        distinct = list(dict.fromkeys(queries))
        if numbers is not None:
            row_of = {query: row for row, query in enumerate(distinct)}
            capacity = self._changes.texts.capacity
            table = np.full((len(distinct), capacity), self._blank, self._table.dtype)
            table[:, numbers] = self._fill(distinct, numbers)
            return table, np.array([row_of[query] for query in queries], np.intp)
        self._follow()
        bases = self._bases_of(distinct)
        rows = self._rows_of(distinct)
        for row, basis in zip(rows.tolist(), bases, strict=True):
            if self._bases[row] != basis:
                self._bases[row] = basis
                self._seen[row] = -1
        seen = self._seen[rows]
        for late in np.unique(seen[seen < self._version]).tolist():
            some = np.flatnonzero(seen == late)
            self._renew([distinct[i] for i in some], rows[some], late)
        self._seen[rows] = self._version
        return self._table, np.array([self._rows[query] for query in queries], np.intp)

    def known(self, query: str) -> tuple[NDArray[Any], int] | None:
        """Return the table and the row of a query, None if the row is missing or out of date."""
        row = self._rows.get(query)
        if row is None or self._seen[row] != self._version or self._changes.waiting:
            return None
        self._rows[query] = self._rows.pop(query)
        return self._table, row

    def count_missing(self, queries: list[str]) -> int:
        """Return how many of some distinct queries have no row with their present basis."""
        pairs = zip(queries, self._bases_of(queries), strict=True)
        return sum(q not in self._rows or self._bases[self._rows[q]] != basis for q, basis in pairs)

    def _bases_of(self, queries: list[str]) -> Sequence[Hashable]:
        return [None] * len(queries) if self._basis is None else self._basis(queries)

    def _follow(self) -> None:
        if not self._changes.waiting:
            return
        new, removed = self._changes.take()
        missing = len(self._changes.in_use) - len(self._changed)
        if missing > 0:
            self._changed = np.append(self._changed, np.zeros(missing, np.int64))
            widths = ((0, 0), (0, missing))
            self._table = np.pad(self._table, widths, constant_values=self._blank)
        self._version += 1
        self._changed[new] = self._changed[removed] = self._version

    def _renew(self, queries: list[str], rows: Numbers, late: int) -> None:
        """Compute what has changed since version `late`, in batches of rows."""
        in_use = self._changes.in_use
        if late < 0:
            self._table[rows] = self._blank
            columns = np.flatnonzero(in_use)
        else:
            changed = self._changed > late
            columns = np.flatnonzero(changed & in_use)
            self._table[np.ix_(rows, np.flatnonzero(changed & ~in_use))] = self._blank
        step = max(1, _BATCH // max(1, len(columns)))
        for begin in range(0, len(rows) if len(columns) else 0, step):
            some = slice(begin, begin + step)
            values = self._fill(queries[some], columns)
            if len(columns) == self._table.shape[1]:
                self._table[rows[some]] = values  # much faster than by columns
            else:
                self._table[np.ix_(rows[some], columns)] = values

    def _rows_of(self, queries: list[str]) -> Numbers:
        """Return the rows of distinct queries; new ones replace the least recently used ones."""
        new = [query for query in queries if query not in self._rows]
        for query in queries:
            if query in self._rows:
                self._rows[query] = self._rows.pop(query)
        if new:
            others = len(self._rows) + len(new) - len(queries)
            most = self._room // max(1, self._table.itemsize * self._table.shape[1])
            surplus = min(len(self._rows) + len(new) - most, others)
            for query in list(islice(self._rows, max(0, surplus))):
                self._free.append(self._rows.pop(query))
            self._grow(len(new), most)
            for query in new:
                row = self._rows[query] = self._free.pop()
                self._seen[row] = -1
        return np.array([self._rows[query] for query in queries], np.intp)

    def _grow(self, needed: int, most: int) -> None:
        """Add rows until `needed` are free; half as many again, up to `most` rows."""
        rows = len(self._table)
        more = needed - len(self._free)
        if more > 0:
            more = max(more, min(rows // 2, most - rows))
            self._free += range(rows, rows + more)
            self._table = np.pad(self._table, ((0, more), (0, 0)), constant_values=self._blank)
            self._seen = np.append(self._seen, np.full(more, -1))
            self._bases += [None] * more
