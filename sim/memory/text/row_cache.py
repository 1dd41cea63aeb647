"""Rows of a table that are assigned to queries, and reused when they are needed for others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class RowCache:
    """Rows of a table by query; the least recently used rows are freed first."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self._used = np.zeros(0, np.int64)
        self._calls = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, query: str) -> bool:
        return query in self._rows

    @property
    def nbytes(self) -> int:
        """Bytes of its array."""
        return self._used.nbytes

    def rows(self, queries: Sequence[str]) -> NDArray[np.intp]:
        """Return the row of each query, -1 for none, shape (queries,)."""
        known = self._rows.get
        return np.array([known(query, -1) for query in queries], np.intp)

    def use(self, queries: Sequence[str]) -> tuple[NDArray[np.intp], list[str]]:
        """Mark the rows of queries as used.

        Returns:
            Row of each query, -1 for none, shape (queries,), and the distinct queries without a
            row.
        """
        self._calls += 1
        rows = self.rows(queries)
        self._used[rows[rows >= 0]] = self._calls
        if (rows >= 0).all():
            return rows, []
        return rows, [query for query in dict.fromkeys(queries) if query not in self._rows]

    def free(self, count: int) -> list[int]:
        """Free up to `count` rows that the last `use` did not mark; return them."""
        freed: list[int] = []
        if count > 0:
            oldest = sorted(self._rows.items(), key=lambda item: self._used[item[1]])
            for query, row in oldest[:count]:
                if self._used[row] == self._calls:
                    break
                del self._rows[query]
                freed.append(row)
        self._free += freed
        return freed

    def grow(self, needed: int, most: int | None = None) -> int:
        """Add rows until `needed` are free, or half as many again; return how many.

        Args:
            needed: Free rows that are needed.
            most: Number of rows beyond which only needed rows are added.
        """
        more = needed - len(self._free)
        if more <= 0:
            return 0
        rows = len(self._used)
        more = max(more, rows // 2 if most is None else min(rows // 2, most - rows))
        self._free += range(rows, rows + more)
        self._used = np.append(self._used, np.zeros(more, np.int64))
        return more

    def assign(self, query: str) -> int:
        """Assign a free row to a query; return the row."""
        row = self._rows[query] = self._free.pop()
        self._used[row] = self._calls
        return row
