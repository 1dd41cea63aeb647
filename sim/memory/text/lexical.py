"""Soft lexical relevance: the share of a query that a text contains, in whole numbers.

    pieces(text)  distinct word pieces without stop words and punctuation
    w_p           max(1, floor(log2(N / df_p)))       N texts in use, df_p of them contain p
    M[p, t]       max over v in pieces(t) of L[p, v]  0..255, from the likeness lists
    R[q, t]       256 * sum_p w_p M[p, t] // sum_p w_p              0..65280, p in pieces(q)

A text with every piece of the query has R = 65280; R is 0 for a query or text without a known
piece. Source: this project; the likeness lists are made by `benchmarks/make_assets.py`.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import islice, pairwise

import numpy as np
from numpy.typing import DTypeLike, NDArray

from memopolis.sim.arrays import Array, Int32, Int64, UInt16
from memopolis.sim.memory.text.pieces import NUMBERS, Likeness, likeness
from memopolis.sim.memory.text.relevance import BLOCK, Pairs, Relevance
from memopolis.sim.memory.text.texts import Numbers, TextChanges, Texts
from memopolis.sim.memory.text.token_index import TextPieces
from memopolis.sim.threads import CACHES

ROOM = 64 * 2**20  # most bytes of the rows of a table, unless one call needs more
_BATCH = 2**21
_ROWS = 8  # least number of rows that are added to a table

# Values, shape (rows, columns), and the row of each query, shape (queries,).
Table = tuple[Array, NDArray[np.intp]]

# Fills the values of some queries and some text numbers, shape (queries, texts).
Fill = Callable[[list[str], Numbers, Array], None]

# Whatever else the values of each query depend on, such as weights of its words.
Basis = Callable[[list[str]], Sequence[Hashable]]

_PARSED = 65_536
_KEPT = 32  # sets of queries, or queries of a set, up to which several sets are kept
_RECENT = 16  # number of rows used last that are renewed together
_PREPARED = 150  # cost of preparing a query, as a number of computed values


class LexicalIndex:
    """Relevance of queries to the texts in use of a `Texts`.

    New texts are split into pieces when a query needs them, and a cached row is renewed only where
    a text has changed, or as a whole if a weight of the query has.
    """

    def __init__(self, texts: Texts, *, room: int = ROOM, lists: Likeness | None = None) -> None:
        """Create an index, empty until the first query.

        At most `room` bytes of rows are cached, the least recently used are dropped first; `lists`
        are the similarities of word pieces, the shipped ones if None.
        """
        self._lists = lists or likeness()
        self._source, self._texts = texts, TextPieces(texts)
        self._version = (0, 0)
        self._room = room
        self._table = TermTable(
            texts, self._fill, dtype=np.uint16, basis=self._weights_of, room=room
        )
        self._parsed: dict[str, UInt16] = {}
        self._weights: dict[str, bytes] = {}
        self._words = np.zeros(NUMBERS, np.uint64)  # scratch of `_fill`
        self._prepared: dict[tuple[tuple[str, ...], tuple[bytes, ...]], Pairs] = {}

    def texts(self) -> TextPieces:
        """Return the pieces of all texts in use."""
        self._follow()
        return self._texts

    def relevance(self, queries: Sequence[str], count: Callable[[], int], agents: int) -> Relevance:
        """Return the relevance of queries in the cheaper form, for memories of some agents.

        `count` returns the number of memories; a query is prepared again for each agent.
        """
        self._follow()
        distinct, columns = list(dict.fromkeys(queries)), len(self._texts.start)
        is_large = 2 * columns * len(distinct) > self._room
        known = [one for query in queries if not is_large and (one := self._table.known(query))]
        if known and len(known) == len(queries):
            return Relevance(np.array([row for _, row in known], np.intp), table=known[0][0])
        missing = self._table.count_missing(distinct)
        cost = missing * (self._texts.living + _PREPARED)
        if is_large or count() + agents * _PREPARED < cost:
            form, rows = self.pairs(queries)
            return Relevance(rows, pairs=form)
        table, rows = self.table(queries)
        return Relevance(rows, table=table)

    def table(self, queries: Sequence[str]) -> Table:
        """Return R for all texts, uint16; see `TermTable.table`."""
        self._follow()
        # To renew several rows takes little longer than to renew one, as far as there is room.
        most = self._room // max(1, 2 * len(self._texts.start)) - len(queries)
        others = sorted(self._table.find_outdated(max(0, min(most, _RECENT))))
        table, rows = self._table.table([*others, *queries])
        return table, rows[len(others) :]

    def pairs(self, queries: Sequence[str]) -> tuple[Pairs, NDArray[np.intp]]:
        """Return the arrays of `relevances_of_texts`, valid until the next call, and rows."""
        row_of = {query: row for row, query in enumerate(dict.fromkeys(queries))}
        self._follow()
        key = tuple(row_of), tuple(self._weights_of(list(row_of)))
        made = self._prepared.get(key)
        if made is None:
            # The same queries are often repeated in the next step.
            if max(len(row_of), len(self._prepared)) >= _KEPT:
                self._prepared.clear()
            made = self._prepared[key] = self._prepare(list(row_of))
        texts = self._texts
        made = made._replace(flat=texts.flat, start=texts.start, length=texts.length)
        return made, np.array([row_of[query] for query in queries], np.intp)

    def _prepare(self, queries: list[str]) -> Pairs:
        """Build the arrays of some queries."""
        from memopolis.sim.memory.text import lexical_kernels as kernels

        pieces, first = self._pieces_of(queries)
        weights = self._weigh(pieces)
        texts, lists, rows = self._texts, self._lists, len(queries)
        entries = np.concatenate(([0], np.cumsum(lists.start[pieces + 1] - lists.start[pieces])))
        entry = entries[first]
        widths = np.diff(first)
        words = np.cumsum(np.diff(entry) * -(-widths // BLOCK))
        pairs = Pairs(
            flat=texts.flat, start=texts.start, length=texts.length, weight=weights, first=first,
            total=np.zeros(rows, np.int64), piece=np.zeros(entry[-1], np.uint16), entry=entry[:-1],
            lines=np.zeros(rows, np.int64), likeness=np.zeros(words[-1], np.uint64),
            origin=np.concatenate(([0], words[:-1])), widest=max(1, int(widths.max(initial=0))),
        )  # fmt: skip
        kernels.fill(pairs, pieces, lists.start, lists.piece, lists.likeness)
        return pairs

    def _fill(self, queries: list[str], columns: Numbers, out: Array) -> None:
        from memopolis.sim.memory.text import lexical_kernels as kernels

        pairs, _ = self.pairs(queries)
        with CACHES:
            kernels.relevances_of_queries(pairs, columns.astype(np.int32), self._words, out)

    def _pieces_of(self, queries: list[str]) -> tuple[UInt16, Int64]:
        """Return the pieces of queries, and where those of each begin, shape (queries + 1,)."""
        if len(self._parsed) >= _PARSED:
            self._parsed.clear()
        for query in queries:
            if query not in self._parsed:
                self._parsed[query] = np.array(self._texts.words.distinct(query), np.uint16)
        parts = [self._parsed[query] for query in queries]
        first = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return np.concatenate([np.zeros(0, np.uint16), *parts]), first

    def _weigh(self, pieces: UInt16) -> Int32:
        """Compute the weights w of pieces, int32, shape (pieces,)."""
        ratio = self._texts.living // np.maximum(1, self._texts.df[pieces])
        # frexp returns floor(log2(ratio)) + 1.
        weights: Int32 = np.maximum(1, np.frexp(ratio)[1] - 1).astype(np.int32)
        return weights

    def _weights_of(self, queries: list[str]) -> list[bytes]:
        """Return the weights of each query, computed once for the present texts."""
        new = [query for query in queries if query not in self._weights]
        if new:
            pieces, first = self._pieces_of(new)
            weights = self._weigh(pieces).astype(np.uint8).tobytes()
            for query, (begin, end) in zip(new, pairwise(first.tolist()), strict=True):
                self._weights[query] = weights[begin:end]
        return [self._weights[query] for query in queries]

    def _follow(self) -> None:
        """Read new texts; they change the weights of all pieces."""
        if self._version == self._source.version and len(self._weights) < _PARSED:
            return
        self._version = self._source.version
        self._texts.follow()
        self._weights.clear()


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
        """Create an empty table of values that `fill` computes; unused numbers have `blank`.

        A row is renewed as a whole if its `basis` has changed. Rows take at most `room` bytes; the
        least recently used are dropped first.
        """
        self._changes = TextChanges(texts)
        self._fill = fill
        self._blank = blank
        self._basis = basis
        self._room = room
        self._rows: dict[str, int] = {}  # the least recently used first
        self._free: list[int] = []
        self._table = np.zeros((0, 0), dtype)
        self._done = np.zeros(0, np.int64)  # number of texts up to which each row is up to date
        self._bases: list[Hashable] = []
        self._count = 0  # number of texts when changes were last read

    def __len__(self) -> int:
        return len(self._rows)

    def table(self, queries: Sequence[str], numbers: Numbers | None = None) -> Table:
        """Return the values of queries, of which equal ones share a row, and texts.

        `numbers` are the texts that are needed, whose values are not cached; None for all texts.
        Returns values, shape (rows, >= `texts.capacity`), C-contiguous, and the row of each query.
        The array is valid until the next call, rows of other queries may be out of date, and it
        must not be written to.
        """
        distinct = list(dict.fromkeys(queries))
        if numbers is not None:
            row_of = {query: row for row, query in enumerate(distinct)}
            capacity = self._changes.texts.capacity
            table = np.full((len(distinct), capacity), self._blank, self._table.dtype)
            table[:, numbers] = self._compute(distinct, numbers)
            return table, np.array([row_of[query] for query in queries], np.intp)
        self._follow()
        bases = self._bases_of(distinct)
        rows = self._rows_of(distinct)
        for row, basis in zip(rows.tolist(), bases, strict=True):
            if self._bases[row] != basis:
                self._bases[row] = basis
                self._done[row] = 0
        done = self._done[rows]
        for first in set(done.tolist()) - {self._count}:
            (some,) = (done == first).nonzero()
            self._renew([distinct[i] for i in some], rows[some], max(first, 0))
        self._done[rows] = self._count
        return self._table, np.array([self._rows[query] for query in queries], np.intp)

    def known(self, query: str) -> tuple[Array, int] | None:
        """Return the table and the row of a query, None if the row is missing or out of date."""
        row = self._rows.get(query)
        if row is None or self._done[row] != self._count or self._changes.waiting:
            return None
        self._rows[query] = self._rows.pop(query)
        return self._table, row

    def find_outdated(self, most: int) -> list[str]:
        """Return those of the last used queries whose rows lack only the waiting changes."""
        if not self._changes.waiting:
            return []
        last = [
            query
            for query in islice(reversed(self._rows), most)
            if self._done[self._rows[query]] == self._count
        ]
        bases = zip(last, self._bases_of(last), strict=True)
        return [query for query, basis in bases if self._bases[self._rows[query]] == basis]

    def count_missing(self, queries: list[str]) -> int:
        """Return how many of some distinct queries have no row with their present basis."""
        pairs = zip(queries, self._bases_of(queries), strict=True)
        return sum(q not in self._rows or self._bases[self._rows[q]] != basis for q, basis in pairs)

    def _bases_of(self, queries: list[str]) -> Sequence[Hashable]:
        return [None] * len(queries) if self._basis is None else self._basis(queries)

    def _follow(self) -> None:
        if not self._changes.waiting:
            return
        first, before, self._count = self._changes.take(), self._count, len(self._changes.texts)
        if first < before:
            # All rows are out of date, since their bases may have changed.
            self._done = np.minimum(self._done, first - 1)
            self._table[:, first:] = self._blank
        columns = self._table.shape[1]
        if self._count > columns:
            self._resize(len(self._table), max(self._count * 9 // 8, columns * 3 // 2, 64))

    def _renew(self, queries: list[str], rows: Numbers, first: int) -> None:
        """Compute the values of texts from number `first` on, in batches of rows."""
        columns = np.arange(first, self._count)
        step = max(1, _BATCH // max(1, len(columns)))
        for begin in range(0, len(rows) if len(columns) else 0, step):
            some = slice(begin, begin + step)
            if len(rows[some]) == 1:  # without a copy
                row = rows[begin]
                self._fill(queries[some], columns, self._table[row : row + 1, first : self._count])
            else:
                self._table[rows[some], first : self._count] = self._compute(queries[some], columns)

    def _compute(self, queries: list[str], columns: Numbers) -> Array:
        values = np.empty((len(queries), len(columns)), self._table.dtype)
        self._fill(queries, columns, values)
        return values

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
                self._done[row] = -1
        return np.array([self._rows[query] for query in queries], np.intp)

    def _grow(self, needed: int, most: int) -> None:
        """Add rows until `needed` are free; half as many again, up to `most` rows."""
        rows = len(self._table)
        more = needed - len(self._free)
        if more > 0:
            more = max(more, min(max(rows // 2, _ROWS), most - rows))
            self._free[:0] = range(rows + more - 1, rows - 1, -1)
            self._resize(rows + more, self._table.shape[1])
            self._done = np.append(self._done, np.full(more, -1))
            self._bases += [None] * more

    def _resize(self, rows: int, columns: int) -> None:
        """Make the table larger, and write all of it, since memory is slow when first written."""
        old, self._table = self._table, np.full((rows, columns), self._blank, self._table.dtype)
        self._table[: len(old), : old.shape[1]] = old
